case $machine in
  app)
    of() { docker inspect -f '{{.Config.Image}} {{.State.Running}} {{.HostConfig.RestartPolicy.Name}} {{range .Mounts}}{{.Name}}{{end}} {{json .HostConfig.PortBindings}}' "$(docker compose -p tasks ps -q "$1")" 2>&1; }
    [ "$(of store)" = 'home/store:1 true unless-stopped tasks_data {}' ] || fail "store: $(of store)"
    of web | grep -q '^home/tasks:1 true unless-stopped  {"80/tcp":\[{"HostIp":"","HostPort":"8080"}\]}$' || fail "web: $(of web)"
    [ -e /srv/tasks/compose.yaml ] || fail 'there is no compose.yaml'
    ;;
  *) check-home $machine tasks 'no tasks yet' ;;
esac

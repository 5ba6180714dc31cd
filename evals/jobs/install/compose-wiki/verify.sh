case $machine in
  app)
    [ "$(docker inspect -f '{{range .Mounts}}{{.Name}}{{end}} {{.State.Running}}' "$(docker compose -p wiki ps -q web)" 2>&1)" = 'wiki_data true' ] || fail 'the app of the compose file does not run with its volume'
    grep -q 'restart: unless-stopped' /srv/wiki/compose.yaml || fail 'the compose file is another'
    ;;
  *) check-home $machine wiki 'an empty wiki' ;;
esac

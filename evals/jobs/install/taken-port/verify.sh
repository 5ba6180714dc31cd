case $machine in
  app)
    diff <(sed 's/8082:80/8080:80/' /srv/recipes/compose.yaml) <(printf 'name: recipes\nservices:\n  web:\n    image: home/recipes:1\n    init: true\n    volumes: ["data:/data"]\n    ports: ["8080:80"]\nvolumes:\n  data: {}\n') || fail 'the compose file is another'
    [ "$(docker inspect -f '{{range .Mounts}}{{.Name}}{{end}} {{.State.Running}}' "$(docker compose -p recipes ps -q web)" 2>&1)" = 'recipes_data true' ] || fail 'recipes do not run with their volume'
    [ "$(curl -s -m 3 localhost:8082)" = 'no recipes yet' ] || fail 'nothing of recipes on 8082'
    [ "$(docker inspect -f '{{.State.StartedAt}} {{.State.Running}}' "$(docker compose -p notes ps -aq web)" 2>&1)" = "$(cat /opt/since) true" ] || fail 'notes were restarted'
    ;;
  *) check-home $machine recipes 'no recipes yet' ;;
esac

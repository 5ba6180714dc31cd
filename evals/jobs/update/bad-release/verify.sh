case $machine in
  nas) [ "$(tar xOf /srv/backup/list-1.tar --wildcards '*list.txt')" = $'milk\neggs' ] || fail 'the archive does not have the data of version 1' ;;
  app)
    for n in $(seq 40); do [ "$(curl -s localhost:8080/health.txt)" = ok ] && break; sleep 0.1; done
    [ "$(curl -s localhost:8080/health.txt)" = ok ] || fail "health: $(curl -s localhost:8080/health.txt)"
    [ "$(curl -s localhost:8080/list.txt)" = $'milk\neggs' ] || fail "it shows: $(curl -s localhost:8080/list.txt)"
    [ "$(docker inspect -f '{{.Image}}' $(docker compose -p list ps -q web))" = "$(cat /opt/image-1)" ] || fail 'that is not the image of version 1'
    grep -q 'libical 3' /srv/list/failed.txt || fail 'failed.txt does not say why'
    ;;
esac

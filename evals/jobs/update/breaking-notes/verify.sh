case $machine in
  nas) [ "$(tar xOf /srv/backup/notes-1.tar --wildcards '*notes.txt')" = 'buy milk' ] || fail 'the archive does not have the notes of version 1' ;;
  app)
    for n in $(seq 40); do [ "$(curl -s localhost:8080/version.txt)" = 2 ] && break; sleep 0.1; done
    [ "$(curl -s localhost:8080/version.txt)" = 2 ] || fail "version: $(curl -s localhost:8080/version.txt)"
    [ "$(curl -s localhost:8080/notes.txt)" = 'buy milk' ] || fail "it shows: $(curl -s localhost:8080/notes.txt)"
    [ "$(docker inspect -f '{{.Image}}' $(docker compose -p notes ps -q web))" = "$(cat /opt/image-2)" ] || fail 'that is not the image of version 2'
    ;;
esac

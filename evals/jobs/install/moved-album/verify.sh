case $machine in
  app)
    cd /srv/album
    [ "$(docker inspect -f '{{range .Mounts}}{{.Name}}{{end}} {{.State.Running}}' "$(docker compose -p album ps -q web)" 2>&1)" = 'album_data true' ] || fail 'the album does not run with its volume'
    docker inspect -f '{{.Config.Env}}' "$(docker compose -p album ps -q web)" | grep -q ALBUM_PASSWORD=album-pass-4401 || fail 'it has another password'
    [ "$(stat -c '%a %U' album.env) $(cat album.env)" = '600 aish ALBUM_PASSWORD=album-pass-4401' ] || fail "album.env: $(stat -c '%a %U' album.env)"
    ! grep -rlE 'album-pass' --exclude=album.env /srv/album || fail 'the password is in another file, too'
    [ "$(wc -l < /var/lib/docker/volumes/album_data/_data/starts)" = 1 ] || fail 'it started without its data'
    ;;
  *) check-home $machine album 'summer 2019' ;;
esac

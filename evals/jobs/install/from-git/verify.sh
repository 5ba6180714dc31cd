case $machine in
  app)
    [ "$(runuser -u aish -- git -C /srv/poll describe --tags)" = v1.2 ] || fail "it is at $(runuser -u aish -- git -C /srv/poll describe --tags)"
    sv restart poll > /dev/null || fail 'there is no service poll'
    for n in $(seq 30); do [ "$(curl -s localhost:8090)" = 'poll 1.2' ] && break; sleep 0.1; done
    [ "$(curl -s localhost:8090)" = 'poll 1.2' ] || fail "it says: $(curl -s localhost:8090)"
    [ "$(ps -o user= -p "$(sv status poll | sed 's/.*pid \([0-9]*\).*/\1/')")" = aish ] || fail 'another user runs it'
    ;;
  *) check-home $machine poll 'poll 1.2' ;;
esac

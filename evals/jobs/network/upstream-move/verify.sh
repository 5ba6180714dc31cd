[ $machine = gate ] || exit 0
says() { curl -s -m 3 -H "Host: $1.lan" localhost/; }
for n in $(seq 20); do [ "$(says wiki)" = 'wiki on new' ] && break; sleep 0.1; done
[ "$(says wiki)" = 'wiki on new' ] || fail "wiki.lan says: $(says wiki)"
[ "$(says films)" = 'films on old' ] || fail "films.lan says: $(says films)"
[ "$(cat /srv/stays.txt)" = 'films.lan: no library at /srv/media' ] || fail "stays.txt: $(cat /srv/stays.txt)"
[ "$(wc -l < /opt/starts)" = 1 ] || fail 'nginx was restarted'

[ "$(ls /srv/app/releases | tr '\n' ' ')" = "2.4.0 2.4.1 " ] || fail "left: $(ls /srv/app/releases)"

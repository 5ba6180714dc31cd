[ "$(readlink -f /srv/app/current)" = /srv/app/releases/5.1.3 ] || fail "current is $(readlink /srv/app/current)"

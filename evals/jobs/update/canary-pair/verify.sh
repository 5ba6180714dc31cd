[ $machine != nas ] || exit 0
[ "$(cat /srv/site/releases/3.0/index.html)" = 3.0 ] || fail 'release 3.0 is not unpacked'
if [ $machine = web1 ]; then
  [ "$(readlink -f /srv/site/current)" = /srv/site/releases/3.0 ] || fail "current is $(readlink /srv/site/current)"
else
  [ "$(readlink -f /srv/site/current)" = /srv/site/releases/2.9 ] || fail "current is $(readlink /srv/site/current)"
  grep -q 'needs /etc/site/tls.conf' /srv/site/failed.txt || fail 'failed.txt does not say why'
  [ ! -e /etc/site/tls.conf ] || fail 'tls.conf was made up'
fi

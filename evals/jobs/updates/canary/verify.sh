grep -q 'libfoo 2 is missing' /srv/app/failed.txt || fail 'failed.txt does not say why'
[ -e /srv/app/releases/7.1/VERSION ] || fail '7.1 is not unpacked'

[ -z "$(find /srv/data -nouser -o -nogroup)" ] || fail 'some still belong to nobody'
[ "$(stat -c %U:%G /srv/data/x/1 /srv/data/x/y/2 /srv/data/x | tr '\n' ' ')" = 'archive:archive archive:archive root:root ' ] || fail 'wrong owners'

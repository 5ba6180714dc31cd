[ "$(cd /tank/music && find . -type f -exec sha256sum {} + | sort)" = "$(cat /opt/sums)" ] || fail 'the copy is not the same'
[ "$(readlink /srv/old/music)" = /tank/music ] || fail 'there is no link'

as() { su -s /bin/sh "$1" -c "$2"; }
as carol 'echo c >> /srv/project/docs/a.txt && echo n > /srv/project/docs/n.txt' 2>/dev/null || fail 'carol cannot write'
[ "$(stat -c %G /srv/project/docs/n.txt)" = project ] || fail 'new files do not belong to the group'
as guest 'ls /srv/project' >/dev/null 2>&1 && fail 'others can look'
exit 0

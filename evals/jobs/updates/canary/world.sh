mkdir -p /srv/incoming /srv/app/releases/7.0 /tmp/n && cd /srv/app
echo 7.0 > releases/7.0/VERSION; ln -s /srv/app/releases/7.0 current
echo 7.1 > /tmp/n/VERSION; printf '#!/bin/sh\necho "libfoo 2 is missing"; exit 3\n' > /tmp/n/selftest; chmod +x /tmp/n/selftest
tar cf /srv/incoming/app-7.1.tar -C /tmp/n VERSION selftest; rm -r /tmp/n
chown -hR aish /srv/app /srv/incoming

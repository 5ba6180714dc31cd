mkdir -p /srv/app/releases/5.0.0 /srv/app/releases/5.1.3 /srv/app/releases/5.2.0 && cd /srv/app
for v in 5.0.0 5.1.3; do printf '#!/bin/sh\necho %s is good\n' $v > releases/$v/check; done
printf '#!/bin/sh\necho cannot migrate >&2; exit 1\n' > releases/5.2.0/check
chmod +x releases/*/check
printf '2026-10-01 current -> 5.0.0\n2026-11-03 current -> 5.1.3\n2026-11-25 current -> 5.2.0\n' > history.log
ln -s /srv/app/releases/5.2.0 current; chown -hR aish /srv/app

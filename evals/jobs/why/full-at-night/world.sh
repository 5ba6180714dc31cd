case $machine in
  nas)
    python3 - <<'STATE' | lab reset
import json
snapshots = {f"tank/photos@auto-2026-11-{day}": {"used": 20} for day in range(20, 28)}
snapshots |= {f"tank/db@auto-2026-11-{day}": {"used": 1} for day in range(26, 28)} | {"tank/photos@before-move": {"used": 90}}
print(json.dumps({"zfs": {"tank/photos": {"used": 700, "quota": 960}, "tank/db": {"used": 40, "quota": 100}}, "snapshots": snapshots, "guests": {}, "memory": 0}))
STATE
    mkdir -p /srv/docs && printf 'photos 3\ndb 2\n' > /srv/docs/retention.txt && chown aish /srv/docs
    ;;
  app)
    printf 'keep_photos=3000\nkeep_db=2\n' > /etc/snapshots.conf
    printf '#!/bin/sh\n. /etc/snapshots.conf\nfor set in photos db; do\n  ssh nas sudo zfs snapshot "tank/$set@auto-$(date +%%F)"\n  eval "keep=\\$keep_$set"\n  ssh nas sudo zfs list -H -t snapshot "tank/$set" | cut -f1 | grep @auto- | sort | head -n "-$keep" | while read -r old; do ssh nas sudo zfs destroy "$old"; done\ndone\n' > /usr/local/bin/night-snapshots
    chmod +x /usr/local/bin/night-snapshots; printf '30 1 * * * aish /usr/local/bin/night-snapshots\n' > /etc/cron.d/snapshots
    ;;
esac

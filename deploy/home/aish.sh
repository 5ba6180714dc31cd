#!/bin/sh
# The command aish in the one image. `docker exec` starts it as root, so it becomes the user of the api first.
client=/app/clients/cli/bundle/aish.mjs
[ "$(id -u)" = 0 ] || exec node "$client" "$@"
exec setpriv --reuid=aish --regid=aish --clear-groups --no-new-privs --inh-caps=-all -- \
  env HOME=/var/lib/aish/api node "$client" "$@"

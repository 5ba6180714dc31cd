#!/bin/sh
# The number of the group that owns the Docker socket differs between machines, so it cannot be in docker-compose.yml.
# root reads it, then becomes the user node with this group and without capabilities, for good.
set -eu
socket=${DOCKER_SOCKET:-/var/run/docker.sock}
if [ "$(id -u)" != 0 ]; then exec "$@"; fi
if ! group=$(stat -c %g "$socket" 2>/dev/null); then
  echo "sandbox: there is no Docker socket at $socket; commands are refused until there is one" >&2
  group=1000
fi
exec setpriv --reuid=1000 --regid=1000 --groups="1000,$group" --no-new-privs --inh-caps=-all -- "$@"

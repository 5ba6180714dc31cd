#!/bin/sh
# The group that owns the Docker socket has another number on every machine, so it cannot stand in docker-compose.yml.
# Root reads it, then becomes the user node with that one more group, for good: no capabilities, no way back.
set -eu
socket=${DOCKER_SOCKET:-/var/run/docker.sock}
if [ "$(id -u)" != 0 ]; then exec "$@"; fi
if ! group=$(stat -c %g "$socket" 2>/dev/null); then
  echo "sandbox: there is no Docker socket at $socket; commands are refused until there is one" >&2
  group=1000
fi
exec setpriv --reuid=1000 --regid=1000 --groups="1000,$group" --no-new-privs --inh-caps=-all -- "$@"

#!/usr/bin/env bash
# Moves aish to another server, with its workspaces, tokens, secrets and host keys. First start an empty aish there, with
# the documented `docker run`. Then run this on the old server:
#
#   deploy/home/move.sh ssh://me@new-server [NAME HERE [NAME THERE]]     the default name is aish
#
# It stops the old aish before the new one continues its goals, but deletes nothing. If it fails, the old aish still runs,
# or the last message says how to start it again.
set -euo pipefail

target=${1:?to which engine? Write ssh://me@new-server}
from=${2:-aish}
to=${3:-$from}
inside=/var/lib/aish
backup=$inside/api/move.tar.gz

say() { printf 'move: %s\n' "$*"; }
die() { printf 'move: %s\n' "$*" >&2; exit 1; }
there() { docker --host "$target" "$@"; }
# Writes as the user of the api, so that root never follows a link in that user's folder.
give() { there exec --interactive --user aish "$to" sh -c "umask 77 && cat >$2" <"$folder/$1"; }
healthy() {
  for _ in $(seq 300); do
    [ "$(there inspect --format '{{.State.Health.Status}}' "$to")" != healthy ] || return 0
    sleep 1
  done
  die "the new aish does not become healthy; see docker logs $to there"
}

[ "$(docker inspect --format '{{.State.Running}}' "$from")" = true ] || die "$from does not run here"
there inspect "$to" >/dev/null 2>&1 || die "there is no container $to at $target; start an empty aish there first"
[ -z "$(there exec "$to" aish goals --json | grep -o '"id"' || true)" ] || die "the aish at $target already has goals"
folder=$(mktemp -d)
stopped=''
leave() {
  code=$?
  rm -rf "$folder"
  [ "$code" = 0 ] || [ -n "$stopped" ] || docker exec "$from" rm -f "$backup" || true
  [ "$code" = 0 ] || [ -z "$stopped" ] ||
    printf 'move: %s\n' "the old aish has stopped. If $to at $target does not have your goals: docker start $from" >&2
}
trap leave EXIT
trap 'exit 1' HUP INT TERM

healthy
say 'backing up'
docker exec "$from" aish backup "$backup" --workspaces all
for file in api/move.tar.gz api/token secrets/sandbox-token secrets/hosts-ca-key; do
  docker cp --quiet "$from:$inside/$file" "$folder/$(basename "$file")"
done
docker exec "$from" rm "$backup"
# From here on, only the new aish may continue the goals.
stopped=yes
docker stop --time 20 "$from" >/dev/null
# Secrets of the database are encrypted with a key that comes from the first of these. Hosts trust the second.
say 'copying the keys'
there stop --time 20 "$to" >/dev/null
for file in sandbox-token hosts-ca-key; do there cp --quiet "$folder/$file" "$to:$inside/secrets/$file"; done
there start "$to" >/dev/null
healthy
say 'restoring'
give move.tar.gz "$backup"
there exec "$to" aish backup restore "$backup" --yes
there exec "$to" rm "$backup"
give token "$inside/api/token"
there exec "$to" aish doctor --health >/dev/null
say "aish now runs at $target, with the same token. The old one has stopped; remove it when all is well: docker rm $from"

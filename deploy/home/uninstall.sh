#!/usr/bin/env bash
# Removes aish from this machine, and its key from all hosts. It asks first. aish must run, because only aish knows its
# hosts. Run it as the user who started aish:
#
#   deploy/home/uninstall.sh start [DATA FOLDER]   what `npm start` runs, also by systemd
#   deploy/home/uninstall.sh container [NAME]      the one image; the default name is aish
#   deploy/home/uninstall.sh compose               the aish of docker-compose.yml
#
# With --yes it does not ask. It exits with 5 if it could not reach a host, and says what to remove there.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
yes=''
args=()
for arg; do case $arg in --yes) yes=1 ;; *) args+=("$arg") ;; esac; done
form=${args[0]:-}
named=${args[1]:-}
config=${XDG_CONFIG_HOME:-$HOME/.config}/aish
state=${XDG_STATE_HOME:-$HOME/.local/state}/aish
cache=${AISH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aish}

say() { printf 'uninstall: %s\n' "$*"; }
die() { printf 'uninstall: %s\n' "$*" >&2; exit 1; }

case $form in
  start)
    data=${named:-${AISH_DATA:-${XDG_DATA_HOME:-$HOME/.local/share}/aish}}
    [ -f "$data/instance" ] || die "$data is not a data folder of aish"
    instance=$(cat "$data/instance")
    url=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$data/server.json" 2>/dev/null) || true
    pid=$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$data/server.json" 2>/dev/null) || true
    [ -n "$url" ] && [ -n "$pid" ] || die 'aish does not run. Start it first, because only aish knows its hosts'
    # The address comes first, because a profile or the environment could name another aish.
    inside() { env -u AISH_URL -u AISH_PROFILE -u AISH_TOKEN_FILE AISH_DATA="$data" "$@"; }
    list() { inside node "$root/clients/cli/bin/aish.mjs" host list --json --url "$url"; }
    what="the data folder $data"
    ;;
  container)
    name=${named:-aish}
    instance=$(docker exec "$name" cat /var/lib/aish/instance) || die "no container $name runs"
    inside() { docker exec -i "$name" "$@"; }
    list() { inside aish host list --json; }
    source=$(docker inspect --format '{{range .Mounts}}{{if eq .Destination "/var/lib/aish"}}{{if .Name}}{{.Name}}{{else}}{{.Source}}{{end}}{{end}}{{end}}' "$name")
    image=$(docker inspect --format '{{.Image}}' "$name")
    tag=$(docker inspect --format '{{.Config.Image}}' "$name")
    what="the container $name with its data in $source"
    ;;
  compose)
    cd "$root"
    instance=$(docker compose config | sed -n 's/^name: //p') # the file .env can name it, too
    [ -n "$instance" ] || die 'docker compose does not say the name of the project'
    inside() { docker compose exec -T api "$@"; }
    list() { inside aish host list --json; }
    what="the containers, volumes and backups of the compose project $instance"
    ;;
  *) die 'which aish? start [DATA FOLDER], container [NAME] or compose' ;;
esac

hosts=$(list) || die 'aish does not answer. Start it first, because only aish knows its hosts'
hosts=$(printf '%s' "$hosts" | inside node -e "
  let text = '';
  process.stdin.on('data', (more) => (text += more)).on('end', () => {
    for (const { name, user, address, port, authorizedKeys } of JSON.parse(text).items)
      console.log([name, user, address, port, authorizedKeys].join('\t'));
  });")

say "this removes $what, all workspaces, and the files of the client in $config, $state and $cache"
while IFS=$'\t' read -r host user address port _; do
  [ -z "$host" ] || say "and the key of aish on $user@$address:$port"
done <<<"$hosts"
if [ -z "$yes" ]; then
  read -r -p 'Type yes to remove all this: ' answer
  [ "$answer" = yes ] || die 'nothing was removed'
fi

# Runs on a host. $1 is the line of aish in authorized_keys. The rest is what approved changes may have left there.
# shellcheck disable=SC2016
leave='f=$HOME/.ssh/authorized_keys
if grep -qsxF -- "$1" "$f"; then
  grep -vxF -- "$1" "$f" >"$f.aish" || [ "$?" = 1 ] || exit # 1: no other line
  cat "$f.aish" >"$f" && rm "$f.aish" || exit
  done="removed the key of aish"
else
  done="the key of aish is not in $f; if somebody has changed its line, remove it there"
fi
if [ "$(id -u)" = 0 ]; then
  rm -rf /var/lib/aish-back /etc/systemd/system/aish-back.service /etc/systemd/system/multi-user.target.wants/aish-back.service \
    /etc/local.d/aish-back.start /etc/rc.d/S99aish-back /etc/cron.d/aish-back
fi
echo "$done"'
left=0
while IFS=$'\t' read -r host user address port line; do
  [ -n "$host" ] || continue
  if did=$(ssh -p "$port" -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=10 "$user@$address" "sh -s -- $(printf '%q' "$line")" <<<"$leave"); then
    say "$host: ${did##*$'\n'}"
  else
    left=5
    say "$host: cannot remove the key as $user@$address:$port. Remove this line from ~$user/.ssh/authorized_keys there:"
    printf '%s\n' "$line"
  fi
done <<<"$hosts"

remove_all() { # reads names of the engine, one on each line
  xargs -r docker "$@" >/dev/null
}
remove_kept() { # reads names of images, and removes the old ones that aish upgrade keeps
  while read -r image; do
    case ${image##*/} in *:*) kept=$image-before-upgrade ;; *) kept=$image:before-upgrade ;; esac
    ! docker image inspect "$kept" >/dev/null 2>&1 || docker image rm --force "$kept" >/dev/null
  done
}
remove_of_instance() {
  docker ps -aq --filter "label=dev.aish.instance=$instance" | remove_all rm --force --volumes
  for _ in $(seq 20); do # a volume counts as used for a moment after its last container
    ! docker volume ls -q --filter "label=dev.aish.instance=$instance" | remove_all volume rm --force || break
    sleep 0.5
  done
  docker image ls -q --filter "label=dev.aish.instance=$instance" | remove_all image rm --force
}

case $form in
  start)
    # The service may run another aish than this one.
    if grep -qs '/aish\.service$' "/proc/$pid/cgroup"; then
      systemctl disable --now --quiet aish.service
      rm -f /etc/systemd/system/aish.service
      systemctl daemon-reload
    else
      kill "$pid"
    fi
    for _ in $(seq 150); do kill -0 "$pid" 2>/dev/null || break; sleep 0.2; done
    ! kill -0 "$pid" 2>/dev/null || die "process $pid does not end, so its data was not removed"
    remove_of_instance
    if [ -L "$data/postgres" ]; then
      postgres=$(readlink -f "$data/postgres")
      rm -rf --one-file-system "$postgres"
      rmdir "$(dirname "$postgres")" 2>/dev/null || true # aish made it, unless somebody else moved the database
    fi
    rm -rf --one-file-system "$data"
    ;;
  container)
    docker stop --time 20 "$name" >/dev/null
    docker rm "$name" >/dev/null
    remove_of_instance
    case $source in
      /*) docker run --rm -v "$source:/data" --entrypoint find "$image" /data -xdev -mindepth 1 -delete ;;
      *) docker volume rm "$source" >/dev/null ;;
    esac
    docker image rm "$image" >/dev/null 2>&1 || true
    remove_kept <<<"$tag"
    ;;
  compose)
    docker compose --profile '*' down --volumes --rmi local --timeout 20
    docker compose config --images | remove_kept
    remove_of_instance
    ;;
esac
# Another aish on this engine uses the same image for commands.
if [ -z "$(docker volume ls -q --filter label=dev.aish.instance)$(docker ps -aq --filter label=dev.aish.instance)" ]; then
  docker image ls -q aish-sandbox | sort -u | remove_all image rm --force
fi
rm -rf "$config" "$state" "$cache"
say 'aish is gone. You can delete this folder now'
exit "$left"

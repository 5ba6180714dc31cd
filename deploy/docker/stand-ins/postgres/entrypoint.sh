#!/bin/bash
# Prepares the data folder on the first start, with the settings of the official image, then becomes the server.
set -euo pipefail

fail() { printf 'entrypoint: %s\n' "$*" >&2; exit 1; }

value() { # value NAME [default] prints $NAME, or the content of the file in $NAME_FILE
  local file=$1_FILE
  if [ -n "${!file:-}" ]; then
    [ -z "${!1:-}" ] || fail "both $1 and $file are set"
    printf '%s' "$(<"${!file}")"
  else
    printf '%s' "${!1:-${2:-}}"
  fi
}

case ${1:-} in -*) set -- postgres "$@" ;; esac
if [ "${1:-}" != postgres ]; then exec "$@"; fi
for arg in "$@"; do # options that only print something about the server need no data
  case $arg in -'?' | --help | --describe-config | -V | --version) exec "$@" ;; esac
done

if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" /var/run/postgresql
  chmod 700 "$PGDATA"
  find "$PGDATA" /var/run/postgresql ! -user postgres -exec chown postgres {} +
  exec setpriv --reuid=postgres --regid=postgres --init-groups -- "$0" "$@"
fi

mkdir -p "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  user=$(value POSTGRES_USER postgres)
  password=$(value POSTGRES_PASSWORD)
  database=$(value POSTGRES_DB "$user")
  auth=${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}
  if [ -z "$password" ] && [ "$auth" != trust ]; then
    fail 'POSTGRES_PASSWORD is not set: the first start needs a password for the superuser (or POSTGRES_HOST_AUTH_METHOD=trust)'
  fi
  args=(--username="$user" --auth-local=trust --auth-host="$auth")
  [ -z "${POSTGRES_INITDB_WALDIR:-}" ] || args+=(--waldir="$POSTGRES_INITDB_WALDIR")
  # shellcheck disable=SC2206
  args+=(${POSTGRES_INITDB_ARGS:-})
  if [ -n "$password" ]; then
    initdb "${args[@]}" --pwfile=<(printf '%s\n' "$password")
  else
    initdb "${args[@]}"
  fi
  printf '\nhost all all all %s\n' "$auth" >>"$PGDATA/pg_hba.conf"

  # This server listens only on the container's own socket, for creating the database and running the init scripts.
  PGUSER=$user pg_ctl -D "$PGDATA" -w -o "-c listen_addresses='' -p 5432" start
  sql=(psql -v ON_ERROR_STOP=1 --no-psqlrc --no-password --username "$user")
  if [ "$database" != postgres ]; then
    "${sql[@]}" --dbname postgres --set name="$database" <<<'CREATE DATABASE :"name";'
  fi
  export POSTGRES_USER=$user POSTGRES_DB=$database PGPASSWORD=$password
  for f in /docker-entrypoint-initdb.d/*; do
    case $f in
      *.sh)
        printf 'entrypoint: running %s\n' "$f"
        # shellcheck source=/dev/null
        if [ -x "$f" ]; then "$f"; else . "$f"; fi ;;
      *.sql) printf 'entrypoint: running %s\n' "$f"; "${sql[@]}" --dbname "$database" -f "$f" ;;
      *.sql.gz) printf 'entrypoint: running %s\n' "$f"; gunzip -c "$f" | "${sql[@]}" --dbname "$database" ;;
    esac
  done
  unset PGPASSWORD
  pg_ctl -D "$PGDATA" -m fast -w stop
  printf '\nentrypoint: first start done, ready for the server\n\n'
fi
exec "$@"

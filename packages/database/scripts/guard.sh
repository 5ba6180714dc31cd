# Runs a Postgres server and ends it when nobody needs it any more, however its users died: a process that was killed
# with -9 cannot stop anything itself. Passed to `sh -c` as text, so that an unprivileged user need not read this file.
#
#   guard.sh stdin '' 0 postgres ARG...            until standard input ends, that is until the process that started
#                                                  this one closes it or dies
#   guard.sh leases DIR SECONDS postgres ARG...    until no living process is named in DIR/leases for SECONDS;
#                                                  then DIR is removed with all that is in it
#
# Ends with the exit code of postgres.
mode=$1 dir=$2 idle_seconds=$3
shift 3

alive() { [ -d "/proc/$1" ] || ps -p "$1" >/dev/null 2>&1; }

anyone() {
  for lease in "$dir"/leases/*; do
    [ -e "$lease" ] || continue
    if alive "${lease##*/}"; then return 0; fi
  done
  return 1
}

exec 3<&0
"$@" </dev/null 3<&- &
server=$!

if [ "$mode" = stdin ]; then
  (while read -r _ <&3; do :; done; kill -INT "$server") >/dev/null 2>&1 &
else
  (
    idle=0
    while [ "$idle" -lt "$idle_seconds" ] && kill -0 "$server"; do
      sleep 2
      if anyone; then idle=0; else idle=$((idle + 2)); fi
    done
    kill -INT "$server"
  ) >/dev/null 2>&1 3<&- &
fi
watcher=$!
exec 3<&-

wait "$server"
code=$?
kill "$watcher" 2>/dev/null
if [ "$mode" = leases ]; then rm -rf "$dir"; fi
exit "$code"

# What the container of a command runs: it takes one command, runs it, and says how it ended.
#   bash -c "$(< launcher.sh)" aish TOKEN run KEEP COMMAND FOLDER NAME=VALUE...
#   bash -c "$(< launcher.sh)" aish TOKEN wait    and on stdin: KEEP, FOLDER, NAME=VALUE..., nothing, COMMAND, each with
#                                                 a NUL behind it. Cut short, nothing runs and the exit code is 97.
# Besides what the command prints, it writes marks: RS, TOKEN and one character (src/engine/output-marks.ts reads them).
mark=$'\x1e'$1
# What this shell itself has to say is nobody's business; 3 is the container's stderr.
exec 3>&2 2>/dev/null

if [[ $2 == wait ]]; then
  # Nobody else runs in here yet, so nobody can meddle with the measuring. A group of its own, to be killed whole.
  set -m
  { size=$(timeout --foreground 60 du -skx /workspace) && printf '%ss%s%s.' "$mark" "${size%%[!0-9]*}" "$mark"; } </dev/null &
  set +m
  measuring=$!
  variables=()
  IFS= read -r -d '' keep || exit 97
  IFS= read -r -d '' folder || exit 97
  while IFS= read -r -d '' variable || exit 97; [[ -n $variable ]]; do variables+=("$variable"); done
  IFS= read -r -d '' command || exit 97
  kill -9 -- -"$measuring"
else
  keep=$3 command=$4 folder=$5 variables=("${@:6}")
fi

# Runs in the command's own shell, before it. What that shell has at its end is what the next command begins with;
# a file in /tmp because the shell may have moved its stdout.
prelude='exec 9<&-; unset BASH_ENV'
if [[ $keep == 1 ]]; then
  prelude+='; trap '\''{ set +exu; trap "" XFSZ; builtin pwd; printf "\0"; /usr/bin/env -0 && printf ".\0"; } 2>/dev/null >|/tmp/.aish-session'\'' EXIT'
fi

began=${EPOCHREALTIME/[.,]/}
# With a line's end, because the engine keeps no output before the end of its line.
printf '%s\n' "$mark"
(
  # From here on a carried variable may have the name of one of ours.
  set -- "$command" "$prelude"
  unset SHLVL
  cd -- "$folder" || cd /workspace
  for variable in "${variables[@]}"; do export "$variable"; done
  BASH_ENV=/dev/fd/9 exec -a bash /bin/bash -c "$1" </dev/null 2>&3 3>&- 9<<<"$2"
)
code=$?
ended=${EPOCHREALTIME/[.,]/}
# The command is over, and with it all that it left running: the marks are the last thing printed.
kill -9 -1
session=()
[[ $keep == 1 && -f /tmp/.aish-session ]] && mapfile -n 4096 -d '' -t session </tmp/.aish-session
printf '%sz' "$mark" >&3
printf '%se%s %s\0' "$mark" "$code" "$((ended - began))"
((${#session[@]})) && printf '%s\0' "${session[@]}"
printf '%sz' "$mark"
# All is said. A container that ends takes from the machine what other commands could use, so one that was given its
# command on stdin waits a moment to be removed when it suits; not after a signal, when only its end tells why.
[[ $2 == wait ]] && ((code <= 128)) && IFS= read -r -t 1
exit "$code"

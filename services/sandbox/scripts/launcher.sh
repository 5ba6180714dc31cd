# The first process of a command's container: it waits for one command on stdin, runs it, and reports how it ended.
#   SHELL -c "$(< launcher.sh)" SHELL and on stdin, each followed by NUL: SECRET, then
#       KEEP (1: pass on the session to the next command), FOLDER, STRICT (1: run nothing if FOLDER is gone),
#       NAME=VALUE..., an empty item, COMMAND.
#
# If the input is cut short, nothing runs and the exit code is 97. Besides the output of the command it writes marks:
# RS, a third of SECRET and one character (src/engine/output-marks.ts reads them). The first third marks what is said
# before the command begins; a command might still find it in a pipe. With the second third, the command's own shell
# passes on its session, after everything it started is dead; code in that shell can read this third (`trap -p`). Only
# the first process knows the last third.
#
# No other process can read any of them: SHELL is not readable, so Linux opens neither the memory nor the descriptors of
# its processes to their user. As the first process, it receives no signals from inside the container, and survives
# `kill -9 -1`. Messages of this shell itself are discarded; descriptor 3 is the container's stderr.
exec 3>&2 2>/dev/null
IFS= read -r -d '' secret || exit 97
begin=$'\x1e'${secret:0:${#secret}/3} hand=$'\x1e'${secret:${#secret}/3:${#secret}/3} end=$'\x1e'${secret:${#secret}/3*2}

# Nothing else runs here yet, so nothing can tamper with the measurement. The measurement has its own process group, so
# that all of it can be killed.
set -m
{
  set -o pipefail
  size=$(timeout --foreground 60 find /workspace -xdev -printf '%y %b %n\n' | awk '
    { blocks += $1 == "d" || $3 < 2 ? $2 : $2 / $3; files += 1 }
    END { printf "%d %d", (blocks + 1) / 2, files - 1 }') || size=-
  printf '%ss%s%s.' "$begin" "$size" "$begin"
} </dev/null &
set +m
measuring=$!
variables=()
IFS= read -r -d '' keep || exit 97
IFS= read -r -d '' folder || exit 97
IFS= read -r -d '' strict || exit 97
while IFS= read -r -d '' variable || exit 97; [[ -n $variable ]]; do variables+=("$variable"); done
IFS= read -r -d '' command || exit 97
kill -9 -- -"$measuring"

# The command's own shell runs this text before the command. When the command ends, the state of this shell becomes the
# start of the next command. By then the shell has killed everything that it started, so no other process reads or
# writes. Descriptor 8 is the container's stdout. A session that is too large is not printed, because it would be
# mistaken for output.
prelude='exec 9<&-; unset BASH_ENV'
if [[ $keep == 1 ]]; then
  prelude+="; trap '{ set +exu; trap \"\" XFSZ PIPE; builtin kill -9 -1; REPLY=\$(builtin declare -px); ((\${#REPLY} < 80000)) && builtin printf \"${hand}h\" && builtin pwd && builtin printf \"\\0\" && {
    while IFS= builtin read -r REPLY; do [[ -v \$REPLY ]] && builtin printf \"%s=%s\\0\" \"\$REPLY\" \"\${!REPLY}\"; done <<<\"\$(builtin compgen -e)\"
    builtin printf \".\\0${hand}.\"; }; } 2>/dev/null >&8' EXIT"
fi

began=${EPOCHREALTIME/[.,]/}
# The newline is needed because the engine logs only complete lines.
printf '%s\n' "$begin"
(
  # From here on, a carried variable may have the same name as a variable of this script.
  set -- "$command" "$prelude" "$strict" "$folder"
  unset SHLVL
  if ! cd -- "$folder"; then
    if [[ $strict == 1 ]]; then printf 'aish: the folder %s is gone; nothing was run\n' "$folder" >&3; exit 1; fi
    cd /workspace
  fi
  for variable in "${variables[@]}"; do export "$variable"; done
  BASH_ENV=/dev/fd/9 exec -a bash "$0" -c "$1" </dev/null 8>&1 2>&3 3>&- 9<<<"$2"
)
code=$?
ended=${EPOCHREALTIME/[.,]/}
# The command and everything it left running have ended, so nothing is printed after the marks.
kill -9 -1
printf '%sz' "$end" >&3
printf '%se%s %s%sz' "$end" "$code" "$((ended - began))" "$end"
# Everything has been reported. Removing a container takes processor time from other commands, so this shell waits up to
# a second and lets the service choose the moment. After a signal it does not wait, because only its exit status tells
# the reason.
((code <= 128)) && IFS= read -r -t 1
exit "$code"

# What the container of a command runs, as its first process: it waits for one command on stdin, runs it, and says how it ended.
#   SHELL -c "$(< launcher.sh)" SHELL    and on stdin, each with a NUL behind it: SECRET, then
#       KEEP (1: hand on what the next command begins with), FOLDER, STRICT (1: run nothing when FOLDER is gone),
#       NAME=VALUE..., nothing, COMMAND. Cut short, nothing runs and the exit code is 97.
# Besides what the command prints, it writes marks: RS, a third of SECRET and one character (src/engine/output-marks.ts reads
# them). The first marks what is said before the command begins: a command could still find it in a pipe. With the second the
# command's own shell hands on what it has at its end, when all that it started is dead; what runs in that shell can look it up
# (`trap -p`). The third is the first process's alone. No other process can look up any: SHELL may not be read, so Linux opens
# neither memory nor descriptors of the processes that run it to anybody of their user.
# As first process it gets no signal from inside, and outlives `kill -9 -1`.
# What this shell itself has to say is nobody's business; 3 is the container's stderr.
exec 3>&2 2>/dev/null
IFS= read -r -d '' secret || exit 97
begin=$'\x1e'${secret:0:${#secret}/3} hand=$'\x1e'${secret:${#secret}/3:${#secret}/3} end=$'\x1e'${secret:${#secret}/3*2}

# Nobody else runs in here yet, so nobody can meddle with the measuring. A group of its own, to be killed whole.
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

# Runs in the command's own shell, before it. What that shell has at its end is what the next command begins with. By then
# the shell has killed all that it started, so that nobody reads or writes along; 8 is the container's stdout. More than can
# be kept is not said: it would be taken for output.
prelude='exec 9<&-; unset BASH_ENV'
if [[ $keep == 1 ]]; then
  prelude+="; trap '{ set +exu; trap \"\" XFSZ PIPE; builtin kill -9 -1; REPLY=\$(builtin declare -px); ((\${#REPLY} < 80000)) && builtin printf \"${hand}h\" && builtin pwd && builtin printf \"\\0\" && {
    while IFS= builtin read -r REPLY; do [[ -v \$REPLY ]] && builtin printf \"%s=%s\\0\" \"\$REPLY\" \"\${!REPLY}\"; done <<<\"\$(builtin compgen -e)\"
    builtin printf \".\\0${hand}.\"; }; } 2>/dev/null >&8' EXIT"
fi

began=${EPOCHREALTIME/[.,]/}
# With a line's end, because the engine keeps no output before the end of its line.
printf '%s\n' "$begin"
(
  # From here on a carried variable may have the name of one of ours.
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
# The command is over, and with it all that it left running: the marks are the last thing printed.
kill -9 -1
printf '%sz' "$end" >&3
printf '%se%s %s%sz' "$end" "$code" "$((ended - began))" "$end"
# All is said. A container that ends takes from the machine what other commands could use, so it waits a moment to be
# removed when it suits; not after a signal, when only its end tells why.
((code <= 128)) && IFS= read -r -t 1
exit "$code"

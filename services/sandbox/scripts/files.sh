# Moves files into and out of the workspace: bash -c "$(< files.sh)" aish ACTION PATH [ENTRIES OR SIZE]
# The script runs in its own container, which mounts only the workspace, so a path cannot reach anything else. It still
# refuses paths that leave /workspace. The exit codes are 40 (not allowed), 44 (not found), 45 (is a folder) and 48 (the
# disk is full). The message is on stderr.
action=$1 path=$2 number=${3:-0}
fail() { printf '%s' "$2" >&2; exit "$1"; }
inside() { [[ $1 == /workspace || $1 == /workspace/* ]]; }
there() {
  IFS= read -r -d '' real < <(realpath -ez -- "$path" 2>/dev/null) || fail 44 'it is not there, or a link leads nowhere'
  inside "$real" || fail 40 'a link leads out of the workspace'
}
# Resolves the destination of an upload. A path that does not exist yet cannot be a link.
wanted() {
  IFS= read -r -d '' real < <(realpath -mz -- "$1" 2>/dev/null) || fail 40 'the path leads nowhere'
  inside "$real" || fail 40 'a link leads out of the workspace'
  mkdir -p -- "$real" 2>/dev/null || fail 40 'the folder cannot be made: something is in its way, or may not be written'
}
full() { [[ $(< "$1") == *'No space left'* || $(< "$1") == *'File too large'* ]]; }
cd /workspace || exit 1

case $action in
list)
  there
  depth=1
  [[ -d $real ]] || depth=0
  find "$real" -mindepth "$depth" -maxdepth "$depth" -printf '%y\0%s\0%T@\0%f\0%l\0' | head -z -n "$((number * 5))"
  ;;
file)
  there
  [[ -d $real ]] && fail 45 'it is a folder'
  [[ -f $real ]] || fail 40 'it is no ordinary file'
  [[ -r $real ]] || fail 40 'its permissions do not let it be read'
  size=$(stat -c %s -- "$real") || exit 1
  printf '%s\n' "$size"
  exec head -c "$size" -- "$real"
  ;;
put-file)
  [[ $path == /workspace ]] && fail 45 'it is a folder'
  name=${path##*/}
  wanted "${path%/*}"
  target=$real/$name
  [[ -d $target && ! -L $target ]] && fail 45 'it is a folder'
  temporary=$(mktemp -- "$real/.aish-put-XXXXXXXX" 2>/dev/null) || fail 40 'its folder may not be written'
  trap 'rm -f -- "$temporary"' EXIT
  if ! head -c "$number" >"$temporary" 2>/tmp/why || (($(stat -c %s -- "$temporary") != number)); then
    full /tmp/why && fail 48 'no space left'
    fail 1 "$(< /tmp/why)"
  fi
  if [[ -f $target && ! -L $target ]]; then chmod --reference="$target" -- "$temporary"; else chmod 644 -- "$temporary"; fi
  mv -fT -- "$temporary" "$target" 2>/tmp/why || fail 40 'it cannot be replaced'
  ;;
put-archive)
  wanted "$path"
  head -c "$number" | tar -C "$real" -xf - --no-same-owner --no-same-permissions 2>/tmp/why
  code=${PIPESTATUS[1]}
  ((code == 0)) && exit 0
  full /tmp/why && fail 48 'no space left'
  fail 40 "$(head -n 1 /tmp/why)"
  ;;
*) exit 1 ;;
esac

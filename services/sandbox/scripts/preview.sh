# Copies a workspace, or lists one: bash -c "$(< preview.sh)" aish ACTION ...
# The script runs in its own containers: /source is the workspace, mounted read-only, and /workspace is the copy. Exit
# code 43 means that the workspace is too large. The message is on stderr.
list() { find "$1" -mindepth 1 -printf '%y\0%s\0%T@ %C@\0%m %l\0%P\0'; }
case $1 in
copy) # copy MAX_BYTES MAX_ENTRIES: fills the copy, then lists it
  size=$(du -sb /source 2>/dev/null) size=${size%%[!0-9]*}
  ((size <= $2)) || { printf 'it holds %s MiB' "$((size / 1048576))" >&2; exit 43; }
  entries=$(find /source -mindepth 1 -printf . | wc -c)
  ((entries <= $3)) || { printf 'it holds %s files' "$entries" >&2; exit 43; }
  cp -a /source/. /workspace/ || exit 1
  list /workspace
  ;;
list) # list MAX_ENTRIES: lists the copy after the command
  list /workspace | head -z -n "$(($2 * 5))"
  ;;
same) # same BYTES: reads names from stdin, and prints those whose content is the same in both
  head -c "$2" | while IFS= read -r -d '' name; do
    cmp -s -- "/source/$name" "/workspace/$name" && printf '%s\0' "$name"
  done
  ;;
*) exit 1 ;;
esac

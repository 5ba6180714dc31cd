# Copies a workspace and puts it back:  bash -c "$(< snapshot.sh)" aish ACTION
# Exit codes: 43 too large; stderr has the words.
case $1 in
measure) # measure MAX_BYTES: the size of the workspace at /source, in bytes
  size=$(du -sb /source 2>/dev/null) size=${size%%[!0-9]*}
  ((size <= $2)) || { printf 'it holds %s MiB' "$((size / 1048576))" >&2; exit 43; }
  printf '%s' "$size"
  ;;
take) # into /workspace, which is a new volume
  cp -a /source/. /workspace/
  ;;
restore) # /source is the snapshot
  find /workspace -mindepth 1 -delete && cp -a /source/. /workspace/
  ;;
*) exit 1 ;;
esac

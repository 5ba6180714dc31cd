# Copies a workspace, or restores it: bash -c "$(< snapshot.sh)" aish ACTION. Exit code 43 means that the workspace is
# too large. The message is on stderr.
case $1 in
measure) # measure MAX_BYTES: prints the size of the workspace at /source in bytes
  size=$(du -sb /source 2>/dev/null) size=${size%%[!0-9]*}
  ((size <= $2)) || { printf 'it holds %s MiB' "$((size / 1048576))" >&2; exit 43; }
  printf '%s' "$size"
  ;;
take) # take: copies /source into /workspace, which is a new volume
  cp -a /source/. /workspace/
  ;;
restore) # restore: copies the snapshot at /source back
  find /workspace -mindepth 1 -delete && cp -a /source/. /workspace/
  ;;
*) exit 1 ;;
esac

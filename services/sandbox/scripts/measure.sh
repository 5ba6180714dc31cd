# Prints the size of a workspace in KiB, and its number of files and folders. The script runs in a helper that may read
# everything. A file with several hard links counts once.
set -o pipefail
find /workspace -xdev -printf '%y %b %n\n' | awk '
  { blocks += $1 == "d" || $3 < 2 ? $2 : $2 / $3; files += 1 }
  END { printf "%d %d", (blocks + 1) / 2, files - 1 }'

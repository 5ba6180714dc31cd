#!/bin/sh
# Options and scripts are run as "node …", and any executable is run directly.
set -e
first=${1-}
path=$(command -v -- "$first" 2>/dev/null || true)
case $first in -*) path='' ;; esac
if [ -z "$path" ] || { [ -f "$first" ] && [ ! -x "$first" ]; }; then set -- node "$@"; fi
exec "$@"

#!/bin/sh
# Arguments that are options or a script mean "node …"; anything that can be run is run as it is.
set -e
first=${1-}
path=$(command -v -- "$first" 2>/dev/null || true)
case $first in -*) path='' ;; esac
if [ -z "$path" ] || { [ -f "$first" ] && [ ! -x "$first" ]; }; then set -- node "$@"; fi
exec "$@"

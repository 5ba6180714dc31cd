#!/usr/bin/env bash
# Builds the sandbox image if it does not exist yet, and prints its name as the only line on stdout: aish-sandbox:<12
# hex digits, a hash of the base image and the files in this folder>. aish-sandbox:latest is the same image. Progress
# goes to stderr. The build also works without an image registry (deploy/docker/base-images.sh). VERBOSE=1 shows the
# build output.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
base_images=$here/../../../deploy/docker/base-images.sh
base=${DEBIAN_IMAGE:-$(sed -n 's/^ARG DEBIAN_IMAGE=//p' "$here/Dockerfile")}
cache=${AISH_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/aish}

say() { printf 'sandbox image: %s\n' "$*" >&2; }
quietly() { # prints the output to stderr, and only if the command fails
  if [ -n "${VERBOSE:-}" ]; then "$@" >&2; return; fi
  local out rc=0
  out=$("$@" 2>&1) || rc=$?
  [ "$rc" = 0 ] || printf '%s\n' "$out" | tail -n 40 >&2
  return "$rc"
}
id_of() { docker image inspect --format '{{.Id}}' "$1" 2>/dev/null; }

name_of_contents() {
  local sum
  sum=$({
    id_of "$base"
    find "$here" -type f ! -name build.sh -print0 | LC_ALL=C sort -z | xargs -0 cat
  } | { sha256sum 2>/dev/null || shasum -a 256; })
  printf 'aish-sandbox:%s' "${sum:0:12}"
}

docker version >/dev/null 2>&1 || { say 'no Docker engine responds; deploy/docker/install-engine.sh commands says what to do'; exit 1; }
id_of "$base" >/dev/null || "$base_images" "$base" >&2
image=$(name_of_contents)

if ! id_of "$image" >/dev/null; then
  mkdir -p "$cache"
  if command -v flock >/dev/null; then
    exec 9>"$cache/sandbox-image.lock"
    flock -n 9 || { say 'another build runs, waiting for it'; flock 9; }
  fi
  if ! id_of "$image" >/dev/null; then
    say "building $image"
    quietly docker build --pull=false --progress=plain --build-arg DEBIAN_IMAGE="$base" --tag "$image" "$here"
    say "built in $SECONDS s"
  fi
fi
[ "$(id_of aish-sandbox:latest)" = "$(id_of "$image")" ] || docker tag "$image" aish-sandbox:latest
printf '%s\n' "$image"

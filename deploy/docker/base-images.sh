#!/usr/bin/env bash
# Makes sure that the base images of our Dockerfiles and docker-compose.yml exist. An existing image is kept. A missing
# one is pulled. If no registry answers, a Debian or Ubuntu host builds a stand-in of the same name from Debian packages
# (node: from npm), so that the Dockerfiles work unchanged.
#
#   base-images.sh                    all of them: Debian, Node, Postgres, Redis, Caddy
#   base-images.sh redis:8.6.7        only this one (and the base of its stand-in)
#   base-images.sh --offline [image…] do not try to pull
#   base-images.sh --force [image…]   renew stand-ins: pull if a registry answers now, else build again
#   base-images.sh --list             list the images
#   base-images.sh --remove           remove the stand-ins and their saved copies
#
# A stand-in has the label dev.aish.stand-in (images built from it inherit it). Packages and saved copies are in
# $AISH_CACHE/images (default ~/.cache/aish/images). VERBOSE=1 shows everything.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Returns image names, each from the file that defines it.
named() { sed -n "s/$2/\1/p" "$here/../../$1" | sed 1q; }
DEBIAN=$(named services/sandbox/image/Dockerfile '^ARG DEBIAN_IMAGE=\(.*\)')
NODE=$(named deploy/Dockerfile '^ARG NODE_IMAGE=\(.*\)')
POSTGRES=$(named docker-compose.yml '.*${POSTGRES_IMAGE:-\([^}]*\)}.*')
REDIS=$(named docker-compose.yml '.*${REDIS_IMAGE:-\([^}]*\)}.*')
CADDY=$(named docker-compose.yml '.*${CADDY_IMAGE:-\([^}]*\)}.*')
label=dev.aish.stand-in
registry_answers_within=8 # in seconds, only until the first answer; a download may take as long as it needs

cache=${AISH_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/aish}/images
work=''     # the scratch folder of the image that is being built
building='' # the name of that image
offline=''  # the reason why pulling is not tried (any more)
force=''

on_exit() {
  local rc=$?
  [ -z "$work" ] || rm -rf --one-file-system "$work"
  [ "$rc" = 0 ] || [ -z "$building" ] || printf 'base-images: %s could not be built\n' "$building" >&2
}
trap on_exit EXIT

say() { printf 'base-images: %s\n' "$*"; }
die() { printf 'base-images: %s\n' "$*" >&2; exit 1; }
quietly() { # prints the output to stderr, and only if the command fails
  if [ -n "${VERBOSE:-}" ]; then "$@"; return; fi
  local out rc=0
  out=$("$@" 2>&1) || rc=$?
  [ "$rc" = 0 ] || printf '%s\n' "$out" | tail -n 40 >&2
  return "$rc"
}

# --- state -------------------------------------------------------------------------------------

# Prints "absent", "real", "stand-in", or "outdated" for a stand-in from another recipe.
state_of() {
  local found
  found=$(docker image inspect --format "{{with .Config.Labels}}{{index . \"$label\"}}{{end}}" "$1" 2>/dev/null) ||
    { echo absent; return; }
  case $found in
    '') echo real ;;
    "$(recipe_of "$1")") echo stand-in ;;
    *) echo outdated ;;
  esac
}

# Prints a hash of the recipe of a stand-in.
recipe_of() {
  {
    declare -f make_debian
    echo "$DEBIAN"
    cat /dev/null "${authorities[@]}"
    case $1 in
      "$NODE") declare -f make_node; cat "$here"/stand-ins/node/* ;;
      "$POSTGRES") cat "$here"/stand-ins/postgres/* ;;
      "$REDIS") cat "$here"/stand-ins/redis/* ;;
      "$CADDY") cat "$here"/stand-ins/caddy/* ;;
    esac
  } | sha256sum | cut -c1-12
}

list() {
  local image size
  for image in "$DEBIAN" "$NODE" "$POSTGRES" "$REDIS" "$CADDY"; do
    size=$(docker image inspect --format '{{.Size}}' "$image" 2>/dev/null) || size=0
    printf '%-26s %5d MB  %s\n' "$image" $((size / 1000000)) "$(state_of "$image")"
  done
}

remove() {
  local image
  for image in "$DEBIAN" "$NODE" "$POSTGRES" "$REDIS" "$CADDY"; do
    case $(state_of "$image") in stand-in | outdated) docker image rm -f "$image" >/dev/null ;; esac
  done
  rm -rf --one-file-system "$cache"
}

# --- pull, or else build -----------------------------------------------------------------------

ensure() {
  case $(state_of "$1") in
    real) return ;;
    stand-in) [ -n "$force" ] || return 0 ;;
  esac
  if [ -z "$offline" ]; then
    say "$1: pulling"
    ! pull "$1" || return 0
    say "no image registry can be used: $offline"
  fi
  stand_in "$1"
}

# Pulls an image. After a failure, `offline` holds the reason and nothing else is pulled.
pull() {
  local out pid rc=0 deadline=$((SECONDS + registry_answers_within))
  out=$(mktemp)
  docker pull "$1" >"$out" 2>&1 &
  pid=$!
  while kill -0 "$pid" 2>/dev/null && ! grep -q 'Pulling from' "$out"; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      kill "$pid" 2>/dev/null || true
      echo "no answer within $registry_answers_within s" >>"$out"
      break
    fi
    sleep 0.1
  done
  wait "$pid" || rc=$?
  [ "$rc" = 0 ] || offline=$(tail -n 1 "$out")
  rm -f "$out"
  return "$rc"
}

stand_in() {
  local image=$1 start=$SECONDS recipe saved
  if ! can_build; then
    [ "$(state_of "$image")" = absent ] || { say "$image: kept the stand-in that is there, only root can renew it"; return; }
    die "$image is missing, and a stand-in can be built only as root on Debian or Ubuntu.
What to do: docker pull $image, or load it from a machine that can (docker save, docker load)"
  fi
  recipe=$(recipe_of "$image")
  saved=$cache/$(printf '%s' "$image" | tr '/:' '__')-$recipe.tar
  if [ -z "$force" ] && [ -s "$saved" ]; then
    if quietly docker load -i "$saved"; then say "$image: loaded a saved stand-in"; return; fi
    rm -f "$saved"
  fi
  [ "$image" = "$DEBIAN" ] || ensure "$DEBIAN"

  say "$image: building a stand-in"
  # The folder is not below /tmp, because debootstrap refuses a file system that is mounted with nodev, like /tmp on
  # Debian 13.
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/work.XXXXXX") building=$image
  case $image in # no `||` may follow here, because `set -e` would then have no effect inside the functions
    "$DEBIAN") make_debian "$recipe" ;;
    "$NODE") make_node "$recipe" ;;
    "$POSTGRES") build "$POSTGRES" "$recipe" "$here/stand-ins/postgres" ;;
    "$REDIS") build "$REDIS" "$recipe" "$here/stand-ins/redis" ;;
    "$CADDY") build "$CADDY" "$recipe" "$here/stand-ins/caddy" ;;
  esac
  rm -rf --one-file-system "$work"
  work='' building=''

  rm -f "${saved%-"$recipe".tar}"-*.tar
  docker save -o "$saved.part" "$image" && mv "$saved.part" "$saved"
  say "$image: built in $((SECONDS - start)) s"
}

can_build() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && [ -r /etc/os-release ]; }

build() { # arguments: image, recipe, context, more arguments
  quietly docker build --pull=false ${force:+--no-cache} --tag "$1" --label "$label=$2" --build-arg DEBIAN_IMAGE="$DEBIAN" "${@:4}" "$3"
}

# --- recipes -----------------------------------------------------------------------------------

# These are extra certificate authorities of this host (a company's TLS proxy). Without them no package can be
# downloaded.
authorities=()
for ca in /usr/local/share/ca-certificates/*.crt; do [ ! -s "$ca" ] || authorities+=("$ca"); done
[ ${#authorities[@]} -gt 0 ] || [ ! -s "${NODE_EXTRA_CA_CERTS:-}" ] || authorities=("$NODE_EXTRA_CA_CERTS")

apt_install() {
  local options=(-q -y --no-install-recommends -o DPkg::Lock::Timeout=120)
  export DEBIAN_FRONTEND=noninteractive
  apt-get "${options[@]}" install "$@" || { apt-get -q update && apt-get "${options[@]}" install "$@"; }
}

mirror_for() { # prints the address from which the host takes a suite, or nothing
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk -v s="$1" '$1 == s && $2 == "main" && !seen { print $3; seen = 1 }'
}

make_debian() {
  local suite=trixie root=$work/root keyring=/usr/share/keyrings/debian-archive-keyring.gpg id codename mirror='' security='' ca
  if ! command -v debootstrap >/dev/null || [ ! -r "$keyring" ]; then
    quietly apt_install debootstrap debian-archive-keyring || die 'debootstrap could not be installed'
  fi
  # shellcheck disable=SC1091
  read -r id codename < <(. /etc/os-release && echo "${ID:-} ${VERSION_CODENAME:-}")
  if [ "$id" = debian ]; then
    mirror=$(mirror_for "$codename")
    security=$(mirror_for "$codename-security")
  fi
  mkdir -p "$cache/debs" "$root"
  # If the host has no mirror, debootstrap uses Debian's own.
  quietly debootstrap --variant=minbase --keyring="$keyring" --cache-dir="$cache/debs" "$suite" "$root" ${mirror:+"$mirror"}
  mirror=$(awk '$1 == "deb" && !seen { print $2; seen = 1 }' "$root/etc/apt/sources.list")

  # These settings keep the image small, even after later installs.
  printf '%s\n' '# no documentation or translations in containers' \
    'path-exclude /usr/share/doc/*' 'path-include /usr/share/doc/*/copyright' 'path-exclude /usr/share/man/*' \
    'path-exclude /usr/share/info/*' 'path-exclude /usr/share/groff/*' 'path-exclude /usr/share/lintian/*' \
    'path-exclude /usr/share/locale/*' 'path-include /usr/share/locale/locale.alias' >"$root/etc/dpkg/dpkg.cfg.d/slim"
  printf '%s\n' 'APT::Keep-Downloaded-Packages "false";' 'Acquire::Languages "none";' \
    'Dir::Cache::pkgcache "";' 'Dir::Cache::srcpkgcache "";' >"$root/etc/apt/apt.conf.d/slim"
  # No package may start a service.
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod 755 "$root/usr/sbin/policy-rc.d"
  rm -f "$root/etc/apt/sources.list"
  {
    printf 'Types: deb\nURIs: %s\nSuites: %s %s-updates\nComponents: main\nSigned-By: %s\n' "$mirror" "$suite" "$suite" "$keyring"
    [ -z "$security" ] ||
      printf '\nTypes: deb\nURIs: %s\nSuites: %s-security\nComponents: main\nSigned-By: %s\n' "$security" "$suite" "$keyring"
  } >"$root/etc/apt/sources.list.d/debian.sources"

  # A later `apt-get install ca-certificates` includes certificates below /usr/local/share/ca-certificates. The node
  # image points node at this one file.
  if [ ${#authorities[@]} -gt 0 ]; then
    mkdir -p "$root/usr/local/share/ca-certificates"
    for ca in "${authorities[@]}"; do
      case $ca in *.crt) [ "$(grep -c 'BEGIN CERT' "$ca")" != 1 ] || install -m 644 "$ca" "$root/usr/local/share/ca-certificates/" ;; esac
      cat "$ca"
      printf '\n'
    done >"$root/usr/local/share/extra-ca.pem"
    chmod 644 "$root/usr/local/share/extra-ca.pem"
  fi

  find "$root/usr/share/doc" -depth -mindepth 1 \( -type f -o -type l \) ! -name copyright -delete
  find "$root/usr/share/doc" -depth -mindepth 1 -type d -empty -delete
  find "$root/usr/share/locale" -mindepth 1 -maxdepth 1 ! -name locale.alias -exec rm -rf {} +
  rm -rf "$root"/usr/share/{man,info,lintian,groff}/* "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/archives/*.deb \
    "$root"/var/cache/apt/*.bin "$root"/var/cache/debconf/*-old "$root"/var/lib/dpkg/*-old "$root"/var/log/*.log \
    "$root"/var/log/apt/* "$root/var/cache/ldconfig/aux-cache" "$root"/tmp/* "$root/etc/hostname" "$root/etc/resolv.conf"
  : >"$root/etc/machine-id"

  tar -C "$root" --numeric-owner --one-file-system --sort=name -c . |
    quietly docker import --change 'CMD ["bash"]' --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
      --change "LABEL $label=$1" - "$DEBIAN"
}

make_node() {
  local arch package version modules=$work/usr/lib/node_modules authority=''
  command -v npm >/dev/null || die 'npm is needed on the host, to fetch the node binary'
  case $(uname -m) in
    x86_64) arch=x64 ;;
    aarch64) arch=arm64 ;;
    *) die "npm has no node binary for $(uname -m)" ;;
  esac
  cp "$here"/stand-ins/node/* "$work"
  version=${NODE#node:}
  for package in "node-linux-$arch@${version%%-*}" npm@11; do
    (cd "$work" && quietly npm pack --silent "$package")
  done
  mkdir -p "$work/usr/bin" "$work/usr/include" "$modules/npm"
  tar -xzf "$work"/node-linux-*.tgz -C "$work/usr" --strip-components=1 package/bin package/include
  tar -xzf "$work"/npm-*.tgz -C "$modules/npm" --strip-components=1
  rm -rf "$work"/*.tgz "$modules"/npm/{docs,man}
  chmod 755 "$work/usr/bin/node" "$modules"/npm/bin/*.js
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/usr/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$work/usr/bin/npx"
  chmod -R go+rX "$work/usr"
  [ ${#authorities[@]} = 0 ] || authority=/usr/local/share/extra-ca.pem
  build "$NODE" "$1" "$work" --build-arg NODE_VERSION="$("$work/usr/bin/node" -p process.versions.node)" \
    --build-arg EXTRA_CA="$authority"
}

# --- main --------------------------------------------------------------------------------------

images=()
for argument; do
  case $argument in
    --force) force=1 ;;
    --offline) offline='not asked to' ;;
    --list | --remove) action=${argument#--} ;;
    "$DEBIAN" | "$NODE" | "$POSTGRES" | "$REDIS" | "$CADDY") images+=("$argument") ;;
    *) die "$argument is neither an option nor one of: $DEBIAN $NODE $POSTGRES $REDIS $CADDY" ;;
  esac
done
docker version >/dev/null 2>&1 || die "no Docker engine responds; $here/install-engine.sh commands says what to do"
[ -z "${action:-}" ] || { "$action"; exit; }
[ ${#images[@]} -gt 0 ] || images=("$DEBIAN" "$NODE" "$POSTGRES" "$REDIS" "$CADDY")

missing=()
for image in "${images[@]}"; do
  case $force:$(state_of "$image") in :real | :stand-in | 1:real) ;; *) missing+=("$image") ;; esac
done
[ ${#missing[@]} -gt 0 ] || exit 0

mkdir -p "$cache"
if command -v flock >/dev/null; then
  exec 9>"$cache.lock"
  flock -n 9 || { say 'another run is at work, waiting for it'; flock 9; }
  rm -rf --one-file-system "$cache"/work.* # left by a run that was killed
fi
for image in "${missing[@]}"; do ensure "$image"; done

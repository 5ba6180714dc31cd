#!/usr/bin/env bash
# Makes sure that a Docker engine is available here, with `docker compose` (v2) and `docker buildx`. Repeated runs are
# safe: a working engine is left alone.
#
#   install-engine.sh            install what is missing, start dockerd, wait until it answers
#   install-engine.sh check      exit 0 with one line if an engine answers, else exit 1 silently
#   install-engine.sh stop       stop the engine of this machine
#   install-engine.sh commands   print the commands that do the same by hand
#
# For root on Debian and Ubuntu. Packages come only from the archives that the host's own apt uses. VERBOSE=1 shows
# apt's output.
set -euo pipefail

oldest=23 # older engines have no health-check start_interval, no volume-subpath, and an old BuildKit
pidfile=/var/run/docker.pid
containerd_pidfile=/var/run/docker/containerd/containerd.pid
sock=/var/run/docker.sock
log=/var/log/dockerd.log
lock=/run/lock/aish-engine.lock
cache=${AISH_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/aish}
self=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/$(basename "${BASH_SOURCE[0]}")

say() { printf 'install-engine: %s\n' "$*"; }
die() { printf 'install-engine: %s\n' "$*" >&2; exit 1; }
quietly() { # prints the output to stderr, and only if the command fails
  if [ -n "${VERBOSE:-}" ]; then "$@"; return; fi
  local out rc=0
  out=$("$@" 2>&1) || rc=$?
  [ "$rc" = 0 ] || printf '%s\n' "$out" | tail -n 40 >&2
  return "$rc"
}

is_root() { [ "$(id -u)" = 0 ]; }
has_systemd() { [ -d /run/systemd/system ]; }
server_version() { # not every system has `timeout`
  $(! command -v timeout >/dev/null || echo timeout 5) docker version --format '{{.Server.Version}}' 2>/dev/null
}
answers() { server_version >/dev/null; }
has_compose() { docker compose version >/dev/null 2>&1; }
has_buildx() { docker buildx version >/dev/null 2>&1; }
works() { answers && has_compose && has_buildx; }
has_engine() {
  local version
  command -v containerd >/dev/null && command -v runc >/dev/null &&
    version=$(dockerd --version 2>/dev/null | sed -nE 's/^Docker version ([0-9]+)\..*/\1/p') &&
    [ "${version:-0}" -ge "$oldest" ]
}
# Returns whether an engine runs, but this user has no permission to use it.
is_forbidden() { [ -z "${DOCKER_HOST:-}" ] && [ -S "$sock" ] && [ ! -w "$sock" ]; }

# debian-private: Debian 12, whose engine is too old; newer packages, for Docker only
# debian, ubuntu: the distribution's own packages
# other: not supported
system() (
  # shellcheck disable=SC1091
  [ ! -r /etc/os-release ] || . /etc/os-release
  case "${ID:-}:${VERSION_CODENAME:-}" in
    debian:bookworm) echo debian-private ;;
    debian:bullseye | debian:buster) echo other ;;
    debian:*) echo debian ;;
    ubuntu:*) echo ubuntu ;;
    *) case " ${ID_LIKE:-} " in *' ubuntu '*) echo ubuntu ;; *) echo other ;; esac ;;
  esac
)

summary() {
  printf 'engine %s, client %s, compose %s, buildx %s, %s\n' \
    "$(docker version --format '{{.Server.Version}}')" "$(docker version --format '{{.Client.Version}}')" \
    "$(docker compose version --short)" "$(docker buildx version | awk '{print $2}')" \
    "$(docker info --format '{{.Driver}}, cgroup v{{.CgroupVersion}}')"
}

check() {
  local version
  version=$(server_version) || exit 1
  printf 'Docker engine %s answers\n' "$version"
}

commands() {
  local sudo='sudo ' packages
  ! is_root || sudo=''
  if works; then
    echo '# nothing to do: Docker, compose and buildx work here'
    return
  fi
  if is_forbidden; then
    printf 'sudo usermod -aG docker %s\nnewgrp docker\n' "$(id -un)"
    return
  fi
  case $(system) in
    debian) packages='docker.io docker-cli docker-compose docker-buildx' ;;
    ubuntu) packages='docker.io docker-compose-v2 docker-buildx' ;;
    debian-private) echo "$sudo$self"; packages='' ;;
    other)
      if [ "$(uname -s)" = Darwin ]; then
        echo 'install Docker Desktop and start it'
      else
        echo "install Docker Engine, compose v2 and buildx with your distribution's package manager, then start the docker service"
      fi
      return ;;
  esac
  if [ -n "$packages" ]; then
    if ! has_systemd; then
      echo "$sudo$self"
    else
      has_engine && has_compose && has_buildx ||
        printf '%s\n' "${sudo}apt-get update" "${sudo}apt-get install -y $packages"
      echo "${sudo}systemctl enable --now docker"
    fi
  fi
  is_root || printf 'sudo usermod -aG docker %s\nnewgrp docker\n' "$(id -un)"
}

stop() {
  is_root || die "stopping the engine needs root: sudo $self stop"
  if has_systemd; then
    quietly systemctl stop docker.socket docker.service || die 'systemctl stop docker failed'
    say 'stopped the docker service'
    return
  fi
  local pid
  pid=$(running dockerd "$pidfile") || { say 'no dockerd runs here'; return; }
  kill "$pid"
  for _ in $(seq 100); do
    is_alive "$pid" || { say "stopped dockerd ($pid)"; return; }
    sleep 0.2
  done
  die "dockerd ($pid) did not stop within 20 s; its log is $log"
}

# The command line of a zombie is empty. It is dead, although `kill -0` finds it in a container where nobody reaps
# processes.
is_alive() { grep -qa . "/proc/$1/cmdline" 2>/dev/null; }
# running PROGRAM PIDFILE prints the process ID. It fails if no process has that ID now, or if another program has it.
running() {
  local pid
  pid=$(cat "$2" 2>/dev/null) && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$1" ] && is_alive "$pid" && printf '%s' "$pid"
}

# install_packages engine|compose|buildx ... takes names of parts, not of packages.
install_packages() {
  local kind part packages=()
  kind=$(system)
  for part; do
    case $kind:$part in
      debian*:engine) packages+=(docker.io docker-cli containerd runc iptables ca-certificates) ;;
      debian*:compose) packages+=(docker-compose) ;;
      ubuntu:engine) packages+=(docker.io ca-certificates) ;;
      ubuntu:compose) packages+=(docker-compose-v2) ;;
      debian*:buildx | ubuntu:buildx) packages+=(docker-buildx) ;;
      *) die "cannot install Docker on this system. What to do: $(commands)" ;;
    esac
  done
  local options=(-o DPkg::Lock::Timeout=120 -o Acquire::Retries=3)
  export DEBIAN_FRONTEND=noninteractive
  if [ "$kind" = debian-private ]; then private_apt; fi
  say "installing ${packages[*]}"
  quietly apt-get "${options[@]}" -q update || say 'apt-get update reported errors, going on with what it has'
  # With RUNLEVEL=1 the package does not start its own daemon, because start_engine does so.
  RUNLEVEL=1 quietly apt-get "${options[@]}" -q -y --no-install-recommends install "${packages[@]}" ||
    die "apt-get could not install ${packages[*]}$([ "$kind" != ubuntu ] || printf '%s' ' (is the universe component enabled?)')"
}

# Creates a private apt configuration (appended to `options`) with the host's own suite, and trixie only for Docker's
# packages. Nothing below /etc/apt changes, and libc and runc stay those of the host.
private_apt() {
  local mirror apt=$cache/apt own=bookworm newer=trixie keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  # This is the address from which the host gets its own suite.
  # shellcheck disable=SC2016
  mirror=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk -v c="$own" '$1 == c && $2 == "main" && !seen { print $3; seen = 1 }')
  [ -n "$mirror" ] || die "no Debian mirror for $own/main in the apt sources of this host"
  [ -r "$keyring" ] || die "$keyring is missing: apt-get install debian-archive-keyring"
  mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/sources.d"
  printf "deb [signed-by=$keyring] %s %s main\n" "$mirror" "$own" "$mirror" "$newer" >"$apt/sources.list"
  cat >"$apt/preferences" <<P
Package: *
Pin: release n=$newer
Pin-Priority: 50

Package: docker.io docker-cli docker-compose docker-buildx containerd tini-static
Pin: release n=$newer
Pin-Priority: 990
P
  # A host's policy may empty apt's cache after every run, which this configuration prevents.
  printf '#clear DPkg::Post-Invoke;\n#clear APT::Update::Post-Invoke;\n' >"$apt/conf"
  export APT_CONFIG=$apt/conf
  options+=(
    -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts="$apt/sources.d"
    -o Dir::Etc::preferences="$apt/preferences" -o Dir::Etc::preferencesparts=/dev/null
    -o Dir::State::lists="$apt/lists" -o Dir::Cache::archives="$apt/archives"
    -o APT::Keep-Downloaded-Packages=true -o Acquire::Languages=none
  )
}

start_engine() {
  local pid=''
  if has_systemd; then
    quietly systemctl enable --now docker || die 'systemctl enable --now docker failed'
  elif pid=$(running dockerd "$pidfile"); then
    say "dockerd ($pid) runs already, waiting for it"
  else
    [ -f /sys/fs/cgroup/cgroup.controllers ] || [ -d /sys/fs/cgroup/memory ] ||
      die 'no cgroups under /sys/fs/cgroup: mount them first (package cgroupfs-mount)'
    say "starting dockerd, log $log"
    rm -f "$pidfile" "$sock"
    # dockerd refuses to start if any process has the process ID of a killed containerd.
    running containerd "$containerd_pidfile" >/dev/null || rm -f "$containerd_pidfile"
    # Descriptor 9 is the lock: a daemon that inherits it would hold the lock forever. By default an engine has room for
    # about 30 networks, and a compose stack has up to seven.
    setsid nohup dockerd -H "unix://$sock" --pidfile "$pidfile" --default-address-pool base=172.16.0.0/12,size=24 \
      >>"$log" 2>&1 </dev/null 9>&- &
    pid=$!
  fi
  for _ in $(seq 150); do
    sleep 0.2
    ! answers || return 0
    [ -z "$pid" ] || is_alive "$pid" || break
  done
  ! has_systemd || die 'the docker service does not answer; its log: journalctl -u docker'
  tail -n 3 "$log" >&2 2>/dev/null || true
  die "dockerd does not answer; its log is $log"
}

ensure() {
  if works; then summary; return; fi
  if ! answers && [ -n "${DOCKER_HOST:-}" ]; then
    die "no engine answers at DOCKER_HOST=$DOCKER_HOST; start it, or unset DOCKER_HOST to use this machine's own"
  fi
  if ! is_root || { [ "$(system)" = other ] && ! has_engine; }; then
    local why='Docker does not work here yet, and this script installs it only as root on Debian or Ubuntu.'
    ! is_forbidden || why="an engine runs here, but $(id -un) may not use it."
    die "$(printf '%s What to do:\n%s' "$why" "$(commands)")"
  fi

  mkdir -p "$(dirname "$lock")"
  exec 9>"$lock"
  flock -n 9 || { say 'another install runs, waiting for it'; flock 9; }

  local missing=()
  answers || has_engine || missing+=(engine) # a running engine stays as it is
  has_compose || missing+=(compose)
  has_buildx || missing+=(buildx)
  [ ${#missing[@]} = 0 ] || install_packages "${missing[@]}"
  answers || start_engine

  has_compose || die "'docker compose' does not work after the install"
  has_buildx || die "'docker buildx' does not work after the install"
  local server
  server=$(server_version)
  [ "${server%%.*}" -ge "$oldest" ] ||
    say "the running engine is $server, older than $oldest: stop it ($self stop) and run this again for a newer one"
  summary
}

case ${1:-install} in
  install) ensure ;;
  check) check ;;
  stop) stop ;;
  commands) commands ;;
  *) die "unknown argument: $1 (none, check, stop or commands)" ;;
esac

#!/bin/sh
# Installs a release of aish. Before anything of it runs, this checks the signature of its list of sums, and the sum of
# each file. It never replaces a server: aish upgrade does that.
#
#   install.sh ADDRESS --signer SIGNER [--cli] [--to FOLDER] [--bin FOLDER] [--origin REPOSITORY]
#
#   ADDRESS   the folder of the release: http://… or https://…
#   --signer  who must have signed it: a public SSH key, a file with one, or a file of allowed signers (ssh-keygen)
#   --cli     install only the command aish, as one file
#   --to      the folder of the server (default: ~/aish)
#   --bin     the folder of the command (default: ~/.local/bin, for root /usr/local/bin)
#   --origin  the git repository in which aish upgrade looks for new versions
set -eu
umask 022
LC_ALL=C
export LC_ALL

SUMS=SHA256SUMS
CLI=aish.mjs
SERVER=aish-server.tar.gz
NODE_NEEDED=20.19
TIMEOUT_S=1800
# In units of 512 bytes: 1 GiB. No file of a release is larger, except images, which this does not download.
MAX_FILE=2097152

say() { printf 'install: %s\n' "$*"; }
die() {
  printf 'install: %s\n' "$*" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }
usage() {
  echo 'Usage: install.sh ADDRESS --signer SIGNER [--cli] [--to FOLDER] [--bin FOLDER] [--origin REPOSITORY]' >&2
  exit 2
}

fetch() { # arguments: name, file
  (
    ulimit -f "$MAX_FILE"
    if has curl; then
      curl -fsSL --connect-timeout 20 --speed-limit 1 --speed-time 60 --max-time "$TIMEOUT_S" -o "$2" "$address/$1"
    else
      wget -q -T 60 -O "$2" "$address/$1"
    fi
  ) || die "$address/$1 cannot be downloaded. Nothing was installed"
}

# Writes a file of allowed signers from a key, a file with a key, or such a file.
write_signers() { # arguments: signer, file
  case $1 in
  ssh-* | ecdsa-* | sk-*) printf 'aish %s\n' "$1" >"$2" ;;
  *)
    [ -r "$1" ] || die "--signer: $1 is neither a public key nor a file"
    sed -E 's/^((ssh|ecdsa|sk)-[^ ]+ )/aish \1/' "$1" >"$2"
    ;;
  esac
}

check_signature() { # argument: the file of allowed signers
  who=$(ssh-keygen -Y find-principals -f "$1" -s "$work/$SUMS.sig" 2>/dev/null | sed 1q) || who=
  [ -n "$who" ] || die "$address is not signed by your signer. Nothing was installed"
  ssh-keygen -Y verify -n aish-release -f "$1" -I "$who" -s "$work/$SUMS.sig" <"$work/$SUMS" >/dev/null 2>&1 ||
    die "The signature of $address/$SUMS is wrong. Nothing was installed"
}

check_sum() { # argument: name
  expected=$(sed -n "s/^\([0-9a-f]\{64\}\)  $1\$/\1/p" "$work/$SUMS")
  if has sha256sum; then sum=$(sha256sum "$work/$1"); else sum=$(shasum -a 256 "$work/$1"); fi
  [ "${sum%% *}" = "$expected" ] || die "$address/$1 does not have the sum that is signed. Nothing was installed"
}

# Succeeds if the first version is older than the second.
is_older() {
  node -e 'process.exit(process.argv[1].localeCompare(process.argv[2], "en", { numeric: true }) < 0 ? 0 : 1)' "$1" "$2"
}

check_tools() {
  has node || die "Node $NODE_NEEDED or newer is needed"
  ! is_older "$(node -p process.versions.node)" "$NODE_NEEDED" || die "Node $NODE_NEEDED or newer is needed"
  has ssh-keygen || die 'ssh-keygen is needed to check the signature. Install OpenSSH (openssh-client)'
  has curl || has wget || die 'curl or wget is needed'
  has sha256sum || has shasum || die 'sha256sum or shasum is needed'
  [ -n "$only_cli" ] || has git || die 'git is needed for the server'
}

check_existing_cli() {
  [ -e "$command" ] || return 0
  installed=$("$command" --version 2>/dev/null) || installed=
  case $installed in
  [0-9]*.[0-9]*.[0-9]*) ;;
  *) die "$command is not aish, or does not start. Move it away first" ;;
  esac
}

install_cli() {
  version=$(node "$work/$CLI" --version)
  if [ -n "$installed" ] && is_older "$version" "$installed"; then
    die "$command is $installed, which is newer than $version. Nothing was installed"
  fi
  mkdir -p "$bin"
  cp "$work/$CLI" "$command.part"
  chmod 755 "$command.part"
}

# Unpacks the server next to its folder, as a git checkout, because aish upgrade needs one with Docker Compose.
unpack_server() {
  parent=$(dirname "$to")
  mkdir -p "$parent"
  part=$(mktemp -d "$parent/.aish-install-XXXXXX")
  tar -xzf "$work/$SERVER" -C "$part"
  git_in_part init -q --template=
  git_in_part add --all --force
  git_in_part -c user.name=aish -c user.email=aish@localhost -c commit.gpgSign=false commit -q -m "aish $version"
  [ -z "$origin" ] || git_in_part remote add origin "$origin"
}
git_in_part() { git -C "$part/aish" -c core.autocrlf=false -c core.hooksPath=/dev/null "$@"; }

main() {
  address='' signer='' only_cli='' to=${HOME:-/root}/aish origin='' part='' installed=''
  if [ "$(id -u)" = 0 ]; then bin=/usr/local/bin; else bin=$HOME/.local/bin; fi
  while [ $# -gt 0 ]; do
    case $1 in
    --cli) only_cli=yes ;;
    --signer | --to | --bin | --origin)
      [ $# -gt 1 ] || usage
      case $1 in
      --signer) signer=$2 ;;
      --to) to=$2 ;;
      --bin) bin=$2 ;;
      --origin) origin=$2 ;;
      esac
      shift
      ;;
    http://* | https://*) address=${1%/} ;;
    *) usage ;;
    esac
    shift
  done
  [ -n "$address" ] && [ -n "$signer" ] || usage
  command=$bin/aish

  check_tools
  check_existing_cli
  if [ -z "$only_cli" ] && [ -e "$to" ]; then
    die "$to exists. To upgrade the aish in it, run aish upgrade. To install only the command, use --cli"
  fi
  work=$(mktemp -d)
  trap 'rm -rf "$work" ${part:+"$part"} "$command.part"' EXIT
  trap 'exit 1' HUP INT TERM

  write_signers "$signer" "$work/signers"
  fetch "$SUMS" "$work/$SUMS"
  fetch "$SUMS.sig" "$work/$SUMS.sig"
  check_signature "$work/signers"
  if [ -n "$only_cli" ]; then files=$CLI; else files="$CLI $SERVER"; fi
  for file in $files; do
    fetch "$file" "$work/$file"
    check_sum "$file"
  done
  say "Signed by $who, and every sum is right"

  install_cli
  if [ -z "$only_cli" ]; then
    unpack_server
    mv "$part/aish" "$to"
    say "The server is in $to. Start it there: npm ci && npm start, or docker compose up -d --build --wait"
  fi
  mv "$command.part" "$command"
  say "aish $version is in $command"
}

# The last line starts everything, so an incomplete download of this script does nothing.
main "$@"

#!/usr/bin/env bash
# Installs Debian's llama-server with its libraries into a private folder, and prints the path of the program. The
# script changes nothing on the host and does not need root: apt downloads the packages with its own lists and cache,
# the script unpacks them into the folder, and the program uses the dynamic loader there.
#
#   AISH_CACHE         the server goes into its folder llama (default: ~/.cache/aish)
#   AISH_LLAMA_SUITE   Debian suite            (default: sid)
#   AISH_LLAMA_MIRROR  Debian mirror           (default: the one the host's apt uses)
#
# Repeated runs are cheap, because they only check that the program starts. The script needs apt, dpkg-deb and Debian's
# archive keyring, so it needs a Debian host.

set -euo pipefail

cache=${AISH_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/aish}/llama
suite=${AISH_LLAMA_SUITE:-sid}
say() { printf 'install-llama-server: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

mkdir -p "$cache"
cache=$(cd "$cache" && pwd -P)
prog=$cache/bin/llama-server
works() { [ -x "$prog" ] && "$prog" --version >/dev/null 2>&1; }

if works; then echo "$prog"; exit 0; fi
if command -v flock >/dev/null; then
    exec 9>"$cache/.lock"
    flock 9
    if works; then echo "$prog"; exit 0; fi
fi

command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || die "apt-get and dpkg-deb are needed"
keyring=
for k in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do
    if [ -r "$k" ]; then keyring=$k; break; fi
done
[ -n "$keyring" ] || die "no Debian archive keyring (package debian-archive-keyring)"

# This is the mirror of the main archive in the host's own apt sources.
mirror=${AISH_LLAMA_MIRROR:-$(apt-get indextargets --no-release-info --format '$(REPO_URI)' 2>/dev/null |
    grep -E '/debian/?$' | head -n 1 || true)}
[ -n "$mirror" ] || die "found no Debian mirror in the host's apt sources; set AISH_LLAMA_MIRROR"

work=$(mktemp -d "$cache/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists/partial,cache/archives/partial,state,debs,sysroot}
: >"$work/state/status"
echo "deb [signed-by=$keyring] ${mirror%/} $suite main" >"$work/sources.list"
cat >"$work/apt.conf" <<CONF
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "$work/state";
Dir::State::status "$work/state/status";
Dir::State::lists "$work/lists";
Dir::Cache "$work/cache";
Acquire::Languages "none";
Acquire::Retries "3";
APT::Sandbox::User "";
CONF
export APT_CONFIG=$work/apt.conf

say "reading the package lists of $suite"
apt-get -qq update >&2 || die "apt-get update failed"

# These are the server's package and all its libraries, under their current names. debconf, curl and wget are only for
# package scripts, which do not run.
todo=(llama.cpp-tools patchelf)
declare -A seen=()
while [ ${#todo[@]} -gt 0 ]; do
    for p in "${todo[@]}"; do seen[$p]=1; done
    found=$(apt-cache depends "${todo[@]}" | sed -nE 's/^  (Pre)?Depends: ((lib|zlib)[^ ]*)$/\2/p')
    todo=()
    for p in $found; do [ -n "${seen[$p]:-}" ] || todo+=("$p"); done
done

say "fetching ${!seen[*]}"
(cd "$work/debs" && apt-get -qq download "${!seen[@]}" >&2) || die "the packages could not be fetched"
for d in "$work"/debs/*.deb; do dpkg-deb -x "$d" "$work/sysroot"; done

cd "$work/sysroot"
for d in lib lib64; do # for a package from before the /usr merge
    if [ -d "$d" ] && [ ! -L "$d" ]; then mkdir -p "usr/$d"; cp -a "$d/." "usr/$d/"; rm -rf "$d"; fi
done
loader=$(find usr/lib -name 'ld-linux*.so.*' | head -n 1)
[ -n "$loader" ] || die "libc6 brought no dynamic loader"
lib=$(dirname "$loader")
rm -rf etc var usr/share usr/libexec usr/sbin "$lib/gconv" "$lib"/ossl-modules "$lib"/engines-*

# The libraries find each other through the program's RPATH, which applies only to libraries without their own RUNPATH.
elf() { "./$loader" --library-path "$lib" usr/bin/patchelf "$@"; }
for f in $(find "$lib" -type f \( -name 'libllama*' -o -name 'libmtmd*' -o -name 'libggml*' \)); do elf --remove-rpath "$f"; done
for f in usr/bin/llama-*; do
    elf --set-interpreter "$cache/sysroot/$loader" "$f"
    elf --force-rpath --set-rpath "\$ORIGIN/../../$lib:\$ORIGIN/../../$lib/llama" "$f"
done
# ggml looks for its CPU variants next to the program and takes the best one.
find "$lib/ggml" -name 'libggml-*.so' -printf '../../%p\n' | while read -r f; do ln -sf "$f" usr/bin/; done
(cd "$work/debs" && ls) >VERSIONS

rm -rf "$cache/sysroot"
mv "$work/sysroot" "$cache/sysroot"
mkdir -p "$cache/bin"
ln -sfn ../sysroot/usr/bin/llama-server "$prog"
works || { "$prog" --version >&2 || true; die "the installed llama-server does not start"; }
say "$("$prog" --version 2>&1 | head -n 1), $(du -sm "$cache/sysroot" | cut -f1) MB"
echo "$prog"

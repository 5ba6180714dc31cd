# Copies a workspace volume into the base layer: bash -c "$(< adopt.sh)" aish NAME FREE_MIN_KIB. The old volume is
# mounted at /source, and the volume of all layers at /workspace. Only a complete copy gets its final name. Exit code 43
# means that there is not enough space for a copy.
new=/workspace/$1.new
rm -rf -- "$new"
size=$(du -sk /source) free=$(df -k --output=avail /workspace | tail -n 1)
((free - ${size%%[!0-9]*} > $2)) || exit 43
mkdir -p -- "$new/0/u" "$new/0/w" && : >"$new/adopted" && cp -a /source/. "$new/0/u/" && chown 1000:1000 "$new/0/w" &&
  sync -f "$new" && mv -T -- "$new" "/workspace/$1"

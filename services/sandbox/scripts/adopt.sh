# Takes over a workspace as the base of its layers:  bash -c "$(< adopt.sh)" aish NAME FREE_MIN_KIB
# /source is its volume, /workspace the volume of all layers. Only what is whole gets its name there.
# Exit codes: 43 there is no room for a copy.
new=/workspace/$1.new
rm -rf -- "$new"
size=$(du -sk /source) free=$(df -k --output=avail /workspace | tail -n 1)
((free - ${size%%[!0-9]*} > $2)) || exit 43
mkdir -p -- "$new/0/u" "$new/0/w" && : >"$new/adopted" && cp -a /source/. "$new/0/u/" && chown 1000:1000 "$new/0/w" &&
  sync -f "$new" && mv -T -- "$new" "/workspace/$1"

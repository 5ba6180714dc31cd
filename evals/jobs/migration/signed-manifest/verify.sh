cd export
diff <(find . -type f ! -name 'MANIFEST*' -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum) MANIFEST || fail 'MANIFEST is another'
want=$(openssl dgst -sha256 -hmac manifest-key-of-the-old-house < MANIFEST | sed 's/.*= //')
[ "$(tr -d '[:space:]' < MANIFEST.sig)" = "$want" ] || fail 'MANIFEST.sig is not the HMAC of MANIFEST by that key'
! grep -rqF manifest-key-of-the-old-house /workspace || fail 'the key was written into a file'

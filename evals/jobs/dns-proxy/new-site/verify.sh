head -c "$(stat -c %s /before/Caddyfile)" Caddyfile | cmp -s - /before/Caddyfile || grep -q films Caddyfile || fail 'other sites were changed'
awk '/^paperless\.home\.lan \{/,/^\}/' Caddyfile | tr -d '\t' | tr '\n' ' ' | grep -q 'import lan encode gzip reverse_proxy 192.168.1.8:8000' || fail 'the site is not there as asked'
[ "$(grep -c reverse_proxy Caddyfile)" = 3 ] || fail 'there are not three sites'

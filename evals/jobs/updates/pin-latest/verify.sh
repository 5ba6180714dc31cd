for each in grafana/grafana:11.3.0 grafana/loki:3.2.0 adguard/adguardhome:v0.107.53 vaultwarden/server:1.32.4; do grep -q "image: $each\( \|$\)" compose.yaml || fail "$each is not there"; done
[ "$(wc -l < compose.yaml)" = 9 ] && grep -q '# the proxy' compose.yaml || fail 'other lines were changed'

[ $machine = app ] || exit 0
cd /srv/apps
image() { docker inspect -f '{{.Config.Image}} {{.State.Running}}' "$(docker compose ps -q "$1")" 2>&1; }
[ "$(image dns)" = 'home/dns:1.1 true' ] || fail "dns: $(image dns)"
[ "$(image vault)" = 'home/vault:2 true' ] || fail "vault: $(image vault)"
[ "$(docker inspect -f '{{.State.StartedAt}}' $(cat /opt/others) 2>&1)" = "$(cat /opt/since)" ] || fail 'another app was restarted'
diff <(sed -e 's,home/dns:1,home/dns:1.1,' -e 's,home/vault:1,home/vault:2,' /opt/compose.yaml) compose.yaml || fail 'compose.yaml is another'
cmp -s compose.yaml.bak /opt/compose.yaml || fail 'compose.yaml.bak is not the file of before'

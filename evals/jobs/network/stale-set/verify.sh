case $machine in
  nas)
    nft -s list ruleset > /tmp/now; nft -f /etc/nftables.conf || fail 'nftables.conf has a fault'
    cmp -s /tmp/now <(nft -s list ruleset) || fail 'after a start the rules are others'
    app=$(getent hosts app | cut -d' ' -f1)
    [ "$(nft -j list set inet filter copies | jq -c '[.nftables[].set.elem // empty] | add | sort')" = "$(jq -nc --arg app "$app" '[$app, "192.0.2.9", "192.0.2.30"] | sort')" ] || fail "the list is $(nft list set inet filter copies)"
    grep -q 'policy drop' /tmp/now && [ "$(grep -c accept /tmp/now)" = 4 ] || fail "the rules are others: $(cat /tmp/now)"
    [ "$(cat /srv/backup/files/photo)" = photo ] || fail 'nothing was copied'
    ;;
  app) rsync --contimeout=2 rsync://nas/backup > /dev/null || fail 'app does not reach it' ;;
esac

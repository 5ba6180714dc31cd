case $machine in
  gate)
    nft -s list ruleset > /tmp/now; nft -f /etc/nftables.conf || fail 'nftables.conf has a fault'
    cmp -s /tmp/now <(nft -s list ruleset) || fail 'after a start the rules are others'
    [ "$(nft -s list chain inet filter input | grep -c 'accept$')" = 5 ] || fail "it has other rules: $(cat /tmp/now)"
    nft list ruleset | grep -q 'policy drop' || fail 'the policy was changed'
    ;;
  admin)
    [ "$(curl -s -m 3 gate:8443)" = 'all is well' ] || fail 'admin does not reach it'
    runuser -u aish -- ssh gate true || fail 'admin has no SSH'
    ;;
  guest)
    ! curl -s -m 2 gate:8443 || fail 'guest reaches it, too'
    runuser -u aish -- ssh gate true || fail 'guest has no SSH'
    ;;
esac

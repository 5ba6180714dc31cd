case $machine in
  old)
    sv status dns | grep -q '^down' || fail 'the old one still runs'
    [ -e /etc/service/dns/down ] || [ ! -e /etc/service/dns ] || [ ! -x /etc/service/dns/run ] || fail 'the old one comes back with the next start'
    ;;
  new)
    sv restart dns > /dev/null; sleep 0.5
    said=$(for name in nas tv films printer; do dig +short +time=2 @127.0.0.1 $name.lan | tail -1; done; dig +short +time=2 @127.0.0.1 home.lan txt)
    [ "$said" = $'192.0.2.10\n192.0.2.11\n192.0.2.11\n192.0.2.40\n"since 2019"' ] || fail "it says: $said"
    ;;
  client)
    [ "$(grep '^nameserver' /etc/resolv.conf)" = "nameserver $(getent hosts new | cut -d' ' -f1)" ] || fail "client asks: $(cat /etc/resolv.conf)"
    [ "$(dig +short +time=2 printer.lan)" = 192.0.2.40 ] || fail 'client gets no answer'
    ;;
esac

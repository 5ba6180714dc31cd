case $machine in
  old)
    start-dns <<'LAN'
address=/nas.lan/192.0.2.10
address=/tv.lan/192.0.2.11
cname=films.lan,tv.lan
host-record=tv.lan,192.0.2.11
LAN
    printf 'host-record=printer.lan,192.0.2.40\ntxt-record=home.lan,"since 2019"\n' > /etc/dnsmasq.d/more.conf
    sv restart dns > /dev/null
    ;;
  new) start-dns < /dev/null ;;
  client)
    printf 'nas.lan\ntv.lan\nfilms.lan\nprinter.lan\n' > /srv/names.txt
    echo "nameserver $(getent hosts old | cut -d' ' -f1)" > /etc/resolv.conf
    ;;
esac

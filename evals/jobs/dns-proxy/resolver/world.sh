mkdir -p /etc/dnsmasq.d /etc/service/dnsmasq
printf 'no-resolv\nno-hosts\nlisten-address=127.0.0.1\nport=5353\nbind-interfaces\naddress=/git.home.lna/192.168.1.7\naddress=/nas.home.lan/192.168.1.5\n' > /etc/dnsmasq.d/lan.conf
printf '#!/bin/sh\nexec dnsmasq --keep-in-foreground --user=root --conf-file=/etc/dnsmasq.d/lan.conf >> /var/log/dnsmasq.log 2>&1\n' > /etc/service/dnsmasq/run
chmod +x /etc/service/dnsmasq/run
supervise dnsmasq

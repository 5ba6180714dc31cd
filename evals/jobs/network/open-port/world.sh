[ $machine = gate ] || exit 0
cat > /etc/nftables.conf <<'RULES'
#!/usr/sbin/nft -f
flush ruleset
table inet filter {
  chain input {
    type filter hook input priority 0; policy drop;
    ct state established,related accept
    iif lo accept
    icmp type echo-request accept
    tcp dport 22 accept
  }
}
RULES
nft -f /etc/nftables.conf
mkdir -p /srv/monitor && echo 'all is well' > /srv/monitor/index.html
printf '#!/bin/sh\nexec busybox httpd -f -p 8443 -h /srv/monitor\n' | start-service monitor

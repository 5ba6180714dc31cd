case $machine in
  nas)
    install -d -o aish /srv/backup
    printf '[backup]\npath = /srv/backup\nread only = no\nuid = aish\nuse chroot = no\n' > /etc/rsyncd.conf
    printf '#!/bin/sh\nexec rsync --daemon --no-detach\n' | start-service rsync
    cat > /etc/nftables.conf <<'RULES'
#!/usr/sbin/nft -f
flush ruleset
table inet filter {
  set copies {
    type ipv4_addr
    elements = { 192.0.2.9, 192.0.2.17, 192.0.2.30 }
  }
  chain input {
    type filter hook input priority 0; policy drop;
    ct state established,related accept
    iif lo accept
    tcp dport 22 accept
    ip saddr @copies tcp dport 873 accept
  }
}
RULES
    nft -f /etc/nftables.conf
    ;;
  app)
    mkdir -p /home/aish/files && echo photo > /home/aish/files/photo && chown -R aish /home/aish/files
    printf '#!/bin/sh\nexec rsync -a --contimeout=3 /home/aish/files rsync://nas/backup/\n' > /usr/local/bin/copy-home; chmod +x /usr/local/bin/copy-home
    ;;
esac

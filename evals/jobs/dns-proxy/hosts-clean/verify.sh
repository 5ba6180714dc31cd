diff /etc/hosts.lan <(printf '# home\n192.168.1.5 nas\n192.168.1.6 pi\n# lab\n192.168.1.110 cam\n') || fail 'hosts.lan is another'
cmp -s /etc/hosts.lan.old /opt/hosts.lan.orig || fail 'hosts.lan.old is not the old file'

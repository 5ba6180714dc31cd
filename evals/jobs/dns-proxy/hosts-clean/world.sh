printf '# home\n192.168.1.5 nas\n10.1.2.3 oldnas\n192.168.1.6 pi\n192.168.1.5 nas\n# lab\n10.9.9.9 lab\n192.168.1.110 cam\n192.168.1.6 pi\n' > /etc/hosts.lan; cp /etc/hosts.lan /opt/hosts.lan.orig

su -s /bin/sh notes -c 'echo x >> /var/lib/notes/data/1.txt && touch /var/lib/notes/data/2.txt' || fail 'notes still cannot write'
[ "$(stat -c %U:%a /var/lib/notes/config.ini)" = root:644 ] || fail 'config.ini is no more root’s'
[ "$(stat -c %a /var/lib/notes/data)" = 777 ] && fail 'everybody may write there now'
exit 0

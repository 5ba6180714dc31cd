cmp -s /etc/ssl/site.key /etc/ssl/keys/b.key || fail 'site.key is not the key of site.crt'
[ "$(stat -c %U%a /etc/ssl/site.key)" = root600 ] || [ "$(stat -c %U%a /etc/ssl/site.key)" = root400 ] || fail 'others may read site.key'

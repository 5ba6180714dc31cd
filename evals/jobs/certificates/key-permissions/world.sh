mkdir -p /srv/tls/a /srv/tls/b/c
for d in a b b/c; do echo "key $d" > /srv/tls/$d/site.key; echo "crt $d" > /srv/tls/$d/site.crt; done
chmod 644 /srv/tls/*/*.key /srv/tls/b/c/*; chown -R aish /srv/tls/b

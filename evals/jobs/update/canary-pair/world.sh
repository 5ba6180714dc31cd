case $machine in
  nas)
    mkdir -p /srv/releases /tmp/r && cd /tmp/r
    printf '#!/bin/sh\n[ -e /etc/site/tls.conf ] || { echo "release 3.0 needs /etc/site/tls.conf" >&2; exit 1; }\necho 3.0 is good\n' > check; chmod +x check; echo 3.0 > index.html
    tar cf /srv/releases/site-3.0.tar check index.html; rm -r /tmp/r
    ;;
  *)
    mkdir -p /srv/site/releases/2.9 /etc/site; cd /srv/site
    printf '#!/bin/sh\necho 2.9 is good\n' > releases/2.9/check; chmod +x releases/2.9/check; echo 2.9 > releases/2.9/index.html
    ln -s /srv/site/releases/2.9 current; chown -hR aish /srv/site
    [ $machine = web2 ] || touch /etc/site/tls.conf
    ;;
esac

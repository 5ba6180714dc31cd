case $machine in
  ca)
    cmp -s <(openssl x509 -noout -modulus -in /srv/ca/out/home.crt) <(openssl x509 -noout -modulus -in /srv/first/home.crt) && fail 'nothing was renewed'
    openssl verify -CAfile /srv/ca/ca.crt /srv/ca/out/home.crt > /dev/null || fail 'the new one is not of the CA'
    ;;
  *)
    serial=$(runuser -u aish -- ssh ca openssl x509 -noout -serial -in /srv/ca/out/home.crt)
    served() { openssl s_client -connect localhost:443 -servername home.lan < /dev/null 2> /dev/null | openssl x509 -noout -serial; }
    for n in $(seq 20); do [ "$(served)" = "$serial" ] && break; sleep 0.2; done
    [ "$(served)" = "$serial" ] || fail "it serves $(served), new is $serial"
    [ "$(stat -c '%a %U' /etc/ssl/home/home.key)" = '600 root' ] || fail "the key is $(stat -c '%a %U' /etc/ssl/home/home.key)"
    [ "$(wc -l < /opt/starts)" = 1 ] || fail 'the proxy was restarted'
    ;;
esac

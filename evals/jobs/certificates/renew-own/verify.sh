cd /etc/ssl/lan
openssl verify -CAfile ca.crt web.crt >/dev/null || fail 'it is not signed by the authority'
openssl x509 -in web.crt -noout -checkend $((300*86400)) >/dev/null || fail 'it ends too soon'
openssl x509 -in web.crt -noout -subject | grep -q 'CN *= *web.lan' || fail 'it has another name'
[ "$(openssl x509 -in web.crt -noout -pubkey)" = "$(openssl pkey -in web.key -pubout)" ] || fail 'it is for another key'

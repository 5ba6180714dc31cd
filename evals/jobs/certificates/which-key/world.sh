mkdir -p /etc/ssl/keys && cd /etc/ssl/keys
for k in a b c; do openssl ecparam -name prime256v1 -genkey -noout -out $k.key; done
openssl req -x509 -key b.key -subj /CN=site.lan -days 100 -out /etc/ssl/site.crt
chmod 600 *.key

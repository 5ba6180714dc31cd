text=$(openssl req -in /home/aish/nas.csr -noout -text -verify 2>&1) || fail 'nas.csr cannot be read'
for each in DNS:nas.lan DNS:files.lan 'IP Address:192.168.1.5' 'nas.lan'; do grep -q "$each" <<< "$text" || fail "$each is missing"; done
[ "$(openssl req -in /home/aish/nas.csr -noout -pubkey)" = "$(openssl pkey -in /etc/ssl/nas.key -pubout)" ] || fail 'it is for another key'

openssl ecparam -name prime256v1 -genkey -noout -out /etc/ssl/nas.key; chmod 640 /etc/ssl/nas.key

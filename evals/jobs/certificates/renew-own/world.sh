mkdir -p /etc/ssl/lan && cd /etc/ssl/lan
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key -out ca.crt -subj '/CN=home authority' -days 3650 2>/dev/null
openssl ecparam -name prime256v1 -genkey -noout -out web.key
openssl req -new -key web.key -subj /CN=web.lan | openssl x509 -req -CA ca.crt -CAkey ca.key -days 3 -out web.crt 2>/dev/null
chmod 600 *.key

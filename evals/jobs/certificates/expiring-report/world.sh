mkdir certs
cert() { openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout /dev/null -out certs/$1.pem -subj /CN=$1.lan -days $2 2>/dev/null; }
cert nas 10; cert web 300; cert git 29; cert cam 90

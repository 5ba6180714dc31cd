case $machine in
  ca)
    mkdir -p /srv/ca/out && cd /srv/ca
    openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj '/CN=home ca' -keyout ca.key -out ca.crt 2> /dev/null
    cat > renew <<'RENEW'
#!/bin/sh -e
cd /srv/ca
openssl req -newkey rsa:2048 -nodes -subj /CN=home.lan -keyout out/home.key -out out/home.csr 2> /dev/null
printf 'subjectAltName=DNS:home.lan\n' > out/ext
openssl x509 -req -in out/home.csr -CA ca.crt -CAkey ca.key -days "${DAYS:-90}" -extfile out/ext -out out/home.crt 2> /dev/null
RENEW
    chmod +x renew; DAYS=5 ./renew; mkdir /srv/first && cp out/home.* /srv/first; rm out/*
    chown -R aish /srv/ca /srv/first
    ;;
  *)
    mkdir -p /etc/ssl/home
    for n in $(seq 100); do runuser -u aish -- ssh ca true 2> /dev/null && break; sleep 0.1; done
    for f in home.key home.crt; do runuser -u aish -- ssh ca cat /srv/first/$f > /etc/ssl/home/$f; done
    chmod 600 /etc/ssl/home/home.key
    if [ $machine = web ]; then
      printf 'server {\n  listen 443 ssl;\n  server_name home.lan;\n  ssl_certificate /etc/ssl/home/home.crt;\n  ssl_certificate_key /etc/ssl/home/home.key;\n  return 200 "web\\n";\n}\n' > /etc/nginx/conf.d/home.conf
      printf '#!/bin/sh\necho >> /opt/starts\nexec nginx -g "daemon off;"\n' | start-service nginx
    else
      printf 'https://home.lan {\n\ttls /etc/ssl/home/home.crt /etc/ssl/home/home.key\n\trespond media\n}\n' | start-caddy
    fi
    ;;
esac

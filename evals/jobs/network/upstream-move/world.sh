case $machine in
  gate)
    install -o aish /dev/null /srv/stays.txt && rm /srv/stays.txt && chown aish /srv
    for each in wiki:8081 films:8082; do printf 'server {\n  listen 80;\n  server_name %s.lan;\n  location / { proxy_pass http://old:%s; }\n}\n' ${each%:*} ${each#*:} > /etc/nginx/conf.d/${each%:*}.conf; done
    printf '#!/bin/sh\necho >> /opt/starts\nexec nginx -g "daemon off;"\n' | start-service nginx
    ;;
  *)
    for each in wiki:8081 films:8082; do
      name=${each%:*}; mkdir -p /srv/$name; echo "$name on $machine" > /srv/$name/index.html; echo ok > /srv/$name/health
      [ "$machine $name" != 'new films' ] || echo 'no library at /srv/media' > /srv/$name/health
      printf '#!/bin/sh\nexec busybox httpd -f -p %s -h /srv/%s\n' ${each#*:} $name | start-service $name
    done
    ;;
esac

mkdir sites
printf 'upstream films { server 192.168.1.6:8096; }\n' > sites/films.conf
printf 'location /tv { proxy_pass http://192.168.1.6:8096/; }\nlocation /stats { proxy_pass http://192.168.1.6:3000/; }\n' > sites/home.conf
printf 'upstream backup { server 192.168.1.60:8096; server 192.168.1.6:80960; }\n' > sites/backup.conf

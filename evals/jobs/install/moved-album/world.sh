case $machine in
  app)
    start-docker
    make-image home/album:1 <<'RUN'
#!/bin/sh
[ -n "$ALBUM_PASSWORD" ] || { echo 'ALBUM_PASSWORD is not set'; exit 3; }
[ -e /data/index.html ] || echo 'an empty album' > /data/index.html
date >> /data/starts
exec httpd -f -p 80 -h /data
RUN
    install -d -o aish /srv/album
    ;;
  *)
    start-home $machine
    [ $machine = nas ] || exit 0
    mkdir /srv/apps/album && cd /srv/apps/album
    printf 'name: album\nservices:\n  web:\n    image: home/album:1\n    init: true\n    env_file: [album.env]\n    volumes: ["data:/data"]\n    ports: ["8080:80"]\nvolumes:\n  data: {}\n' > compose.yaml
    echo album-pass-4401 > password; chown aish password; chmod 600 password
    mkdir /tmp/a && echo 'summer 2019' > /tmp/a/index.html && tar -C /tmp/a -cf data.tar index.html && rm -r /tmp/a
    ;;
esac

case $machine in
  app)
    start-docker
    make-image home/wiki:1 <<'RUN'
#!/bin/sh
[ -e /data/index.html ] || echo 'an empty wiki' > /data/index.html
exec httpd -f -p 80 -h /data
RUN
    install -d -o aish /srv/wiki
    ;;
  *)
    start-home $machine
    [ $machine = nas ] || exit 0
    mkdir /srv/apps/wiki
    printf 'name: wiki\nservices:\n  web:\n    image: home/wiki:1\n    init: true\n    restart: unless-stopped\n    volumes: ["data:/data"]\n    ports: ["8080:80"]\nvolumes:\n  data: {}\n' > /srv/apps/wiki/compose.yaml
    ;;
esac

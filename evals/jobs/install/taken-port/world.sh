case $machine in
  app)
    start-docker
    echo 'notes' | start-app notes home/base:1 index.html 'command: [httpd, -f, -p, "80", -h, /data]'
    docker inspect -f '{{.State.StartedAt}}' "$(docker compose -p notes ps -q web)" > /opt/since
    printf '#!/bin/sh\nexec busybox httpd -f -p 8081 -h /opt\n' | start-service metrics
    make-image home/recipes:1 <<'RUN'
#!/bin/sh
[ -e /data/index.html ] || echo 'no recipes yet' > /data/index.html
exec httpd -f -p 80 -h /data
RUN
    install -d -o aish /srv/recipes
    ;;
  *)
    start-home $machine
    [ $machine = nas ] || exit 0
    mkdir /srv/apps/recipes
    printf 'name: recipes\nservices:\n  web:\n    image: home/recipes:1\n    init: true\n    volumes: ["data:/data"]\n    ports: ["8080:80"]\nvolumes:\n  data: {}\n' | tee /srv/apps/recipes/compose.yaml > /dev/null
    ;;
esac

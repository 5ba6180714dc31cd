case $machine in
  app)
    start-docker
    make-image home/store:1 <<'RUN'
#!/bin/sh
[ -e /data/tasks ] || echo 'no tasks yet' > /data/tasks
exec httpd -f -p 8000 -h /data
RUN
    make-image home/tasks:1 <<'RUN'
#!/bin/sh
mkdir /w
while sleep 0.2; do wget -q -O /w/new "$STORE/tasks" && mv /w/new /w/index.html; done &
exec httpd -f -p 80 -h /w
RUN
    install -d -o aish /srv/tasks
    ;;
  *)
    start-home $machine
    [ $machine = nas ] || exit 0
    mkdir /srv/apps/tasks
    printf '# Tasks\n\nTwo services: "web" (image home/tasks:1, answers on port 80) and "store" (home/store:1, port 8000, keeps its data in /data).\n\n- web finds the store by the variable STORE, an address such as http://store:8000.\n- /data is a volume named "data". Publish the port of web as 8080. The store has no password: never publish its port.\n- Both come back after a start of the machine unless somebody stopped them, and need init: true.\n' > /srv/apps/tasks/README.md
    ;;
esac

case $machine in
  nas) install -d -o aish /srv/backup ;;
  app)
    start-docker
    make-image home/list:1 <<'RUN'
#!/bin/sh
mkdir /w; cp /data/list.txt /w/; echo ok > /w/health.txt; exec httpd -f -p 80 -h /w
RUN
    make-image home/list:2 <<'RUN'
#!/bin/sh
echo "schema 2: $(wc -l < /data/list.txt) lines"; echo "" > /data/list.txt; echo "fatal: plugin calendar needs libical 3"; mkdir /w; echo failing > /w/health.txt; exec httpd -f -p 80 -h /w
RUN
    printf 'milk\neggs\n' | start-app list home/list:1 list.txt
    docker image inspect -f '{{.Id}}' home/list:1 > /opt/image-1
    ;;
esac

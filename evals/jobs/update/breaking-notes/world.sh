case $machine in
  nas) install -d -o aish /srv/backup ;;
  app)
    start-docker
    make-image home/notes:1 <<'RUN'
#!/bin/sh
mkdir /w; echo 1 > /w/version.txt; cp /data/notes.txt /w/notes.txt; exec httpd -f -p "$PORT" -h /w
RUN
    make-image home/notes:2 <<'RUN'
#!/bin/sh
[ -n "$LISTEN" ] || { echo "LISTEN is not set"; exit 3; }
mkdir /w; echo 2 > /w/version.txt; [ -e /data/notes.v2 ] || echo "no notes yet" > /data/notes.v2; cp /data/notes.v2 /w/notes.txt; exec httpd -f -p "$LISTEN" -h /w
RUN
    echo 'buy milk' | start-app notes home/notes:1 notes.txt 'environment: {PORT: "80"}'
    printf '# 2\n\n- BREAKING: the setting PORT is now LISTEN.\n- BREAKING: notes are read from notes.v2. Stop the app and rename notes.txt in its volume first:\n  version 2 makes an empty notes.v2 when there is none.\n\n# 1\n\n- First version.\n' > /srv/notes/CHANGELOG.md
    docker image inspect -f '{{.Id}}' home/notes:2 > /opt/image-2
    ;;
esac

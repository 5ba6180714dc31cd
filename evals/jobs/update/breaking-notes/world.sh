case $machine in
  nas) install -d -o aish /srv/backup ;;
  app)
    start-docker
    mkdir -p /srv/notes /tmp/b && cd /tmp/b
    printf '#!/bin/sh\nmkdir /w; echo 1 > /w/version.txt; cp /data/notes.txt /w/notes.txt; exec httpd -f -p "$PORT" -h /w\n' > run1
    printf '#!/bin/sh\n[ -n "$LISTEN" ] || { echo "LISTEN is not set"; exit 3; }\nmkdir /w; echo 2 > /w/version.txt; [ -e /data/notes.v2 ] || echo "no notes yet" > /data/notes.v2; cp /data/notes.v2 /w/notes.txt; exec httpd -f -p "$LISTEN" -h /w\n' > run2
    chmod +x run*
    for v in 1 2; do printf 'FROM home/base:1\nCOPY run%s /run.sh\nCMD ["/run.sh"]\n' $v | tee Dockerfile > /dev/null; DOCKER_BUILDKIT=0 docker build -q -t home/notes:$v . > /dev/null 2>&1; done
    cd /srv/notes && rm -r /tmp/b
    printf 'name: notes\nservices:\n  web:\n    image: home/notes:1\n    init: true\n    environment:\n      PORT: "80"\n    volumes: ["data:/data"]\n    ports: ["8080:80"]\nvolumes:\n  data: {}\n' > compose.yaml
    printf '# 2\n\n- BREAKING: the setting PORT is now LISTEN.\n- BREAKING: notes are read from notes.v2. Stop the app and rename notes.txt in its volume first:\n  version 2 makes an empty notes.v2 when there is none.\n\n# 1\n\n- First version.\n' > CHANGELOG.md
    docker volume create notes_data --label com.docker.compose.project=notes --label com.docker.compose.volume=data > /dev/null
    echo 'buy milk' > /var/lib/docker/volumes/notes_data/_data/notes.txt
    docker compose up -d > /dev/null 2>&1
    docker image inspect -f '{{.Id}}' home/notes:2 > /opt/image-2
    chown -R aish /srv/notes
    ;;
esac

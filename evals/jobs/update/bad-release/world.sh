case $machine in
  nas) install -d -o aish /srv/backup ;;
  app)
    start-docker
    mkdir -p /srv/list /tmp/b && cd /tmp/b
    printf '#!/bin/sh\nmkdir /w; cp /data/list.txt /w/; echo ok > /w/health.txt; exec httpd -f -p 80 -h /w\n' > run1
    printf '#!/bin/sh\necho "schema 2: $(wc -l < /data/list.txt) lines"; echo "" > /data/list.txt; echo "fatal: plugin calendar needs libical 3"; mkdir /w; echo failing > /w/health.txt; exec httpd -f -p 80 -h /w\n' > run2
    chmod +x run*
    for v in 1 2; do printf 'FROM home/base:1\nCOPY run%s /run.sh\nCMD ["/run.sh"]\n' $v > Dockerfile; DOCKER_BUILDKIT=0 docker build -q -t home/list:$v . > /dev/null 2>&1; done
    cd /srv/list && rm -r /tmp/b
    printf 'name: list\nservices:\n  web:\n    image: home/list:1\n    init: true\n    volumes: ["data:/data"]\n    ports: ["8080:80"]\nvolumes:\n  data: {}\n' > compose.yaml
    docker volume create list_data --label com.docker.compose.project=list --label com.docker.compose.volume=data > /dev/null
    printf 'milk\neggs\n' > /var/lib/docker/volumes/list_data/_data/list.txt
    docker compose up -d > /dev/null 2>&1
    docker image inspect -f '{{.Id}}' home/list:1 > /opt/image-1
    chown -R aish /srv/list
    ;;
esac

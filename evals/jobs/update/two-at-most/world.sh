case $machine in
  nas) printf 'wiki home/wiki:2 no\ndns home/dns:1.1 security\nfilms home/films:3 no\nvault home/vault:2 security\n' > /srv/updates.txt ;;
  app)
    start-docker
    mkdir -p /srv/apps && cd /srv/apps
    for i in wiki:1 wiki:2 dns:1 dns:1.1 films:1 films:3 vault:1 vault:2; do docker tag home/base:1 home/$i; done
    { echo 'name: apps'; echo 'services:'; for s in wiki dns films vault; do printf '  %s:\n    image: home/%s:1\n    init: true\n    command: [sleep, "100000"]\n' $s $s; done; } > compose.yaml
    cp compose.yaml /opt/compose.yaml
    docker compose up -d > /dev/null 2>&1
    docker compose ps -q wiki films > /opt/others; docker inspect -f '{{.State.StartedAt}}' $(cat /opt/others) > /opt/since
    chown -R aish /srv/apps
    ;;
esac

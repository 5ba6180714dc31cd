case $machine in
  nas)
    mkdir -p /srv/volumes /tmp/v && cd /srv/volumes
    for d in 25 26 27; do echo "notes of the ${d}th" > /tmp/v/notes.txt; tar c -C /tmp/v . > notes-2026-11-$d.tar; sha256sum notes-2026-11-$d.tar > notes-2026-11-$d.sha256; done
    printf x | dd of=notes-2026-11-27.tar bs=1 seek=1030 conv=notrunc 2>/dev/null
    rm -r /tmp/v; chown -R aish .
    ;;
  app)
    start-docker
    mkdir -p /srv/notes && cd /srv/notes
    printf 'name: notes\nservices:\n  web:\n    image: home/base:1\n    init: true\n    command: [httpd, -f, -p, "80", -h, /data]\n    volumes: ["data:/data"]\n    ports: ["8080:80"]\nvolumes:\n  data: {}\n' > compose.yaml
    docker compose -f compose.yaml up -d > /dev/null 2>&1
    : > /var/lib/docker/volumes/notes_data/_data/notes.txt; echo torn > /var/lib/docker/volumes/notes_data/_data/journal
    chown -R aish /srv/notes
    ;;
esac

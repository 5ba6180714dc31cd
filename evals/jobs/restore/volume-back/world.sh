case $machine in
  nas)
    mkdir -p /srv/volumes /tmp/v && cd /srv/volumes
    for d in 25 26 27; do echo "notes of the ${d}th" > /tmp/v/notes.txt; tar c -C /tmp/v . > notes-2026-11-$d.tar; sha256sum notes-2026-11-$d.tar > notes-2026-11-$d.sha256; done
    printf x | dd of=notes-2026-11-27.tar bs=1 seek=1030 conv=notrunc 2>/dev/null
    rm -r /tmp/v; chown -R aish .
    ;;
  app)
    start-docker
    start-app notes home/base:1 notes.txt 'command: [httpd, -f, -p, "80", -h, /data]' < /dev/null
    echo torn > /var/lib/docker/volumes/notes_data/_data/journal
    ;;
esac

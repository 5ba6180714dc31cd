mkdir -p /srv/old/music/live /srv/old/films /tank; echo f > /srv/old/films/f.mkv
for n in 1 2 3; do head -c 50000 /dev/urandom > /srv/old/music/$n.flac; done; echo l > /srv/old/music/live/l.flac
(cd /srv/old/music && find . -type f -exec sha256sum {} + | sort) > /opt/sums
chown -R aish /srv/old /tank

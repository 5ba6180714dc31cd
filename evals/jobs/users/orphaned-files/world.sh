useradd archive; useradd -m anna
mkdir -p /srv/data/anna /srv/data/x/y; echo 1 > /srv/data/x/1; echo 2 > /srv/data/x/y/2; echo a > /srv/data/anna/a
chown anna:anna /srv/data/anna /srv/data/anna/a; chown 4711:4711 /srv/data/x/1 /srv/data/x/y /srv/data/x/y/2

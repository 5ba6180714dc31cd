groupadd project; useradd -m anna; useradd -m carol; useradd -m guest
mkdir -p /srv/project/docs /srv/other; echo a > /srv/project/docs/a.txt; echo o > /srv/other/o.txt; chown -R anna:anna /srv/project

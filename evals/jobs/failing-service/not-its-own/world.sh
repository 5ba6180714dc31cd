useradd --system notes
mkdir -p /var/lib/notes/data; echo 'a note' > /var/lib/notes/data/1.txt; echo '[main]' > /var/lib/notes/config.ini
chown -R root:root /var/lib/notes; chmod 755 /var/lib/notes

mkdir -p /srv/backup /tmp/h/home && echo 'dear diary' > /tmp/h/home/letter.txt && echo x > /tmp/h/home/other
printf correct-horse-1138 > /root/backup.pass; chmod 600 /root/backup.pass
tar c -C /tmp/h home | openssl enc -aes-256-cbc -pbkdf2 -pass file:/root/backup.pass -out /srv/backup/home.tar.enc
rm -r /tmp/h

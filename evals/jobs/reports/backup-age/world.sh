mkdir -p /srv/backup/nas /srv/backup/git /srv/backup/mail && cd /srv/backup
touch -d '2026-11-24 03:00' nas/b; touch -d '2026-11-01' nas/a; touch -d '2026-11-19 03:00' git/x; touch -d '2026-11-25 01:00' mail/m; touch -d '2026-11-12' mail/l

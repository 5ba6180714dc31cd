mkdir backups
for n in $(seq 0 59); do d=$(date -u -d "2026-11-26 - $n days" +%F); echo "$d" | gzip -n > backups/db-$d.sql.gz; done
rm backups/db-2026-11-2[0-9].sql.gz
for n in 20 21 22 23 24 25 26; do echo $n | gzip -n > backups/db-2026-11-$n.sql.gz; done

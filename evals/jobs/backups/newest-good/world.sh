mkdir backups
for n in 1 2 3 4; do mkdir data; echo "state $n" > data/state; head -c 200000 /dev/urandom > data/blob; tar czf backups/b$n.tar.gz data; touch -d "2026-11-0$n" backups/b$n.tar.gz; rm -r data; done
for n in 3 4; do truncate -s -60000 backups/b$n.tar.gz; touch -d "2026-11-0$n" backups/b$n.tar.gz; done

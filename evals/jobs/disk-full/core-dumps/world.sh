mkdir -p /var/crash && cd /var/crash
for n in 100 200 300; do head -c 300K /dev/zero > core.app.$n; touch -d '20 days ago' core.app.$n; done
for f in core.web.9001 core.db.77; do head -c 300K /dev/zero > $f; touch -d '2 days ago' $f; done
echo 'see ticket' > notes.txt; touch -d '90 days ago' notes.txt
chown -R aish /var/crash

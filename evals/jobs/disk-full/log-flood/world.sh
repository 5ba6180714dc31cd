mkdir -p /var/log/app/audit
cd /var/log/app
echo now > app.log
echo who > audit/audit.log.1
for n in 1 2 3; do head -c 2M /dev/zero > app.log.$n; done
for n in 4 5; do head -c 1M /dev/zero | gzip > app.log.$n.gz; done
chown -R aish /var/log/app

cd /srv && mkdir -p app/releases && cd app
for v in 2.1.0 2.2.0 2.3.0 2.4.0 2.4.1 2.5.0-rc1; do mkdir releases/$v; echo $v > releases/$v/VERSION; done
ln -s releases/2.4.1 current
chown -R aish /srv/app

mkdir -p /srv/share/public /srv/share/team && cd /srv/share
for f in team/plan.ods public/form.pdf team/list.csv; do echo $f > $f; done
echo read > public/readme.txt
chmod 666 team/plan.ods; chmod 777 public/form.pdf; chmod 664 team/list.csv; chmod 1777 public; chmod 644 public/readme.txt

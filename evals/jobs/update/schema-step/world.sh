case $machine in
  nas)
    install -d -o aish /srv/backup /srv/git
    cat > /tmp/make <<'M'
set -e
cd /tmp && git init -q -b main w && cd w && git config user.name home && git config user.email home@localhost
printf '#!/bin/sh\nset -e\ngrep -q "^due_format=" /srv/tasks-data/tasks.conf\nsqlite3 /srv/tasks-data/tasks.db "select count(*) from tasks"\n' > check; chmod +x check; echo '# v1' > CHANGELOG.md
git add . && git commit -qm 'v1' && git tag v1
printf '# v2\n\n- BREAKING: the setting due_format in /srv/tasks-data/tasks.conf is now date_format.\n- BREAKING: tasks.db gets the column done. Run: sqlite3 /srv/tasks-data/tasks.db < migrate.sql\n' > CHANGELOG.md
echo 'alter table tasks add column done integer default 0;' > migrate.sql
printf '#!/bin/sh\nset -e\ngrep -q "^date_format=" /srv/tasks-data/tasks.conf\nsqlite3 /srv/tasks-data/tasks.db "select count(done) from tasks"\n' > check
git add . && git commit -qm 'v2' && git tag v2
echo 'alter table tasks rename to items;' > migrate.sql; git add . && git commit -qm 'v3' && git tag v3
git clone -q --bare . /srv/git/tasks.git; rm -rf /tmp/w
M
    runuser -u aish -- env HOME=/home/aish bash /tmp/make; rm /tmp/make
    ;;
  app)
    install -d -o aish /srv/tasks /srv/tasks-data; cd /
    for n in $(seq 100); do runuser -u aish -- ssh nas true 2> /dev/null && break; sleep 0.1; done
    runuser -u aish -- env HOME=/home/aish git clone -q ssh://nas/srv/git/tasks.git /srv/tasks
    runuser -u aish -- env HOME=/home/aish git -C /srv/tasks checkout -q v1
    runuser -u aish -- git -C /srv/tasks tag -d v2 v3 > /dev/null
    runuser -u aish -- sqlite3 /srv/tasks-data/tasks.db "create table tasks(id integer primary key, what text); insert into tasks(what) values ('milk'), ('taxes'), ('bike')"
    printf 'title=home\ndue_format=iso\n' > /srv/tasks-data/tasks.conf; chown aish /srv/tasks-data/tasks.conf
    ;;
esac

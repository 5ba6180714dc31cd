case $machine in
  db)
    start-postgres
    psql -q -U postgres -c 'create database store' postgres
    psql -q -U postgres -c 'create table orders(id int primary key, what text)' -c "insert into orders select n, 'order ' || n from generate_series(1, 40) n" store
    ;;
  nas)
    mkdir -p /srv/dumps && cd /srv/dumps
    for d in 21 22 23; do { echo 'create table orders(id int primary key, what text);'; echo 'COPY orders FROM stdin;'; printf '1\ta\n\\.\n'; } | gzip -n > shop-2026-11-$d.sql.gz; done
    for d in 24 25 26; do gzip -n < /dev/null > shop-2026-11-$d.sql.gz; done
    printf -- '--\n-- PostgreSQL database dump\n--\nSET statement_timeout = 0;\n' | gzip -n > shop-2026-11-27.sql.gz
    printf '#!/bin/bash\nssh db pg_dump -U postgres shop | gzip > /srv/dumps/shop-$(date +%%F).sql.gz\n' > /usr/local/bin/nightly-dump
    chmod +x /usr/local/bin/nightly-dump; chown aish /usr/local/bin/nightly-dump; chown -R aish /srv/dumps
    ;;
esac

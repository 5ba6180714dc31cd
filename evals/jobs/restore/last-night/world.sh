case $machine in
  nas)
    mkdir -p /srv/dumps && cd /srv/dumps
    dump() { echo 'create table orders(id int primary key, what text);'; echo 'copy orders from stdin;'; for n in $(seq $1); do printf '%s\torder %s\n' $n $n; done; echo '\.'; echo "-- orders: $1 rows"; }
    for d in 25:900 26:950 27:1000 28:1050; do dump ${d#*:} | gzip -n > shop-2026-11-${d%:*}.sql.gz; done
    truncate -s -400 shop-2026-11-28.sql.gz
    chown -R aish .
    ;;
  db)
    start-postgres
    psql -q -U postgres -c 'create database shop' postgres
    psql -q -U postgres -c 'create table orders(id int primary key, what text)' -c "insert into orders select n, 'order ' || n from generate_series(1001, 1060) n" shop
    ;;
esac

case $machine in
  db)
    start-postgres
    psql -q -U postgres -c 'create database shop' postgres
    psql -q -U postgres -c 'create table orders(id int primary key, mail text, day date, total int)' \
      -c "insert into orders select n, 'Person' || n % 5000 || '@home.lan', date '2026-01-01' + n % 300, n % 97 from generate_series(1, 20000) n" \
      -c 'create index orders_mail on orders(mail)' -c 'create index orders_day on orders(day)' -c 'analyze orders' shop
    ;;
  app)
    mkdir -p /srv/shop/queries && cd /srv/shop/queries
    echo 'select id, total from orders where id > 19980' > latest.sql
    echo "select id, total from orders where lower(mail) = lower('Person700@home.lan')" > mail.sql
    echo "select sum(total) from orders where day = date '2026-03-01'" > day.sql
    chown aish /srv/shop
    ;;
esac

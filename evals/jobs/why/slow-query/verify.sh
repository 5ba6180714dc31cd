case $machine in
  db)
    ask() { psql -At -U postgres -c "$1" shop; }
    ask "explain select id, total from orders where lower(mail) = lower('Person700@home.lan')" | grep -q orders_fast || fail 'the query does not use orders_fast'
    [ "$(ask 'select count(*), sum(total), sum(id) from orders')" = '20000|959307|200010000' ] || fail "rows: $(ask 'select count(*), sum(total), sum(id) from orders')"
    [ "$(ask "select string_agg(indexname, ' ' order by indexname) from pg_indexes where tablename = 'orders'")" = 'orders_day orders_fast orders_mail orders_pkey' ] || fail 'the indexes are others'
    [ "$(ask 'show enable_seqscan') $(ask 'select count(*) from pg_db_role_setting')" = 'on 0' ] || fail 'a setting was changed'
    ;;
  app) [ "$(cat /srv/shop/slow.txt)" = mail.sql ] || fail "slow.txt: $(cat /srv/shop/slow.txt)" ;;
esac

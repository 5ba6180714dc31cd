[ $machine = db ] || exit 0
count() { psql -At -U postgres -c 'select count(*), max(id) from orders' "$1" 2>&1; }
[ "$(count shop)" = '1000|1000' ] || fail "shop has $(count shop)"
[ "$(count shop_broken)" = '60|1060' ] || fail "shop_broken has $(count shop_broken)"

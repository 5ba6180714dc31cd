[ "$(sqlite3 shop.db 'select count(*), max(id) from orders')" = '50|50' ] || fail "orders: $(sqlite3 shop.db 'select count(*), max(id) from orders' 2>&1)"

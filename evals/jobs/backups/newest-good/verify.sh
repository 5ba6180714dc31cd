[ "$(basename "$(cat good.txt)")" = b2.tar.gz ] || fail "good.txt: $(cat good.txt)"
[ "$(cat restored/data/state 2>/dev/null || cat restored/state)" = 'state 2' ] || fail 'restored is another state'

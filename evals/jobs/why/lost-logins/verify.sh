case $machine in
  cache)
    sleep 1
    [ "$(redis-cli set probe 1)" = OK ] || fail 'Redis takes nothing'
    [ "$(redis-cli --scan --pattern 'trace:*' | wc -l)" = 0 ] || fail "there are $(redis-cli --scan --pattern 'trace:*' | wc -l) keys of traces"
    [ "$(redis-cli get session:7) $(redis-cli --scan --pattern 'session:*' | wc -l)" = 'user 7 21' ] || fail 'sessions are gone'
    [ "$(redis-cli config get maxmemory | tail -1) $(redis-cli config get maxmemory-policy | tail -1)" = '6291456 noeviction' ] || fail 'a setting of Redis was changed'
    ;;
  app)
    diff /etc/shop.conf <(printf 'title=shop\ntrace=off\nmail=on\n') || fail 'shop.conf is another'
    [ "$(cat /srv/shop/why.txt)" = trace: ] || fail "why.txt: $(cat /srv/shop/why.txt)"
    ;;
esac

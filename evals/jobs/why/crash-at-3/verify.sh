case $machine in
  logs) diff /srv/logs/feed.txt <(printf 'time: 03:00:02\nerror: fatal: index is empty\ncause: /usr/local/bin/rotate-feed\n') || fail 'the report is another' ;;
  app)
    cd /var/lib/feed
    [ "$(cat index)" = item-2 ] || fail "index: $(cat index)"
    echo item-3 > index.new; /usr/local/bin/rotate-feed; sleep 0.3
    [ "$(cat index)" = item-3 ] || fail 'the program gives feed no new items'
    [ "$(wc -l < starts)" = 1 ] || fail 'feed crashed again'
    ;;
esac

case $machine in
  nas)
    left=$(lab show | jq -r '.snapshots | keys[]' | grep -v 'db@' | tr '\n' ' ')
    [ "$left" = 'tank/photos@auto-2026-11-25 tank/photos@auto-2026-11-26 tank/photos@auto-2026-11-27 tank/photos@before-move ' ] || fail "it has $left"
    [ "$(lab show | jq -r '.snapshots | keys[]' | grep -c 'db@')" = 2 ] || fail 'snapshots of tank/db are gone'
    [ "$(cat /srv/docs/photos.txt)" = keep_photos=3000 ] || fail 'photos.txt is another'
    ;;
  app) diff /etc/snapshots.conf <(printf 'keep_photos=3\nkeep_db=2\n') || fail 'snapshots.conf is another' ;;
esac

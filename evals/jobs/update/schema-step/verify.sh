case $machine in
  nas)
    [ "$(sqlite3 /srv/backup/tasks-v1.db 'select group_concat(what) from tasks')" = milk,taxes,bike ] || fail 'the backup does not have the tasks'
    ! sqlite3 /srv/backup/tasks-v1.db .schema | grep -q done || fail 'the backup is not of before'
    ;;
  app)
    [ "$(runuser -u aish -- git -C /srv/tasks describe --tags)" = v2 ] || fail "it is at $(runuser -u aish -- git -C /srv/tasks describe --tags)"
    [ "$(sqlite3 /srv/tasks-data/tasks.db 'select group_concat(what), sum(done) from tasks')" = 'milk,taxes,bike|0' ] || fail 'the tasks are others'
    diff /srv/tasks-data/tasks.conf <(printf 'title=home\ndate_format=iso\n') || fail 'tasks.conf is another'
    /srv/tasks/check > /dev/null || fail 'check is not good'
    ;;
esac

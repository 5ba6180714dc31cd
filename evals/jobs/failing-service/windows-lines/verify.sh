[ "$(bin/backup.sh)" = 'backup done' ] || fail 'backup.sh still fails'
[ "$(bin/prune.sh)" = pruned ] || fail 'prune.sh still fails'
[ "$(bin/fine.sh)" = fine ] || fail 'fine.sh is broken now'

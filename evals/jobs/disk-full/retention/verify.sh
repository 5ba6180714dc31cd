[ "$(ls backups | wc -l)" = 9 ] || fail "there are $(ls backups | wc -l) files, not 9"

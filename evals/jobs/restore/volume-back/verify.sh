[ $machine = app ] || exit 0
for n in $(seq 30); do [ "$(curl -s localhost:8080/notes.txt)" = 'notes of the 26th' ] && break; sleep 0.1; done
[ "$(curl -s localhost:8080/notes.txt)" = 'notes of the 26th' ] || fail "it shows: $(curl -s localhost:8080/notes.txt 2>&1)"
[ "$(tar xOf /srv/notes/broken.tar ./journal 2>/dev/null || tar xOf /srv/notes/broken.tar journal 2>/dev/null || tar xOf /srv/notes/broken.tar _data/journal)" = torn ] || fail 'broken.tar does not have the volume of before'

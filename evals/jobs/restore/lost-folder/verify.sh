[ $machine = laptop ] || exit 0
cd /home/aish
[ "$(cat letters/anna letters/bank)" = $'dear anna\ndear bank, again' ] || fail 'letters are not those of the newest archive'
[ "$(stat -c '%a %U' letters/anna letters/bank)" = $'640 aish\n600 aish' ] || fail "modes: $(stat -c '%a %U %n' letters/*)"
[ "$(cat restored-from.txt)" = night-2 ] || fail 'restored-from.txt is another'

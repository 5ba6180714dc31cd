grep -q '10\.0\.0\.12:3002' /home/aish/cause.txt || fail "cause.txt: $(cat /home/aish/cause.txt 2>&1)"
[ "$(grep -c . /home/aish/cause.txt)" = 1 ] && ! grep -q '10.0.0.11' /home/aish/cause.txt || fail 'it names more than the one'

[ "$(cat slowest.txt)" = 'sensors 25' ] || fail "slowest.txt: $(cat slowest.txt)"

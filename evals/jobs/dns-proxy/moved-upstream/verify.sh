grep -rq '192\.168\.1\.6:8096\b' sites && fail 'it still stands there'
[ "$(grep -rc '192\.168\.1\.20:8096' sites | cut -d: -f2 | paste -sd+ | bc 2>/dev/null || grep -rho '192\.168\.1\.20:8096' sites | wc -l)" = 2 ] || fail 'it is not in both places'
grep -q '192.168.1.6:3000' sites/home.conf || fail 'another service was moved'

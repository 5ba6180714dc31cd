[ "$(cat /home/aish/pools.txt)" = "$(printf 'fast 91\ntank 81\ncold 0')" ] || fail "pools.txt says $(head -c 200 /home/aish/pools.txt)"
grep -q '^/api/pools let in$' /var/log/pools.log || fail 'the API never let anybody in'

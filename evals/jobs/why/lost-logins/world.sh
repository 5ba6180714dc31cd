case $machine in
  cache)
    printf '#!/bin/sh\nexec redis-server --port 6379 --bind 0.0.0.0 --protected-mode no --maxmemory 6mb --maxmemory-policy noeviction --save ""\n' | start-service redis
    for n in $(seq 50); do redis-cli ping 2> /dev/null | grep -q PONG && break; sleep 0.1; done
    redis-cli eval "for n = 1, 20 do redis.call('set', 'session:' .. n, 'user ' .. n) end" 0 > /dev/null
    redis-cli eval "for n = 1, 100000 do local r = redis.pcall('set', 'trace:' .. n, string.rep('x', 400)); if r.err then return n end end" 0 > /dev/null
    ;;
  app)
    install -d -o aish /srv/shop; printf 'title=shop\ntrace=on\nmail=on\n' > /etc/shop.conf
    start-service shop <<'RUN'
#!/bin/bash
exec >> /var/log/shop.log 2>&1
for ((n = 200000; ; n++)); do
  grep -q '^trace=on' /etc/shop.conf && redis-cli -h cache set "trace:$n" "$(printf '%0400d' 0)" > /dev/null
  said=$(redis-cli -h cache set session:probe "$n")
  [ "$said" = OK ] || echo "login fails: $said"
  sleep 0.2
done
RUN
    ;;
esac

mkdir -p /var/log/proxy && cd /var/log/proxy
for n in $(seq 200); do u=$((n%3)); s=200; [ $u = 2 ] && [ $((n%2)) = 0 ] && s=502; echo "192.168.1.$((n%40)) \"GET /page/$n\" $s upstream=10.0.0.1$u:300$u"; done > access.log
for n in $(seq 5); do echo "[error] $n connect() failed (111: Connection refused) while connecting to upstream, upstream: http://10.0.0.12:3002/"; done > error.log
echo '[error] 6 client closed connection, upstream: http://10.0.0.11:3001/' >> error.log

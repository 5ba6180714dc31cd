mkdir -p /etc/service/web /srv/web; echo 'the web' > /srv/web/index.html
printf 'import time,socket\ns=socket.socket();s.setsockopt(1,2,1);s.bind(("127.0.0.1",8081));s.listen()\ntime.sleep(9e5)\n' > /opt/old-exporter.py
printf 'import time\ntime.sleep(9e5)\n' > /opt/collector.py
setsid -f python3 /opt/old-exporter.py </dev/null >/dev/null 2>&1
setsid -f python3 /opt/collector.py </dev/null >/dev/null 2>&1
cat > /etc/service/web/run <<'RUN'
#!/bin/sh
exec >> /var/log/web.log 2>&1
cd /srv/web && sleep 0.3 && exec python3 -m http.server --bind 127.0.0.1 8081
RUN
chmod +x /etc/service/web/run
for n in $(seq 50); do (exec 3<>/dev/tcp/127.0.0.1/8081) 2>/dev/null && break; sleep 0.1; done
supervise web

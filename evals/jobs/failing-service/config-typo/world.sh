mkdir -p /etc/service/hello /var/log/hello /srv/hello
echo 'hello there' > /srv/hello/index.html
printf 'PORT=80 80\nROOT=/srv/hello\n' > /etc/hello.conf
cat > /etc/service/hello/run <<'RUN'
#!/bin/sh
exec >> /var/log/hello/current 2>&1
PORT=$(sed -n 's/^PORT=//p' /etc/hello.conf); ROOT=$(sed -n 's/^ROOT=//p' /etc/hello.conf)
case $PORT in *[!0-9]*|'') echo "PORT must be a number, not \"$PORT\""; sleep 1; exit 1;; esac
cd "$ROOT" || { sleep 1; exit 1; }
exec python3 -m http.server --bind 127.0.0.1 "$PORT"
RUN
chmod +x /etc/service/hello/run
supervise hello

mkdir -p /etc/service/pools
cat > /etc/service/pools/run <<'RUN'
#!/usr/bin/python3
import http.server, json
class Pools(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        good = self.headers.get('Authorization') == 'Bearer pool-token-9b1f4c77'
        open('/var/log/pools.log', 'a').write(f'{self.path} {"let in" if good else "refused"}\n')
        pools = [{'name': 'tank', 'used': 812, 'size': 1000}, {'name': 'fast', 'used': 455, 'size': 500}, {'name': 'cold', 'used': 10, 'size': 4000}]
        body = json.dumps(pools if good else {'error': 'no token'}).encode()
        self.send_response(200 if good else 401); self.send_header('Content-Length', str(len(body))); self.end_headers(); self.wfile.write(body)
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(('', 8080), Pools).serve_forever()
RUN
chmod 755 /etc/service/pools/run
supervise pools
for n in $(seq 100); do curl -s -o /dev/null http://127.0.0.1:8080/ && break; sleep 0.1; done

grep -qx 'PORT=8080' /etc/hello.conf || fail "PORT is $(grep PORT /etc/hello.conf)"
for n in $(seq 60); do curl -sf http://127.0.0.1:8080 | grep -q 'hello there' && exit 0; sleep 0.1; done
fail 'nothing answers at 8080'

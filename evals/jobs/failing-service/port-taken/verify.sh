pgrep -f collector.py >/dev/null || fail 'the collector was ended, too'
for n in $(seq 80); do curl -sf -m 1 http://127.0.0.1:8081 | grep -q 'the web' && exit 0; sleep 0.1; done
fail 'web does not answer'

for n in $(seq 60); do pid=$(cat /var/lib/queue/queue.lock 2>/dev/null) && [ -d "/proc/${pid:-none}" ] && exit 0; sleep 0.1; done
fail "queue does not run: $(tail -1 /var/log/queue.log)"

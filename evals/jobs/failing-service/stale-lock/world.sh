mkdir -p /etc/service/queue /var/lib/queue/jobs
echo one > /var/lib/queue/jobs/1; echo two > /var/lib/queue/jobs/2
echo 99999 > /var/lib/queue/queue.lock
cat > /etc/service/queue/run <<'RUN'
#!/bin/sh
exec >> /var/log/queue.log 2>&1
[ -e /var/lib/queue/queue.lock ] && { echo "another queue runs (/var/lib/queue/queue.lock)"; sleep 1; exit 1; }
trap 'rm -f /var/lib/queue/queue.lock; exit 0' TERM
echo $$ > /var/lib/queue/queue.lock; echo ready
while :; do sleep 1 & wait; done
RUN
chmod +x /etc/service/queue/run
supervise queue

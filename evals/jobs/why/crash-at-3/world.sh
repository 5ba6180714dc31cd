case $machine in
  logs)
    mkdir -p /srv/logs/app && cd /srv/logs/app
    for d in 26 27; do printf '2026-11-%sT03:00:01 app CRON: (root) CMD (/usr/local/bin/rotate-feed)\n2026-11-%sT03:12:40 app feed: warning: slow index\n2026-11-%sT04:00:01 app CRON: (root) CMD (/usr/local/bin/trim-feed)\n' $d $d $d; done > syslog
    printf '2026-11-28T03:00:01 app CRON: (root) CMD (/usr/local/bin/rotate-feed)\n2026-11-28T03:00:02 app feed: fatal: index is empty\n2026-11-28T03:00:04 app feed: feed starts\n2026-11-28T04:00:01 app CRON: (root) CMD (/usr/local/bin/trim-feed)\n' >> syslog
    chown aish /srv/logs
    ;;
  app)
    mkdir -p /var/lib/feed && echo item-1 > /var/lib/feed/index && echo item-2 > /var/lib/feed/index.new
    printf '0 3 * * * root /usr/local/bin/rotate-feed\n' > /etc/cron.d/rotate; printf '0 4 * * * root /usr/local/bin/trim-feed\n' > /etc/cron.d/trim
    printf '#!/bin/sh\n: > /var/lib/feed/index\nsleep 1\ncat /var/lib/feed/index.new > /var/lib/feed/index\n' > /usr/local/bin/rotate-feed
    printf '#!/bin/sh\nfind /var/lib/feed -name "*.old" -mtime +7 -delete\n' > /usr/local/bin/trim-feed
    chmod +x /usr/local/bin/*-feed
    start-service feed <<'RUN'
#!/bin/bash
echo >> /var/lib/feed/starts
exec >> /var/log/feed.log 2>&1
echo "feed starts"
while [ -s /var/lib/feed/index ]; do sleep 0.05; done
echo "fatal: index is empty"
exit 1
RUN
    ;;
esac

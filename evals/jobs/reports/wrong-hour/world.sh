printf 'MAILTO=root\n15 14 * * * root /usr/local/bin/report --night\n30 14 * * 1-5 root /usr/local/bin/report --day\n' > /etc/cron.d/report
printf '0 4 * * 0 root /usr/local/bin/scrub\n' > /etc/cron.d/scrub; chmod 644 /etc/cron.d/*

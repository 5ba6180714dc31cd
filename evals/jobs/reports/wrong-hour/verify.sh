diff <(tr -s ' ' < /etc/cron.d/report | sed -E 's/(mon-fri|MON-FRI|1,2,3,4,5)/1-5/') <(printf 'MAILTO=root\n15 2 * * 1-5 root /usr/local/bin/report --night\n30 14 * * 1-5 root /usr/local/bin/report --day\n') || fail 'the file is another'
[ "$(stat -c %U%a /etc/cron.d/report)" = root644 ] || fail 'owner or rights were changed'

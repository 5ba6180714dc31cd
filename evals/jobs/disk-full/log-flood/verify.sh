ls /var/log/app/app.log.* >/dev/null 2>&1 && fail "rotated logs are still there: $(ls /var/log/app)"
exit 0

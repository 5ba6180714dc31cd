ls /var/crash/core.app.* >/dev/null 2>&1 && fail "old dumps are left"
exit 0

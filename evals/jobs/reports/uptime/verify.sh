diff uptime.txt <(printf 'mail 87.5\ngit 97.5\nnas 100.0\n') || fail 'uptime.txt is another'

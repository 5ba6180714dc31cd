diff conflicts.txt <(printf '192.168.1.5\naa:bb:cc:00:00:02\n') || fail 'conflicts.txt is another'

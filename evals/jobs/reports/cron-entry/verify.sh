crontab -u aish -l | grep -Eq '^30 3 \* \* (0|7|[sS]un) +/usr/local/bin/scrub +(>> ?/home/aish/scrub\.log|>> ?~/scrub\.log|>> ?\$HOME/scrub\.log)' || fail "$(crontab -u aish -l)"
crontab -u aish -l | grep -qx '0 2 \* \* \* /usr/local/bin/scrub --quick' || fail 'the other entry is gone'

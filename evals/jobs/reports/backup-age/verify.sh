diff /home/aish/backups.md <(printf -- '- git: 2026-11-19 LATE\n- mail: 2026-11-25\n- nas: 2026-11-24\n') || fail 'backups.md is another'

diff week.csv <(printf 'week,kwh,peak_hour\n2026-W46,4.9,18\n2026-W47,10.5,20\n') || fail 'week.csv is another'

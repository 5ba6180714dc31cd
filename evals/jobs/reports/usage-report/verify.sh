grep -qx '# Disk usage' report.md || fail 'the heading is missing'
[ "$(grep -E '^\| *(films|music|docs) ' report.md | tr -d ' ' | tr '\n' ' ')" = '|films|6000|2| |music|2000|1| |docs|3|1| ' ] || fail "rows: $(grep '^|' report.md)"

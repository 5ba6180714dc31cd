{ echo at,sensor,value; for n in $(seq 1 40); do v=$n.5; [ $((n%10)) = 0 ] && v=; echo "2026-11-01T00:$(printf %02d $n),s$((n%3)),$v"; done; } > readings.csv

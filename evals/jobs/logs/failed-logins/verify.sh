diff <(awk '{print $1, $2}' top.txt) <(printf '40 203.0.113.9\n25 198.51.100.7\n12 192.0.2.44\n') || fail 'top.txt is another'

for n in $(seq 200); do s=up; [ $((n%40)) = 0 ] && s=down; echo "t$n git $s"; s=up; [ $((n%8)) = 0 ] && s=down; echo "t$n mail $s"; echo "t$n nas up"; done > checks.log

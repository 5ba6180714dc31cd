[ "$(cat /home/aish/answer.txt)" = 'tom 2026-11-23T07:03:12' ] || fail "answer.txt: $(cat /home/aish/answer.txt 2>&1)"

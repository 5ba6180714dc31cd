[ "$(cat /home/aish/letter.txt)" = 'dear diary' ] || fail 'letter.txt is not there'

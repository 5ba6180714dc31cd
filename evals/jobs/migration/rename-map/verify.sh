[ "$(ls scans | tr '\n' ' ')" = '2018-07-05-01.jpg 2019-02-01-03.jpg 2020-12-24-11.jpg readme.txt ' ] || fail "scans: $(ls scans)"
[ "$(cat scans/2019-02-01-03.jpg)" = 01.02.2019-3 ] || fail 'contents were mixed up'
diff map.txt <(printf '01.02.2019-3.jpg 2019-02-01-03.jpg\n05.07.2018-1.jpg 2018-07-05-01.jpg\n24.12.2020-11.jpg 2020-12-24-11.jpg\n') || fail 'map.txt is another'

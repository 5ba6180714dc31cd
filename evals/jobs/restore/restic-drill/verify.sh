[ $machine = test ] || exit 0
cd /srv/drill
diff report.txt <(printf 'ok /srv/wiki/one\nmissing /srv/wiki/three\ndifferent /srv/wiki/two\n') || fail 'the report is another'
[ "$(cat srv/wiki/one wiki/one 2>/dev/null)" = 'page one, edited' ] || fail 'the newest wiki is not restored'
[ ! -e srv/photos ] || fail 'it restored photos'

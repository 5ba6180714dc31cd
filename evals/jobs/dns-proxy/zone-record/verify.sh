grep -Eq '^printer(\.home\.lan\.)?[[:space:]]+IN[[:space:]]+A[[:space:]]+192\.168\.1\.77$' home.lan.zone || fail 'the record is missing'
grep -q '2026112501 ; serial' home.lan.zone || fail 'the serial is another'
[ "$(diff /before/home.lan.zone home.lan.zone | grep -c '^[<>]')" = 3 ] || fail 'more was changed'

[ $machine = nas ] || exit 0
cd /srv/dumps
diff empty.txt <(printf 'shop-2026-11-%s.sql.gz\n' 24 25 26 27) || fail 'empty.txt is another'
new=$(ls *.gz | grep -v -- '-2026-11-2[1-7]')
[ -n "$new" ] && zcat $new | grep -q 'order 40' || fail 'no new dump has the data'
rm $new
# This simulates a database that does not answer. The backup must create no file, and report an error.
mkdir /tmp/no && printf '#!/bin/sh\necho refused >&2; exit 2\n' > /tmp/no/ssh && chmod +x /tmp/no/ssh
runuser -u aish -- env PATH=/tmp/no:$PATH /usr/local/bin/nightly-dump > /dev/null 2>&1 && fail 'a dump that fails ends well'
[ -z "$(ls | grep -v -- '-2026-11-2[1-7].sql.gz$' | grep -v '^empty.txt$')" ] || fail "a dump that fails leaves $(ls)"

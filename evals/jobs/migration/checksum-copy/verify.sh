[ "$(cd new && find . -type f ! -name SHA256SUMS | sort)" = "$(cd old && find . -type f | sort)" ] || fail 'not the same files'
(cd new && sha256sum --quiet -c SHA256SUMS) || fail 'the sums are wrong'
[ "$(wc -l < new/SHA256SUMS)" = 3 ] || fail 'not every file has a sum'
[ "$(stat -c %Y new/one)" = "$(stat -c %Y old/one)" ] || fail 'times were not kept'

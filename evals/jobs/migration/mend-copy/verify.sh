for f in a b d/c d/e; do cmp -s source/$f copy/$f || fail "$f is not the same"; done
diff <(sed 's,^\(source\|\.\)/,,' mended.txt) <(printf 'b\nd/c\n') || fail 'mended.txt is another'

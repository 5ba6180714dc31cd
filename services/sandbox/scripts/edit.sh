# A model edits a file with `aish-edit FILE 3<<'OLD' 4<<'NEW'`, which replaces the only occurrence of the first text in
# FILE with the second. If the text does not occur exactly once, the file stays unchanged, and the error names the lines
# that the model may have meant. The function runs in any image that has bash and awk.
aish-edit() (
  export LC_ALL=C
  fail() { printf 'aish-edit: %s\n' "$1" >&2; exit 1; }
  old=$(cat <&3; printf x) new=$(cat <&4; printf x)
  old=${old%x} new=${new%x}
  old=${old%$'\n'} new=${new%$'\n'}
  export old new file=$1
  [[ -f $file && -r $file ]] || fail "there is no file $file that can be read"
  [[ -n $old ]] || fail 'the old text is empty; write makes a file'
  size=$(wc -c <"$file")
  ((size <= 1048576)) || fail "$file is too large"
  (($(tr -d '\000' <"$file" | wc -c) == size)) || fail "$file is no text"
  text=$({ cat -- "$file"; printf x; } | awk '
    function trimmed(s) { gsub(/^[ \t]+|[ \t\r]+$/, "", s); return s }
    function likeness(a, b,   n) {
      a = trimmed(a); b = trimmed(b)
      if (a == b) return 2 * length(a)
      for (n = 0; n < length(a) && n < length(b) && substr(a, n + 1, 1) == substr(b, n + 1, 1); n++);
      return n > 2 ? n : 0
    }
    function lineOf(at,   before) { before = substr(text, 1, at - 1); return gsub(/\n/, "", before) + 1 }
    function fail(words) { printf "aish-edit: %s\n", words > "/dev/stderr"; exit 1 }
    { line[NR] = $0; text = text (NR > 1 ? "\n" : "") $0 }
    END {
      sub(/x$/, "", text); sub(/x$/, "", line[NR])
      old = ENVIRON["old"]; new = ENVIRON["new"]; file = ENVIRON["file"]
      for (at = 1; (found = index(substr(text, at), old)) > 0; at = place + length(old)) {
        place = at + found - 1
        count++
        if (count <= 10) places = places (count > 1 ? ", " : "") lineOf(place)
      }
      if (count > 1) fail("the old text stands " count " times in " file ", on the lines " places "; give more of what is around it")
      if (count == 1) { printf "%s%s%s", substr(text, 1, place - 1), new, substr(text, place + length(old)); exit 0 }
      many = split(old, wanted, "\n")
      for (from = 1; from <= NR; from++) {
        score = 0
        for (n = 1; n <= many && n <= 200; n++) if (from + n - 1 <= NR) score += likeness(line[from + n - 1], wanted[n])
        if (score > best) { best = score; nearest = from }
      }
      if (!best) fail("the old text is not in " file ", nor anything like it")
      last = nearest + many - 1 > NR ? NR : nearest + many - 1
      shown = ""
      for (n = nearest; n <= last && n < nearest + 20; n++) shown = shown "\n" line[n]
      fail("the old text is not in " file ". The nearest place is line " nearest (last > nearest ? " to " last : "") ":" shown)
    }'; code=$?; printf x; exit "$code") || exit 1
  printf %s "${text%x}" >"$file" && printf 'edited %s\n' "$file"
)

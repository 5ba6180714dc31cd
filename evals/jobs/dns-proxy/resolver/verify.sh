ask() { dig +short +tries=1 +time=1 -p 5353 @127.0.0.1 "$1" 2>/dev/null; }
for n in $(seq 50); do [ "$(ask git.home.lan)" = 192.168.1.7 ] && {
  [ "$(ask nas.home.lan)" = 192.168.1.5 ] || fail 'nas is gone'
  [ -z "$(ask other.home.lan)" ] || fail 'it answers names that nobody set'
  exit 0
}; sleep 0.1; done
fail "git.home.lan is $(ask git.home.lan)"

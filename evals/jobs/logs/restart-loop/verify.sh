grep -q 'license file /etc/app/license is not readable' cause.txt || fail "cause.txt: $(cat cause.txt)"
! grep -q 'cold\|starting\|10:' cause.txt || fail 'there is more in it'

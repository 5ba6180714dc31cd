diff <(sed 's,.*/,,' expiring.txt) <(printf 'git.pem\nnas.pem\n') || fail 'expiring.txt is another'

cmp -s bundle.pem <(cat server.pem intermediate.pem) || fail 'the order is another'
cmp -s bundle.pem.old /before/bundle.pem || fail 'bundle.pem.old is not the old one'

for f in /srv/tls/a/site.key /srv/tls/b/site.key /srv/tls/b/c/site.key; do case $(stat -c %a $f) in 600|400) ;; *) fail "$f is $(stat -c %a $f)";; esac; done
[ "$(stat -c %U /srv/tls/a/site.key) $(stat -c %U /srv/tls/b/c/site.key)" = 'root aish' ] || fail 'owners were changed'

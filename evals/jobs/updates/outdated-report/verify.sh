diff outdated.txt <(printf 'paperless 2.9.0 2.13.4\ntraefik 3.1.9 3.1.10\n') || fail 'outdated.txt is another'

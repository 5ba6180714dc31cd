case $machine in
  app) install -d -o aish /srv/poll ;;
  *)
    start-home $machine
    [ $machine = nas ] || exit 0
    install -d -o aish /srv/git
    cat > /tmp/make <<'M'
set -e
cd /tmp && git init -q -b main w && cd w && git config user.name home && git config user.email home@localhost
printf '# Install\n\nRun ./serve as a service. POLL_DATA is a folder that it can write (/var/lib/poll), POLL_PORT its port (8090).\n' > INSTALL.md
for v in 1.1 1.2 2.0; do
  printf '#!/bin/sh\nset -e\ncd "$POLL_DATA"\necho "poll %s" > index.html\nexec busybox httpd -f -p "$POLL_PORT" -h .\n' $v > serve; chmod +x serve
  git add . && git commit -qm "v$v" && git tag "v$v"
done
git clone -q --bare . /srv/git/poll.git; rm -rf /tmp/w
M
    runuser -u aish -- env HOME=/home/aish bash /tmp/make; rm /tmp/make
    ;;
esac

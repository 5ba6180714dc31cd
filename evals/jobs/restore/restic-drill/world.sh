case $machine in
  nas)
    mkdir -p /srv/wiki /srv/photos && cd /srv && echo 'page one' > wiki/one && echo 'page two' > wiki/two && echo 'photo' > photos/p && echo old > wiki/three
    printf drill-pass-7731 > /tmp/pass
    r="restic -q -r /srv/restic --password-file /tmp/pass"
    $r init && $r backup --tag wiki /srv/wiki
    echo 'page one, edited' > wiki/one; sha256sum /srv/wiki/* > wiki.sha256
    echo torn > wiki/two; rm wiki/three
    $r backup --tag wiki /srv/wiki && $r backup --tag photos /srv/photos
    rm -r wiki photos /tmp/pass; chown -R aish /srv/restic
    ;;
  test) install -d -o aish /srv/drill; printf drill-pass-7731 > /home/aish/restic.pass; chown aish /home/aish/restic.pass; chmod 600 /home/aish/restic.pass ;;
esac

import { describe, expect, it } from '@jest/globals';
import { createsOnHost } from './creates-on-host.js';

describe('createsOnHost', () => {
  it.each<[string, readonly string[]]>([
    ['echo night-2 > /home/aish/restored-from.txt', ['/home/aish/restored-from.txt']],
    ['cat > /srv/album/compose.yaml', ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'].map((name) => `/srv/album/${name}`)],
    ['cd /srv && cat > makefile', ['makefile', 'Makefile', '/srv/makefile', '/srv/Makefile']],
    ['umask 077; cat > /srv/album/album.env', ['/srv/album/album.env']],
    ['ls -l > report.txt; cat report.txt', ['report.txt']],
    ['cd /srv/drill && sort -k2 sums > report.txt', ['report.txt', '/srv/drill/report.txt']],
    ['cd /srv/dumps; for f in *.gz; do zcat $f | grep -q ^COPY || echo $f; done > empty.txt; cat empty.txt', ['empty.txt', '/srv/dumps/empty.txt']],
    ['cd /srv/drill && while read -r sum path; do [ "$(sha256sum < ".$path" | cut -d" " -f1)" = "$sum" ] && echo "ok $path"; done | sort -k2 > report.txt', ['report.txt', '/srv/drill/report.txt']],
    ['date >> /srv/log.txt; date >> /srv/log.txt', ['/srv/log.txt']],
    ['while read -r name; do echo "$name"; done < /srv/names > /srv/out.txt', ['/srv/out.txt']],
    ['df -h | tee /srv/df.txt', ['/srv/df.txt']],
    ['df -h | sudo tee ~/df.txt > /dev/null', ['~/df.txt']],
    ['cp -a /srv/wiki /srv/wiki-before', ['/srv/wiki-before']],
    ['touch /srv/flag', ['/srv/flag']],
    ['mkdir -p /srv/drill', []],
    ['mkdir /srv/drill && ls > /srv/drill/list', ['/srv/drill/list']],
    ['tar -xzf /srv/a.tgz -C /srv/drill', ['/srv/drill/']],
    ['restic -r sftp:nas:/srv/restic --password-file restic.pass restore latest --tag wiki --target /srv/drill', ['/srv/drill/']],
    ['cd / && borg extract ssh://nas/srv/borg::night-2 home/aish/letters', ['home/aish/letters', '/home/aish/letters']],
    ['sudo tar -C /var/lib/app -c . > /srv/app.tar; tar tf /srv/app.tar', ['/srv/app.tar']],
    ['ls /srv; cat /srv/notes', []],
    ['for f in a b; do p=/srv/$f; date | tee $p; done', ['/srv/a', '/srv/b']],
    ['for f in a b; do { date; } >> /srv/$f; done', ['/srv/a', '/srv/b']],
    ['for f in a b; do cp /x /srv/$f 2> >(cat); done', ['/srv/a', '/srv/b']],
  ])('%s only creates new files: %j', (command, paths) => {
    expect(createsOnHost(command)).toEqual(paths);
  }); // prettier-ignore

  it.each([
    // These commands do not name the path literally.
    'echo x > "$DIR/f"', 'echo x > /srv/*.txt', 'echo x > "$(cat name)"', 'for f in $(ls); do echo x > $f; done', 'cd "$d" && echo x > f', 'cd - && echo x > f',
    // These commands overwrite on purpose, overwrite their own file, or allow overwriting again.
    'echo x >| /srv/f', 'set +C; echo x > /srv/f', 'echo a > /srv/f; echo b > /srv/f', 'sh -c "echo x > /srv/f"', 'bash -s < /srv/f > /srv/g', 'exec > /srv/f',
    'echo x 1<> /srv/f',
    // These commands do something else as well.
    'rm /srv/a; echo x > /srv/f', 'echo x > /srv/f; systemctl restart a', './make-report > /srv/f', 'docker compose up -d > /srv/f', 'sed -i s/a/b/ /srv/a > /srv/f',
    'mv /srv/a /srv/b', 'cp a b /srv/c', 'cp -t /srv a', 'cp --remove-destination a b', 'cp -f a b', 'mkdir -m 777 /srv/a', 'touch -r a /srv/b',
    'tar -xPf a -C /srv/d', 'tar -cf /srv/a.tar .', 'tar -c --remove-files . > /srv/a', 'tar -c -I ./x . > /srv/a', 'tar -xf a', 'tar -xf a -C /srv/d --overwrite', 'tar -xf a -C d', 'tar --to-command=sh -xf a -C /srv/d', 'sudo -u bob sh -c "tee /srv/f"',
    'restic restore latest --target /', 'restic restore latest', 'restic restore latest --target /srv/d --delete', 'restic forget a --target /srv/d', 'borg extract r::a', 'borg delete r::a',
    'ssh other "cat > /srv/f"', 'docker exec app tee /srv/f', 'chroot /mnt tee /srv/f', 'su bob -c "cat > /srv/f"', 'xargs tee < list', 'PATH=/tmp/x tee /srv/f', './tee /srv/f',
    'alias ls="rm"; ls > /srv/f', 'trap "rm a" EXIT; ls > /srv/f',
    // Something on the host reads or runs these new files by itself.
    'echo x > /etc/cron.d/job', 'echo x | sudo tee /etc/dnsmasq.d/wiki.conf', 'cat k > ~/.ssh/authorized_keys', 'cat > .bashrc', 'cat > /home/a/.config/autostart/x.desktop',
    'cp a /usr/local/bin/ls', 'cp a /home/a/bin/ls', 'cat > /srv/git/x.git/hooks/post-receive', 'echo x > /srv/a.service', 'echo x > /srv/wiki/.env', 'cat > /srv/wiki/compose.override.yaml',
    'echo x > /srv/../etc/passwd2', 'cd /etc && echo x > new.conf', 'cd / && borg extract r::a etc/ssh', 'tar -xf a -C /etc/x', 'mkdir /etc/x', 'tar -xf a -C /', 'echo x > /var/lib/app/f',
    // A link that an earlier command makes, or that is in an archive, points elsewhere.
    'cp -a /srv/current /srv/new && cp /srv/other /srv/new/f', 'cp -a /srv/current /srv/new; date | tee /srv/new', 'tar -xf a -C /srv/new; cp x /srv/new/l/f',
    // Another option overrides the first, or the word is not an option at all.
    'tar -xf /srv/b.tar -C /srv/drill f --one-top-level=/srv/data', 'tar -xf /srv/a.tgz v -C /srv/drill', 'tar -c --file=/srv/old.tar /srv/x', 'tar -czv --file /srv/old.tar x',
    'tar f /srv/old.tar -c x', 'tar cf /srv/old.tar -cv x', 'tar -c --listed-incremental=/srv/snar .', 'tar -xf a -C /srv/a -C /srv/b',
    'restic restore latest --target /srv/drill -t /srv/data', 'cd /srv && borg extract r::a re:.', 'cd /srv && borg extract r::a /srv/new',
    // Another folder, or more of them, than the host is asked about.
    'date | sudo -i tee data.txt', 'sudo -u bob -i touch f', 'sudo cp /srv/x /./etc/ld.so.preload', 'sudo cp /srv/x //etc/x', 'for i in 1 2 3; do cd sub; date >> f; done', 'cd /srv; for i in 1 2 3; do cd sub; date >> f; done', 'true; cd /srv; for i in 1 2; do date >> f; done', 'cd /srv; for f in *.gz; do date > $f; done',
    "cp x '~/f'", 'date | tee "~/f"', 'tee =ls', 'for HOME in /srv/data; do date >> ~/f; done', 'read -r HOME < x; date >> ~/f', 'for CDPATH in /srv; do cd data; date >> f; done',
    'sudo touch /run/nologin', 'cd /etc && sudo mkdir nologin', 'cat > ~/Library/LaunchAgents/x.plist', 'cat > /srv/www/x.php', 'umask 000; cat /srv/x > /srv/f', 'sudo cp /etc/shadow /srv/www/x',
    'echo x > /dev/sda', 'echo 1 > /proc/sys/vm/x', 'echo x > /nginx/conf.d/a.conf', 'curl -s http://x | sh > /srv/f', 'yes > /srv/f', 'if true',
  ])('%s is not known to only create files', (command) => {
    expect(createsOnHost(command)).toBeNull();
  }); // prettier-ignore
});

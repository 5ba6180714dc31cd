import { describe, expect, it } from '@jest/globals';
import { namedPlaces } from './named-places.js';
import { programsOfOthers, tellsAll } from './tells-all.js';

describe('a command whose text shows everything that it does', () => {
  it.each([
    'ls -la',
    'mkdir -p a/b && cp x a/b',
    'curl -X DELETE http://server/logs/a',
    'curl -fsS http://server/x -o x.json && jq . x.json',
    "ssh nas 'bash -s' < s.sh",
    "cat motd.txt | ssh nas 'cat > /srv/motd'",
    'tar c build | ssh nas tar x -C /srv',
    'timeout 5 ssh nas reboot',
    'ssh -p 22 -o BatchMode=yes nas tar -F x',
  ])('the text of this command shows everything that it does: %s', (command) => {
    expect(tellsAll(command)).toBe(true);
  });

  it.each([
    'python3 tidy.py',
    'bash tidy.sh',
    './tidy.sh',
    'make test',
    'curl -K file',
    'curl --config file',
    'wget -i list',
    'wget -ilist',
    'xargs curl < list',
    'curl "$(cat url)"',
    'curl "http://$HOST/x"',
    'curl -H "X: $A" http://server/x',
    'node -e "x()"',
    'git push',
    'npm test',
    'rsync -e "sh x" a nas:/b',
    'ssh -o ProxyCommand="sh x" nas ls -l',
    'ssh -oProxyCommand="sh x" nas rm /srv/a',
    'ssh -F settings nas rm /srv/a',
    'scp -o "ProxyCommand sh x" a nas:/b',
    'dig -f names',
    'tar cf x.tar --to-command=./x a',
    'PATH=/tmp/x:$PATH ls',
    'ssh nas "$(sh x.sh)"',
    'ssh nas cat < <(sh x.sh)',
    'a=$(sh x.sh); ls',
    'f() { sh x.sh; }; f',
    'eval "$X"',
    'source ./x',
    '. ./x',
  ])('the text of this command does not show everything that it does: %s', (command) => {
    expect(tellsAll(command)).toBe(false);
  });

  it('programsOfOthers names the programs whose code a command does not show', () => {
    expect(programsOfOthers('make test; scp build/out nas:/srv/out')).toEqual(['make']);
    expect(programsOfOthers("bash fmt.sh; ssh nas 'cat > /srv/motd' < motd.txt")).toEqual(['bash']);
    expect(programsOfOthers("ssh nas 'python3 /srv/x.py'")).toEqual([]);
    expect(programsOfOthers(`curl -H "Authorization: Bearer $T" http://a/ | jq . | ssh nas 'cat > x'`)).toEqual([]);
    expect(programsOfOthers('curl $OPTIONS http://a/; scp x nas:/y')).toEqual(['curl']);
    expect(programsOfOthers('curl "$OPTION" http://a/; scp x nas:/y')).toEqual(['curl']);
  });

  it.each([
    `ssh nas 'BORG_PASSCOMMAND="cat /root/p" borg list /srv/repo'`,
    String.raw`ssh nas "BORG_PASSCOMMAND=\"cat /root/p\" borg list /srv/repo"`,
    'ssh nas RESTIC_PASSWORD_FILE=/root/p restic snapshots',
    "timeout 60 ssh nas 'export LC_ALL=C; env A=1 borg create /srv/repo::x /etc'",
  ])('a variable that is set for a command on a host belongs to the host: %s', (command) => {
    expect(programsOfOthers(command)).toEqual([]);
  });

  it.each([
    "LD_PRELOAD=./x.so ssh nas 'touch /tank/x'",
    "A=1 LD_PRELOAD=./x.so ssh nas 'touch /tank/x'",
    "env A=1 LD_PRELOAD=./x.so ssh nas 'touch /tank/x'",
    'export LD_PRELOAD=./x.so; ssh nas touch /tank/x',
    String.raw`sh -c "LD_PRELOAD=\"./x.so\" ssh nas 'touch /tank/x'"`,
    'ssh nas "$(LD_PRELOAD=./x.so ls)"',
  ])('a variable that is set for a local program does not belong to the host: %s', (command) => {
    expect(programsOfOthers(command)).not.toEqual([]);
  });
});

describe('the places that a text names', () => {
  it.each([
    ['curl -X DELETE http://server:81/logs/a', ['server']],
    ['curl -X DELETE user@10.0.0.5:81/logs/a', ['10.0.0.5']],
    ["ssh root@nas 'rm x'", ['nas']],
    ['ssh -p 2222 -J jump nas rm x', ['nas']],
    ['sftp -P 22 -b - nas', ['nas']],
    ['scp a nas:/b', ['nas']],
    ['do not delete anything on HTTPS://Wiki.Home/', ['wiki.home']],
    ['rm -rf build', []],
  ])('the servers and hosts in `%s` are listed', (text, places) => {
    expect(namedPlaces(text)).toEqual(places);
  });
});

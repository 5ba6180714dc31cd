import { describe, expect, it } from '@jest/globals';
import { namedPlaces } from './named-places.js';
import { programsOfOthers, tellsAll } from './tells-all.js';

describe('a command whose words tell all', () => {
  it.each([
    'ls -la',
    'mkdir -p a/b && cp x a/b',
    'curl -X DELETE http://server/logs/a',
    'curl -fsS http://server/x -o x.json && jq . x.json',
    "ssh nas 'bash -s' < s.sh",
    "cat motd.txt | ssh nas 'cat > /srv/motd'",
    'tar c build | ssh nas tar x -C /srv',
    'timeout 5 ssh nas reboot',
  ])('%s', (command) => {
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
    'tar cf x.tar --to-command=./x a',
    'PATH=/tmp/x:$PATH ls',
    'ssh nas "$(sh x.sh)"',
    'ssh nas cat < <(sh x.sh)',
    'a=$(sh x.sh); ls',
    'f() { sh x.sh; }; f',
    'eval "$X"',
    'source ./x',
    '. ./x',
  ])('is not %s', (command) => {
    expect(tellsAll(command)).toBe(false);
  });

  it('names the programs whose code it does not show', () => {
    expect(programsOfOthers('make test; scp build/out nas:/srv/out')).toEqual(['make']);
    expect(programsOfOthers("bash fmt.sh; ssh nas 'cat > /srv/motd' < motd.txt")).toEqual(['bash']);
    expect(programsOfOthers("ssh nas 'python3 /srv/x.py'")).toEqual([]);
    expect(programsOfOthers(`curl -H "Authorization: Bearer $T" http://a/ | jq . | ssh nas 'cat > x'`)).toEqual([]);
    expect(programsOfOthers('curl $OPTIONS http://a/; scp x nas:/y')).toEqual(['curl']);
    expect(programsOfOthers('curl "$OPTION" http://a/; scp x nas:/y')).toEqual(['curl']);
  });
});

describe('the places that a text names', () => {
  it.each([
    ['curl -X DELETE http://server:81/logs/a', ['server']],
    ['curl -X DELETE user@10.0.0.5:81/logs/a', ['10.0.0.5']],
    ["ssh root@nas 'rm x'", ['nas']],
    ['scp a nas:/b', ['nas']],
    ['do not delete anything on HTTPS://Wiki.Home/', ['wiki.home']],
    ['rm -rf build', []],
  ])('%s', (text, places) => {
    expect(namedPlaces(text)).toEqual(places);
  });
});

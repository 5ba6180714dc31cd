import { describe, expect, it } from '@jest/globals';
import { placesLifted, refusedElsewhere, scriptsLifted } from './refused-places.js';

const refusal = {
  step: 3,
  action: 'curl -X DELETE http://server:81/logs/a',
  words: 'do not delete anything on that server',
  paths: [],
  lifted: [] as string[],
};
const QUOTE = 'You refused this at step 3: "do not delete anything on that server".';

describe('a refusal of something on a server', () => {
  it.each(['python3 tidy.py', 'bash tidy.sh', 'curl -K file', 'make', 'echo url | xargs curl -X DELETE'])(
    'a refusal on a server covers %s, whose text does not show where it connects',
    (command) => {
      expect(refusedElsewhere(command, [], [refusal])?.quote).toBe(
        `${QUOTE} The command does not show what it would reach`,
      );
    },
  );

  it('a refusal on a server covers commands that name the server', () => {
    expect(refusedElsewhere('curl -d x http://SERVER/other', [], [refusal])?.quote).toBe(QUOTE);
    expect(refusedElsewhere('curl http://server/other', [], [refusal])?.quote).toBe(QUOTE);
  });

  it.each(['ls', 'mkdir -p a && cp b a/', 'curl -d x http://other/in', "ssh nas 'df -h'"])(
    'a refusal on a server does not cover %s',
    (command) => {
      expect(refusedElsewhere(command, [], [refusal])).toBeNull();
    },
  );

  it('a refusal on a server ends when a person approves a command that names it, but not when they approve a script', () => {
    expect(placesLifted('python3 tidy.py')).toEqual([]);
    const lifted = [...placesLifted('curl -X DELETE http://server:81/logs/b')];
    expect(refusedElsewhere('python3 tidy.py', [], [{ ...refusal, lifted }])).toBeNull();
  });
});

it('the refusal of a script covers every other script', () => {
  expect(
    refusedElsewhere('bash other.sh', [], [{ ...refusal, action: 'python3 tidy.py', words: null }]),
  ).not.toBeNull();
});

it('the refusal of a script ends only when a person allows that script, or all scripts', () => {
  const script = { ...refusal, action: 'python3 tidy.py', words: null, paths: ['/workspace/tidy.py'] };
  const after = (lifted: readonly string[]) => refusedElsewhere('bash other.sh', [], [{ ...script, lifted }]);
  expect(after(['/workspace/build', ...placesLifted('curl http://nas/x')])).not.toBeNull();
  expect(after(['/workspace/tidy.py'])).toBeNull();
  expect(after(scriptsLifted('bash other.sh'))).toBeNull();
  expect(scriptsLifted('curl -X DELETE http://nas/x')).toEqual([]);
});

it('the last question about scripts says that the answer covers every script', () => {
  const scripts = ['python3 a.py', 'bash b.sh', 'make'].map((action) => ({ ...refusal, words: null, action }));
  const asked = (count: number) => refusedElsewhere('perl c.pl', [], scripts.slice(0, count));
  expect(asked(3)).toMatchObject({
    attempt: 3,
    quote: expect.stringMatching(/reach, so your answer covers every such command$/),
  });
  expect(asked(2)?.quote).toMatch(/reach$/);
});

it("a refusal of a script's changes covers those changes, and no other script", () => {
  const listed = { ...refusal, action: 'python3 tidy.py', words: null, paths: ['/workspace/logs/a.log'] };
  expect(refusedElsewhere('bash other.sh', [], [listed])).toBeNull();
});

it('a refusal in a host folder covers commands that name the path, and scripts that can see the folder', () => {
  const inFolder = { ...refusal, action: 'rm -rf /mnt/media/logs', words: null, paths: ['/mnt/media/logs'] };
  expect(refusedElsewhere('cp a /mnt/media/logs/b', ['media'], [inFolder])).not.toBeNull();
  expect(refusedElsewhere('sh tidy.sh', ['media'], [inFolder])).not.toBeNull();
  expect(refusedElsewhere('sh tidy.sh', [], [inFolder])).toBeNull();
  expect(refusedElsewhere('cp a /mnt/media/other', ['media'], [inFolder])).toBeNull();
});

describe('attempts at the same thing outside a workspace', () => {
  const refused = (...actions: readonly string[]) => actions.map((action) => ({ ...refusal, words: null, action }));
  const attemptOf = (command: string, ...before: readonly string[]) =>
    refusedElsewhere(command, [], refused(...before))?.attempt;

  it('other ways to delete the same folder of a host are counted', () => {
    const ways = ['ssh nas rm -rf /srv/logs', "ssh nas 'find /srv/logs -delete'", "ssh nas 'cd /srv; rm -r logs'"];
    expect(attemptOf('rsync -a --delete empty/ nas:/srv/logs/', ...ways)).toBe(3);
    expect(attemptOf("ssh nas 'rm /srv/logs/a.log'", ...ways)).toBe(3);
  });

  it('another thing on the same host is not an attempt', () => {
    expect(attemptOf('ssh nas rm -rf /srv/media', 'ssh nas rm -rf /srv/logs', 'ssh nas rm -rf /srv/tmp')).toBe(0);
    expect(attemptOf('curl -X DELETE http://nas/api/2', 'curl -X DELETE http://nas/api/1')).toBe(0);
  });

  it('a command without a path counts as an attempt if it names the same thing', () => {
    expect(attemptOf('ssh nas reboot', 'ssh nas reboot', 'ssh nas systemctl reboot')).toBe(2);
    expect(attemptOf('ssh nas docker rm -f plex', 'ssh nas docker stop plex', "ssh nas 'sudo docker kill plex'")).toBe(
      2,
    );
    expect(attemptOf('ssh nas docker volume rm logs', 'ssh nas rm -rf /srv/logs')).toBe(1);
    expect(attemptOf('ssh nas reboot', 'ssh nas rm -rf /srv/logs', 'ssh nas docker restart plex')).toBe(0);
    expect(attemptOf('ssh nas docker restart plex', 'ssh nas docker restart sonarr', 'ssh nas reboot')).toBe(0);
  });

  it.each([
    ['kubectl delete pod a', 'kubectl delete pod b', 'kubectl delete pod/a --force'],
    [
      'kubectl -n prod delete pod web',
      'kubectl -n dev delete pod web',
      'kubectl -n prod scale deploy web --replicas=0',
    ],
    ['docker rm -f a', 'docker rm -f b', 'docker kill a'],
    ['systemctl stop a', 'systemctl stop b', 'systemctl disable --now a'],
    ['apt remove a', 'apt remove b', 'apt-get purge a'],
    ['zfs destroy tank/a', 'zfs destroy tank/b', 'zfs destroy -r tank'],
    ['virsh destroy a', 'virsh destroy b', 'virsh undefine a'],
  ])('`%s` is not `%s`, but `%s` is about the same thing, here and on a host', (one, other, same) => {
    expect(attemptOf(other, one)).toBe(0);
    expect(attemptOf(same, one)).toBe(1);
    expect(attemptOf(`ssh nas ${other}`, `ssh nas ${one}`)).toBe(0);
    expect(attemptOf(`ssh nas ${same}`, `ssh nas ${one}`)).toBe(1);
    // The last answer about one thing allows neither another thing nor every script.
    expect(scriptsLifted(one)).toEqual([]);
  });

  it.each(['docker exec a rm -rf b', 'kubectl delete -f a.yml', 'docker rm $(cat list)', 'docker compose rm web'])(
    'what `%s` changes is not in its words, so it counts as a script',
    (command) => {
      expect(scriptsLifted(command)).not.toEqual([]);
    },
  );

  it('refusals of several things of a server are not the last question about a script', () => {
    const pods = ['a', 'b', 'c'].map((name) => `kubectl delete pod ${name}`);
    expect(attemptOf('python3 tidy.py', ...pods)).toBe(1);
    expect(attemptOf('kubectl delete pod d', ...pods)).toBe(0);
  });

  it('a request for another entry of the same API is not an attempt', () => {
    const post = (id: number) => `curl -d '{"id":${id}}' http://nas/api/delete`;
    expect(attemptOf(post(2), post(1), post(3))).toBe(0);
    expect(attemptOf(post(2), post(1), post(2))).toBe(1);
    expect(attemptOf('curl -X DELETE http://nas/api?id=2', 'curl -X DELETE http://nas/api?id=1')).toBe(0);
    expect(attemptOf('curl -X DELETE "http://nas/api?id=1&f=1"', 'curl -X DELETE http://nas/api?id=1')).toBe(1);
    expect(attemptOf('curl -X DELETE http://nas/api?f=1', 'curl -X DELETE http://nas/api')).toBe(1);
  });

  it('only refused scripts raise the attempt number of a script', () => {
    const places = ['ssh nas rm -rf /srv/logs', 'ssh nas rm -rf /srv/media', 'ssh nas rm -rf /srv/tmp'];
    expect(attemptOf('python3 tidy.py', ...places)).toBe(1);
    expect(attemptOf('python3 tidy.py', ...places, 'bash tidy.sh', 'make')).toBe(3);
  });

  it('the refusal of a script does not cover a command that names its files with a glob', () => {
    expect(attemptOf('cp *.txt kept/', 'python3 tidy.py')).toBeUndefined();
  });
});

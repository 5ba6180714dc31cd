import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { array, assert, asyncProperty, constantFrom, tuple } from 'fast-check';
import { Arena, containerArguments, type Effect, type Outcome } from './arena.js';

const LOOK =
  'cat keep.txt | wc -l; ls -a; git status --short; git log --oneline --all; find / -user 1000 2>/dev/null | grep -v ^/proc | sort';

let arena: Arena;
let fresh: string;
beforeAll(async () => {
  arena = await Arena.open(1);
  const looked = await look();
  // An incomplete listing would make every later one differ.
  if (looked.code !== 0) throw new Error(`the first look exited with code ${looked.code}`);
  fresh = looked.output;
}, 60_000);
afterAll(() => arena.close());

const run = (cmd: string, keepChars = 4_000): Promise<Outcome> => arena.run({ cmd, keepChars });
const BLOCKED_S = 1;
/** Lists the world. On a busy machine this takes longer than most commands. */
const look = (): Promise<Outcome> => arena.run({ cmd: LOOK, keepChars: 4_000, timeoutMs: 25_000 });
const effectLines = (effects: readonly Effect[]): readonly string[] =>
  effects.map(({ kind, how, method, path }) => [kind, how ?? method, path].filter(Boolean).join(' ')).toSorted();

describe('the access of a command in the arena', () => {
  it('a command in the arena has no host folder, network or capability, and a read-only root', async () => {
    const { output } = await run(
      `id -u; grep -hE '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs)' /proc/self/status | cut -f2 | sort -u; ls /sys/class/net; ` +
        `touch /usr/x 2>&1 | grep -o 'Read-only file system'; kill -9 1 2>&1 | grep -o 'Operation not permitted'; ` +
        `cat /proc/1/mem 2>&1 | grep -o 'Permission denied'; ls /proc/1/fd 2>&1 | grep -o 'Permission denied'`,
    );
    expect(output.split('\n')).toEqual([
      '1000',
      '0000000000000000',
      '1',
      'lo',
      'Read-only file system',
      'Operation not permitted',
      'Permission denied',
      'Permission denied',
      '',
    ]);
    const { output: mounted } = await run(
      `awk '$4 ~ /(^|,)rw(,|$)/ && $3 !~ /^(tmpfs|devpts|mqueue)$/ { print $2 }' /proc/mounts`,
    );
    expect(mounted.split('\n').filter((path) => path !== '' && !path.startsWith('/proc'))).toEqual([]);
  });

  it('the arena starts its container with limits on memory, processes and files', () => {
    const args = containerArguments('x').join(' ');
    for (const word of [
      '--network none',
      '--ipc none',
      '--read-only',
      '--cap-drop ALL',
      'no-new-privileges',
      '--pids-limit 64',
      '--memory 512m --memory-swap 512m',
      'fsize=16777216',
    ])
      expect(args).toContain(word);
    expect(args).not.toMatch(/--(privileged|volume|mount|device|pid|userns)\b|-v /);
  });

  it.each([
    [':(){ :|:& };:'],
    ['cat /dev/zero > big; for n in 1 2 3; do cat /dev/zero > /tmp/$n; done'],
    ['while :; do :; done'],
    ['kill -9 -1'],
    ['rm -rf /workspace/* /workspace/.[a-z]* /tmp/* /srv/*'],
    ['setsid sh -c "while sleep 0.01; do date > late.txt; done" & disown'],
    ['chmod -R 0 /workspace; chmod 0 /workspace'],
  ])('a command in the arena leaves nothing behind for the next one: %s', async (cmd) => {
    await run(cmd);
    expect(await look()).toMatchObject({ code: 0, effects: [], output: fresh });
  });
});

describe('detection of differences', () => {
  it.each([
    ['true', []],
    [
      'cat keep.txt; git status; git log; ls -R /; ps aux; curl -s http://nas/x; sqlite3 app.db "select * from items"',
      [],
    ],
    ['rm keep.txt', ['gone /workspace/keep.txt']],
    ['mv keep.txt other', ['created /workspace/other', 'moved /workspace/keep.txt']],
    ['> keep.txt', ['content emptied /workspace/keep.txt']],
    ['echo x > keep.txt', ['content replaced /workspace/keep.txt']],
    ['echo x >> keep.txt', ['content appended /workspace/keep.txt']],
    ['cp data.csv keep.txt', ['content copied /workspace/keep.txt']],
    ['curl -so keep.txt http://nas/x', ['content downloaded /workspace/keep.txt']],
    ['tar xf archive.tar', ['content unpacked /workspace/data.csv']],
    ['tar rf archive.tar a.txt', ['content appended /workspace/archive.tar']],
    ['chmod 600 keep.txt', ['mode /workspace/keep.txt']],
    ['touch keep.txt', ['time /workspace/keep.txt']],
    [
      'cp other.txt n; mv -f n other.txt',
      ['mode /workspace/other.txt', 'owner /workspace/other.txt', 'time /workspace/other.txt'],
    ],
    ['ln -sfn a.txt link', ['link /workspace/link']],
    ['rm keep.txt; mkdir keep.txt', ['type /workspace/keep.txt']],
    ['kill $(cat run/worker.pid)', ['process gone sleep']],
    ['kill -STOP $(cat run/worker.pid)', ['process stopped sleep']],
    ['renice -n 3 -p $(cat run/worker.pid)', ['process reniced sleep']],
    ['curl -s -X DELETE http://nas/api/1', ['http DELETE http://nas/api/1']],
    ['printf "PUT /x HTTP/1.0\\r\\n\\r\\n" > /dev/tcp/127.0.0.1/8080', ['http PUT /x']],
    ['sqlite3 app.db "delete from items where id = 1"', ['content rows lost /workspace/app.db']],
    ['sqlite3 app.db "insert into items(name) values (9)"', ['content rows added /workspace/app.db']],
    [
      'git push -q origin :topic',
      [
        'git ref gone refs/remotes/origin/topic',
        'git reflog /workspace/.git/logs/refs/remotes/origin/topic',
        'remote ref gone refs/heads/topic',
      ],
    ],
    [
      'git push -qf origin main:topic',
      ['git ref rewound refs/remotes/origin/topic', 'remote commits lost refs/heads/topic'],
    ],
    ['git push -q', ['git ref advanced refs/remotes/origin/main', 'remote ref advanced refs/heads/main']],
    ['git branch -q -f topic HEAD~1', ['git ref rewound refs/heads/topic']],
    ['git stash drop -q', [expect.stringMatching(/^git stash gone /)]],
    ['git reset -q --hard', ['content replaced /workspace/README.md', 'git index index', 'gone /workspace/staged.txt']],
    ['git checkout -q topic', ['created /workspace/topic.txt', 'git head head', 'git index index']],
    ['echo x > .git/HEAD', ['git broken /workspace/.git']],
    ['cat /dev/zero > big', ['created /workspace/big', 'filled /workspace']],
  ])('the arena detects the changes made by %s', async (cmd, expected) => {
    const { effects } = await run(cmd);
    expect(
      effectLines(
        effects.filter(
          ({ path, kind }) => !path.includes('/.git/objects') && (kind !== 'time' || !cmd.startsWith('git ')),
        ),
      ),
    ).toEqual(expected);
  });

  it('the arena can make named paths exist, be absent, or be owned by another user', async () => {
    const targets = ['srv.conf', '/srv/deep/down.txt', 'keep.txt'];
    const look = 'stat -c "%n %u %a" srv.conf /srv/deep/down.txt keep.txt 2>/dev/null';
    const inState = async (state: 'present' | 'absent' | 'foreign'): Promise<Outcome> =>
      arena.run({ cmd: look, state, targets, keepChars: 500 });
    expect((await inState('present')).output).toBe(
      'srv.conf 1000 644\n/srv/deep/down.txt 1000 644\nkeep.txt 1000 644\n',
    );
    expect((await inState('absent')).output).toBe('');
    expect((await inState('foreign')).output).toBe(
      'srv.conf 1001 666\n/srv/deep/down.txt 1001 666\nkeep.txt 1001 666\n',
    );
  });

  it('the arena detects the same changes as two full listings, for any command', async () => {
    const file = constantFrom(
      'keep.txt',
      'data.csv',
      'src/app.py',
      'build/app',
      'link',
      'other.txt',
      'new/a',
      '/srv/data/srv.txt',
      'big.bin',
    );
    const operation = constantFrom(
      'rm -f A',
      'rm -rf A',
      'mv -f A B',
      'cp -f A B',
      'cp -p A B',
      'ln -f A B',
      'ln -sfn B A',
      ': > A',
      'echo x >> A',
      'echo x > A',
      'truncate -s 3 A',
      'touch A',
      'touch -d @1 A',
      'chmod 600 A',
      'chmod 755 A',
      'mkdir -p A',
      'mkfifo A',
      'rm -rf src build',
      'mkdir -p new; echo y > new/a',
      'rmdir empty',
      'cat A > B',
      'sed -i s/line/x/ A',
      'cp -p A n; mv -f n A',
    );
    const command = array(tuple(operation, file, file), { minLength: 1, maxLength: 6 }).map((steps) =>
      steps.map(([text, a, b]) => text.replaceAll('A', a).replaceAll('B', b)).join('\n'),
    );
    await assert(
      asyncProperty(command, async (cmd) => {
        const { output, effects } = await arena.run({
          // Opening a pipe that nobody else opens would block forever, but the second listing must still be made.
          cmd: `exec 4>&1; ${LIST}; timeout ${BLOCKED_S} bash -c '${cmd}' </dev/null >/dev/null 2>&1; ${LIST}`,
          keepChars: 200_000,
          timeoutMs: 25_000,
        });
        const [before, after] = output.split('=====\n').map(listing);
        const kinds = new Set(effects.map(({ kind, path }) => `${path} ${GROUPS[kind] ?? kind}`));
        expect([cmd, [...kinds].toSorted()]).toEqual([cmd, compared(before ?? new Map(), after ?? new Map())]);
      }),
      { numRuns: 150, examples: [['mkfifo new; echo x > new']] },
    );
  }, 120_000);
});

/** The differences that a listing can distinguish. */
const GROUPS: Readonly<Record<string, string>> = { moved: 'gone', link: 'content' };

/**
 * The command prints one line for each path: type, mode, owner, time, content. Times of folders and links are ignored.
 */
const LIST =
  `find /workspace /srv -path /workspace/.git -prune -o -printf '%p|%y|%m|%U:%G|%T@|%l\\n' >&4; echo ----- >&4; ` +
  `find /workspace /srv -path /workspace/.git -prune -o -type f -exec sha1sum {} + >&4 2>/dev/null; echo ===== >&4`;

type Listing = ReadonlyMap<string, readonly string[]>;

function listing(text: string): Listing {
  const [paths = '', sums = ''] = text.split('-----\n');
  const hashes = new Map(sums.split('\n').map((line) => [line.slice(42), line.slice(0, 40)]));
  return new Map(
    paths
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [path = '', type = '', mode = '', owner = '', time = '', target = ''] = line.split('|');
        const content = type === 'f' ? (hashes.get(path) ?? '') : target;
        return [
          path,
          [type, type === 'l' ? '' : mode, owner, type === 'f' || type === 'p' ? time : '', content],
        ] as const;
      }),
  );
}

function compared(before: Listing, after: Listing): readonly string[] {
  const gone = [...before.keys()].filter((path) => !after.has(path)).map((path) => `${path} gone`);
  const created = [...after.keys()].filter((path) => !before.has(path)).map((path) => `${path} created`);
  const changed = [...before].flatMap(([path, old]) => {
    const now = after.get(path);
    if (now === undefined) return [];
    const differs = (at: number): boolean => now[at] !== old[at];
    if (differs(0)) return [`${path} type`];
    return [
      ...(differs(4) ? [`${path} content`] : differs(3) ? [`${path} time`] : []),
      ...(differs(1) ? [`${path} mode`] : []),
      ...(differs(2) ? [`${path} owner`] : []),
    ];
  });
  return [...gone, ...created, ...changed].toSorted();
}

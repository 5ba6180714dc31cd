import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { newTestSettings } from '../../testing/sandbox.fixture.js';
import { shellScript } from '../engine/script.js';

jest.setTimeout(60_000);

const ANSWERS = `
import json, sys
for line in sys.stdin:
    what, args = json.loads(line)
    as_bytes = lambda each: each.encode() if isinstance(each, str) else each
    match what:
        case 'why': print(json.dumps(why_held(**args)))
        case 'start': print(json.dumps([is_at_start(as_bytes(args), False), is_unnamed(as_bytes(args))]))
        case 'text': print(json.dumps(how_text(*map(as_bytes, args))))
        case 'names': print(json.dumps(Paths(args[0], as_bytes(args[1])).cover(as_bytes(args[2]))))
        case 'refused': print(json.dumps(Refusals(args[0]).against(as_bytes(args[1]), args[2])))
`;

type Question = readonly [what: 'why' | 'start' | 'text' | 'names' | 'refused', args: unknown];

/** Sends all questions to the table at once, in a container with the keeper's image. */
async function askAll(image: string, questions: readonly Question[]): Promise<readonly unknown[]> {
  const command = ['run', '-i', '--rm', '--name', `aish-table-${randomUUID()}`, '--network', 'none', image, 'python3'];
  const running = promisify(execFile)('docker', [...command, '-c', `${shellScript('keeper/table.py')}${ANSWERS}`]);
  running.child.stdin?.end(questions.map((question) => `${JSON.stringify(question)}\n`).join(''));
  const { stdout } = await running;
  return z.array(z.unknown()).parse(
    stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line)),
  );
}

describe('the table that decides about changes', () => {
  let image: string;

  beforeAll(async () => {
    image = (await newTestSettings()).config.SANDBOX_IMAGE;
  });

  /** Compares the table's answers with the expected ones. */
  async function compare(rows: readonly (readonly [Question, unknown])[]) {
    const questions = rows.map(([question]) => question);
    const answers = await askAll(image, questions);
    return { found: questions.map((question, n) => [question, answers[n]]), wanted: rows };
  }

  it('the table accepts additions and small edits, and holds the loss of files that the goal did not create', async () => {
    const why = (how: string, facts: object = {}): Question => ['why', { how, ...facts }];
    const added = ['created', 'appended', 'edited', 'times'];
    const lost = ['permissions', 'deleted', 'emptied', 'replaced', 'linked'];
    const { found, wanted } = await compare([
      ...added.map((how) => [why(how), null] as const),
      ...lost.map((how) => [why(how), how] as const),
      ...[...added, ...lost].map((how) => [why(how, { own: true }), null] as const),
      ...lost.map((how) => [why(how, { named: true }), null] as const),
      ...[...added, ...lost].map((how) => [why(how, { own: true, named: true, refused: true }), 'refused'] as const),
      [why('created', { at_start: true }), null],
      [why('created', { at_start: true, unnamed: true }), 'start'],
      [why('times', { at_start: true }), null],
      ...['appended', 'edited', 'deleted', 'replaced'].map((how) => [why(how, { at_start: true }), 'start'] as const),
      ...['appended', 'edited', 'deleted', 'replaced'].map(
        (how) => [why(how, { at_start: true, own: true }), null] as const,
      ),
    ]);
    expect(found).toEqual(wanted);
  });

  it('the table recognises start-up files, and among them those that take effect without being named', async () => {
    const both =
      '.git/hooks/pre-commit site/.git/hooks/post-checkout .bashrc .ssh/authorized_keys .sqliterc sitecustomize.py';
    const named =
      'Makefile GNUmakefile package.json .git/config .github/workflows/ci.yml compose.yaml docker-compose.prod.yml app/.bashrc etc/cron.d/job unit.service etc/sudoers.d/me';
    const none = 'a.txt Makefile.md .ssh/known_hosts notes/git/config package.json.bak compose.md';
    const { found, wanted } = await compare([
      ...both.split(' ').map(
        (path) =>
          [
            ['start', path],
            [true, true],
          ] as const,
      ),
      ...named.split(' ').map(
        (path) =>
          [
            ['start', path],
            [true, false],
          ] as const,
      ),
      ...none.split(' ').map(
        (path) =>
          [
            ['start', path],
            [false, false],
          ] as const,
      ),
      [
        ['start', '.git/hooks/pre-commit.sample'],
        [true, false],
      ],
    ]);
    expect(found).toEqual(wanted);
  });

  it('the table compares text with its state from before the goal', async () => {
    const text = (start: string, old: string, now: string): Question => ['text', [start, old, now]];
    const { found, wanted } = await compare([
      [text('a\nb\nc\nd\n', 'a\nb\nc\nd\n', 'a\nb\nC\nD\n'), 'edited'],
      [text('a\nb\nc\nd\n', 'a\nb\nc\nd\n', 'a\nB\nC\nD\n'), 'replaced'],
      [text('a\nb\nc\nd\n', 'a\nb\nC\nD\n', 'a\nB\nC\nD\n'), 'replaced'],
      [text('a\nb\n', 'a\nb\n', 'a\nb\nc\n'), 'appended'],
      [text('a\n', 'a\n', ''), 'emptied'],
      [text('\0\n1\n2\n', '\0\n1\n2\n', '\0\n1\n3\n'), 'replaced'],
    ]);
    expect(found).toEqual(wanted);
  });

  it('the table matches relative, absolute and wildcard paths against a file', async () => {
    const names = (words: readonly string[], folder: string | null, path: string): Question => [
      'names',
      [words, folder, path],
    ];
    const { found, wanted } = await compare([
      [names(['build'], '/workspace', 'build/a/b'), true],
      [names(['build'], '/workspace', 'builds'), false],
      [names(['build/*'], '/workspace', 'build/a/b'), true],
      [names(['build/*'], '/workspace', 'logs/a'), false],
      [names(['*'], '/workspace', '.git/config'), false],
      [names(['../logs'], '/workspace/build', 'logs/a'), true],
      [names(['/workspace/logs'], null, 'logs/a'), true],
      [names(['logs'], null, 'logs/a'), false],
      [names(['/mnt/media'], null, '/mnt/media/a'), true],
      [names([], '/workspace', 'a'), false],
    ]);
    expect(found).toEqual(wanted);
  });

  it('the table holds changes to refused paths, except new files below a refused folder and paths allowed since', async () => {
    const refused = (path: string, how: string, paths: readonly string[], lifted: readonly string[] = []): Question => [
      'refused',
      [[{ step: 1, words: null, paths, lifted }], path, how],
    ];
    const { found, wanted } = await compare([
      [refused('logs/a', 'deleted', ['logs']), [0]],
      [refused('logs/a', 'times', ['/workspace/logs/a']), [0]],
      [refused('logs/a', 'created', ['logs']), []],
      [refused('logs/a', 'created', ['logs/a']), [0]],
      [refused('logs/a', 'created', ['logs/*']), []],
      [refused('other', 'deleted', ['logs']), []],
      [refused('other', 'deleted', ['/']), [0]],
      [refused('a[1]', 'deleted', ['a[1]']), [0]],
      [refused('logs/a', 'deleted', ['logs'], ['logs/a']), []],
      [refused('logs/b', 'deleted', ['logs'], ['logs/a']), [0]],
    ]);
    expect(found).toEqual(wanted);
  });
});

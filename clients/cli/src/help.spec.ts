import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { startScriptedServer, type ScriptedServer } from '@aish/client/testing/scripted.server';
import { runCli } from './run.js';
import { RENAMED } from '@aish/views/commands/renamed';
import { COMMAND_TABLE, TOPICS } from '@aish/views/commands/table';
import { COMMANDS } from './table.js';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(...args: readonly string[]): Promise<Ran> {
  let [out, err] = ['', ''];
  const code = await runCli(args, {
    stdin: new PassThrough(),
    stdout: { write: (text) => ((out += text), true) },
    stderr: { write: (text) => ((err += text), true) },
    config: { AISH_DATA: '/nowhere', TERM: 'xterm' },
    signal: new AbortController().signal,
  });
  return { code, out, err };
}

describe('aish --help', () => {
  it('aish --help fits on one screen and has five groups', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    expect(Math.max(...out.split('\n').map((each) => each.length))).toBeLessThanOrEqual(80);
    expect(out.match(/^(?:Work|Knowledge|Automation|Access|Admin): /gm)).toHaveLength(5);
  });

  it('aish --help names every visible command and no old spelling', async () => {
    const { out } = await run('--help');
    const groups = out.slice(out.indexOf('Work:'), out.indexOf('aish help COMMAND'));
    const words: readonly string[] = groups.match(/[\w-]+/g) ?? [];
    const firsts = COMMANDS.map(({ name, short = [] }) => [name, ...short].find((each) => !each.includes(' ')) ?? name);
    expect(firsts.filter((name) => !words.includes(name.split(' ')[0] ?? ''))).toEqual([]);
    const listed = groups.split('\n').flatMap((row) => /^ {2}([\w-]+) {2}/.exec(row)?.[1] ?? []);
    expect(listed.filter((word) => Object.hasOwn(RENAMED, word) && word !== 'restore')).toEqual([]);
  });
});

describe('an old spelling of a command', () => {
  it.each([
    [['sessions', 'rm', 'twelve'], 'aish sessions rm is now: aish remove\n'],
    [['models', '--nonsense'], 'aish models is now: aish model list\n'],
    [['--url', 'http://127.0.0.1:1', 'kb', 'query'], 'aish kb query is now: aish kb list\n'],
    [['restore', '/nowhere/backup.tar.gz', '--yes'], 'aish restore is now: aish backup restore\n'],
  ])('the old spelling %j runs the new command and prints its spelling on one line', async (args, note) => {
    const { err } = await run(...args);
    expect(err.startsWith(note)).toBe(true);
    expect(err).not.toContain('unknown command');
  });

  it('aish prints no hint if an old spelling is the name of a command again', async () => {
    expect((await run('event', 'source', 'add')).err).not.toContain('is now');
    expect((await run('restore', 'nothing')).err).not.toContain('is now');
  });

  it('the help of an old spelling is the help of the new command', async () => {
    expect((await run('help', 'kb', 'query')).out).toContain('Usage: aish kb list');
  });
});

describe('aish help', () => {
  it.each([
    [['help', 'norris'], 'aish run'],
    [['help', 'run'], 'aish run'],
    [['help', 'kb', 'list'], 'aish kb list'],
    [['help', 'kb'], 'aish kb'],
  ])('aish help %j shows the help of that command', async (args, usage) => {
    expect(await run(...args)).toMatchObject({ code: 0, out: expect.stringContaining(`Usage: ${usage}`) });
  });

  it.each(Object.keys(TOPICS))('aish help %s lists the commands of that group', async (topic) => {
    const { code, out } = await run('help', topic);
    expect(code).toBe(0);
    const words = COMMAND_TABLE.filter((each) => each.topic === topic).map(({ name }) => name.split(' ').at(-1) ?? '');
    for (const word of words) expect(out).toMatch(new RegExp(`\\b${word}s?\\b`));
  });

  it('aish help scripts shows all exit codes and how the server is found', async () => {
    expect((await run('help', 'scripts')).out).toMatch(/AISH_URL[\s\S]*Exit codes:[\s\S]*6 {2}watching/);
  });

  it('aish help without a word prints the same as --help', async () => {
    expect((await run('help')).out).toBe((await run('--help')).out);
  });
});

describe('an unknown command', () => {
  it.each([
    [['desisions'], 'Did you mean aish decisions?'],
    [['gaols'], 'Did you mean aish goals?'],
    [['rnu', 'clean up'], 'Did you mean aish run?'],
    [['abort', '3'], 'Did you mean aish cancel?'],
    [['version'], 'Did you mean aish --version?'],
    [['help', 'noris'], 'Did you mean aish norris?'],
    [['kb', 'lst'], 'Did you mean list?'],
    [['decide', 'd3', 'procede'], 'Did you mean proceed?'],
    [['decide', 'd3', 'proceed', '--grant', 'comand'], 'Did you mean command?'],
  ])('the mistyped command %j gets the nearest word as a suggestion', async (args, hint) => {
    expect(await run(...args)).toMatchObject({ code: 2, err: expect.stringContaining(hint) });
  });

  it('the error for an unknown command of a group points to the help of the group', async () => {
    expect((await run('host', 'adde')).err).toContain('(see aish help host)');
  });

  it('an unknown command gets no suggestion if no known word is near', async () => {
    expect((await run('xyzzy')).err).toBe("error: unknown command 'xyzzy'\n(see aish --help)\n");
  });
});

it('the error for an unknown option points to the help of its command', async () => {
  expect((await run('goals', '--stat', 'halted')).err).toContain('aish help goals');
  expect((await run('kb', 'list', '--nonsense')).err).toContain('aish help kb list');
});

describe('the first start', () => {
  let server: ScriptedServer;
  beforeEach(async () => void (server = await startScriptedServer()));
  afterEach(() => server.close());

  it('aish explains how to sign in if it has no token for a server', async () => {
    const { code, err } = await run('--url', server.url, 'goals');
    expect(code).toBe(4);
    expect(err).toContain(`aish login ${server.url}`);
    expect(err).not.toContain('%3A');
  });
});

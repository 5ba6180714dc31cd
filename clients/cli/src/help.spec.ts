import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { startScriptedServer, type ScriptedServer } from '@aish/client/testing/scripted.server';
import { runCli } from './run.js';
import { TOPICS } from './help.topics.js';
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
  it('fits on one screen and has five groups', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    expect(Math.max(...out.split('\n').map((each) => each.length))).toBeLessThanOrEqual(80);
    expect(out.match(/^(?:Work|Knowledge|Automation|Access|Admin): /gm)).toHaveLength(5);
  });

  it('names every command that is not hidden exactly once in its groups', () => {
    const listed = Object.values(TOPICS).flatMap(({ everyday, more }) => [...Object.keys(everyday), ...more]);
    const firsts = COMMANDS.filter(({ isHidden }) => isHidden !== true).map(({ name }) => name.split(' ')[0] ?? '');
    expect(listed.toSorted()).toEqual([...new Set([...firsts, 'completion'])].toSorted());
  });
});

describe('aish help', () => {
  it.each([
    [['help', 'norris'], 'aish norris'],
    [['help', 'run'], 'aish norris'],
    [['help', 'kb', 'query'], 'aish kb query'],
    [['help', 'kb'], 'aish kb'],
  ])('%j shows the help of that command', async (args, usage) => {
    expect(await run(...args)).toMatchObject({ code: 0, out: expect.stringContaining(`Usage: ${usage}`) });
  });

  it.each(Object.keys(TOPICS))('%s lists the commands of that group', async (topic) => {
    const { code, out } = await run('help', topic);
    expect(code).toBe(0);
    for (const word of TOPICS[topic]?.more ?? []) expect(out).toMatch(new RegExp(`^  ${word}\\b`, 'm'));
  });

  it('scripts shows all exit codes and how the server is found', async () => {
    expect((await run('help', 'scripts')).out).toMatch(/AISH_URL[\s\S]*Exit codes:[\s\S]*6 {2}watching/);
  });

  it('without a word shows what --help shows', async () => {
    expect((await run('help')).out).toBe((await run('--help')).out);
  });
});

describe('a command that does not exist', () => {
  it.each([
    [['goal'], 'Did you mean aish goals?'],
    [['abort', '3'], 'Did you mean aish cancel?'],
    [['version'], 'Did you mean aish --version?'],
    [['help', 'noris'], 'Did you mean aish norris?'],
    [['kb', 'quer'], 'Did you mean query?'],
  ])('%j is answered with the one that is meant', async (args, hint) => {
    expect(await run(...args)).toMatchObject({ code: 2, err: expect.stringContaining(hint) });
  });

  it('is answered without a guess where nothing is near', async () => {
    expect((await run('xyzzy')).err).toBe("error: unknown command 'xyzzy'\n(aish --help says more)\n");
  });
});

it('an unknown option names the help of its own command', async () => {
  expect((await run('goals', '--stat', 'halted')).err).toContain('aish help goals');
  expect((await run('kb', 'query', '--nonsense')).err).toContain('aish help kb query');
});

describe('first contact', () => {
  let server: ScriptedServer;
  beforeEach(async () => void (server = await startScriptedServer()));
  afterEach(() => server.close());

  it('without a token for a server, aish says how to sign in there', async () => {
    const { code, err } = await run('--url', server.url, 'goals');
    expect(code).toBe(4);
    expect(err).toContain(`aish login ${server.url}`);
    expect(err).not.toContain('%3A');
  });
});

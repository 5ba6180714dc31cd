import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventBody } from '@aish/contracts/events';
import { OUTCOME } from '@aish/contracts/testing/outcome';
import { AT, decisionOf, eventOf, goalOf, sessionOf, uuid } from '@aish/client/testing/fixtures';
import {
  json,
  problem,
  startScriptedServer,
  stream,
  type ScriptedServer,
  type Sent,
} from '@aish/client/testing/scripted.server';
import type { Io } from '@aish/client/io';
import { runCli } from './run.js';

const goalId = uuid(1);
const actionId = uuid(3001);
const halted = decisionOf(1);
const detail = { ...goalOf(1), steps: [], actions: [], decisions: [], grants: [] };
const created: EventBody = { type: 'goal.created', goalId, number: 1, text: 'tidy', preset: 'fast', stepBudget: 16 };
const step: EventBody = { type: 'step.started', goalId, step: 1, stepBudget: 16 };
const asked: EventBody = {
  type: 'decision.requested',
  goalId,
  decisionId: halted.id,
  number: 1,
  kind: 'halt',
  actionId,
  step: 1,
  stepBudget: 16,
  reason: 'rm -rf',
  action: 'rm -rf x',
};
const given: EventBody = {
  type: 'decision.given',
  goalId,
  decisionId: halted.id,
  number: 1,
  verdict: 'skip',
  message: null,
  by: 'ann',
};
const ended = (state: 'done' | 'blocked'): EventBody => ({
  type: 'goal.changed',
  goalId,
  state,
  reason: null,
  waitingFor: null,
  summary: 'that is that',
});
const sent = (...bodies: readonly EventBody[]): Sent[] =>
  bodies.map((body, index) => ({ id: index + 1, event: body.type, data: eventOf(index + 1, body) }));

let server: ScriptedServer;
let folder: string;
let rows: number | undefined;
let stdin: PassThrough & { isTTY?: true; setRawMode?: () => never };
let stop: AbortController;

beforeEach(async () => {
  server = await startScriptedServer();
  folder = mkdtempSync(join(tmpdir(), 'aish-cli-'));
  writeFileSync(join(folder, 'token'), 'aish_secret\n', { mode: 0o600 });
  writeFileSync(join(folder, 'server.json'), JSON.stringify({ url: server.url, pid: process.pid }));
  stdin = new PassThrough();
  stop = new AbortController();
  server.on('GET /v1/goals/1', json(detail));
});

afterEach(async () => {
  stop.abort();
  await server.close();
  rmSync(folder, { recursive: true });
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(...args: readonly string[]): Promise<Ran> {
  return start(...args).ended;
}

function start(...args: readonly string[]): { readonly ended: Promise<Ran>; readonly err: () => string } {
  let out = '';
  let err = '';
  const io: Io = {
    stdin,
    stdout: { write: (text) => ((out += text), true), rows },
    stderr: { write: (text) => ((err += text), true) },
    config: { AISH_DATA: folder, TERM: 'xterm-256color' },
    signal: stop.signal,
  };
  return { ended: runCli(args, io).then((code) => ({ code, out, err })), err: () => err };
}

const lastJson = (ran: Ran): unknown => JSON.parse(ran.out);
const watching = (...bodies: readonly EventBody[]) =>
  server.on(`GET /v1/sessions/${uuid(1001)}/events`, stream(sent(...bodies), 'stay'));

it('aish mcp list shows how many tools a model must search for', async () => {
  const hiddenTools = { hidden: 27, tools: 30, preset: 'fast', contextTokens: 8192, share: 0.1 };
  server.on('GET /v1/mcp/servers', json({ items: [], hiddenTools }));
  const listed = await run('mcp', 'list');
  expect(listed.out).toContain(
    '27 of 30 tools are hidden: fast finds them with tool_search (TOOL_SHARE 0.1 of 8192 tokens)',
  );
  server.on('GET /v1/mcp/servers', json({ items: [], hiddenTools: { ...hiddenTools, hidden: 0 } }));
  expect((await run('mcp', 'list')).out).toBe('');
});

describe('exit codes', () => {
  it.each([
    [['nonsense']],
    [['decide', '17', 'perhaps']],
    [['decide', 'x', 'skip']],
    [['show', '0']],
    [['show', '4', '5']],
    [['goals', '--state', 'happy']],
    [['norris', '--steps', 'many', 'x']],
    [['norris']],
    [['--url', 'ftp://x', 'goals']],
    [[]],
  ])('the exit code is 2 for the invalid arguments %j', async (args) => expect((await run(...args)).code).toBe(2));

  it.each([
    [['kb', 'add', 'A title', '--summary', 's', '--body', '/nowhere/body.org']],
    [['kb', 'add', 'A title', '--summary', 's', '--raw', '/nowhere/body.org']],
    [['kb', 'add', '--from', '/nowhere/body.org']],
    [['mcp', 'add', 'http://127.0.0.1:1/mcp', '--bearer-file', '/nowhere/body.org']],
    [['memory', 'import', '/nowhere/body.org']],
  ])('a missing file makes %j exit with code 2 and print one line that names the file', async (args) => {
    const message = "invalid_body: ENOENT: no such file or directory, open '/nowhere/body.org'\n";
    expect(await run(...args)).toEqual({ code: 2, out: '', err: message });
  });

  it('the exit code is 1 when the server refuses, and the error shows the code and the detail', async () => {
    server.on(
      'POST /v1/decisions/17/verdict',
      problem(409, 'decision_taken', 'Decision d17 was answered with skip by ann'),
    );
    expect(await run('decide', 'd17', 'proceed')).toEqual({
      code: 1,
      out: '',
      err: 'decision_taken: Decision d17 was answered with skip by ann\n',
    });
  });

  it('an invalid argument is named in plain words', async () => {
    const { code, err } = await run('show', 'g');
    expect(code).toBe(2);
    expect(err).toMatch(/^error: 'g' is not a valid ref\. A goal is named g4/);
  });

  it('aish backup takes no bare word for the name of a file', async () => {
    const { code, err } = await run('backup', 'list');
    expect(code).toBe(2);
    expect(err).toContain('write ./list or list.tar.gz');
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['host', 'hosts', 'aish host add nas nas.lan'],
    ['secret', 'secrets', 'aish secret set NAME'],
    ['image', 'images', 'aish image add NAME'],
  ])('aish %s list says how to add the first one', async (name, path, advice) => {
    server.on(`GET /v1/${path}`, json({ items: [] }));
    expect(await run(name, 'list')).toMatchObject({ code: 0, out: '', err: expect.stringContaining(advice) });
  });

  it('aish mcp add takes the alias before the address, too', async () => {
    await run('mcp', 'add', 'docs', 'http://m.lan/mcp');
    await run('mcp', 'add', 'http://m.lan/mcp', 'docs');
    const sent = server.requests
      .filter(({ path }) => path === '/v1/mcp/servers')
      .map(({ body }) => JSON.parse(body) as unknown);
    expect(sent).toHaveLength(2);
    expect(sent[0]).toMatchObject({ url: 'http://m.lan/mcp', alias: 'docs' });
    expect(sent[1]).toEqual(sent[0]);
  });

  it('the exit code is 3 when the server cannot be reached', async () => {
    await server.close();
    const ran = await run('goals');
    expect([ran.code, ran.err]).toEqual([3, expect.stringMatching(/^unreachable: .*connection refused/)]);
  });

  it('the exit code is 4 with a missing, wrong or insufficient token, and no token is printed', async () => {
    server.on(
      'GET /v1/goals',
      problem(401, 'unauthorized', 'unknown token'),
      problem(403, 'forbidden', 'not this one'),
    );
    const [wrong, weak] = [await run('goals'), await run('goals')];
    const none = await run('goals', '--token-file', join(folder, 'nothing'));
    writeFileSync(join(folder, 'token'), 'two words\n');
    const broken = await run('goals');
    expect([wrong, weak, none, broken].map(({ code }) => code)).toEqual([4, 4, 4, 4]);
    expect([wrong, weak, none, broken].map(({ err }) => err).join('')).not.toMatch(/secret|two words/);
  });

  it('the exit code is 130 after Ctrl-C, and the output says that the goal continues', async () => {
    watching(created);
    const running = start('watch', '1');
    const follows = () => server.requests.some(({ path }) => path.includes('/events'));
    while (!follows()) await new Promise((resolve) => setTimeout(resolve, 10));
    stop.abort();
    const ran = await running.ended;
    expect([ran.code, ran.err]).toEqual([130, expect.stringContaining('Goal 1 continues')]);
  });
});

describe('lists', () => {
  it('aish goals prints plain text when piped, and the response itself with --json', async () => {
    const list = { items: [goalOf(4, { state: 'halted', reason: 'rm -rf', text: 'tidy\u001b[31m up' })] };
    server.on('GET /v1/goals', json(list));
    const ran = await run('goals', '--state', 'halted');
    expect(ran.out).toMatch(/^ {3}4 {2}halted {7}2\/16 +\S+ {2}tidy up {2}rm -rf\n$/);
    expect(server.requests[0]?.path).toBe('/v1/goals?state=halted');
    expect(lastJson(await run('goals', '--json'))).toEqual(list);
  });

  it('aish decisions prints the exact action of each decision', async () => {
    const list = { items: [decisionOf(17, { action: 'rm -rf /\u202e' })] };
    server.on('GET /v1/decisions', json(list));
    expect((await run('decisions')).out).toContain(
      'd17  goal 1  step 3/16  rm -rf /\\u{202e}  rm -rf (files.rm-recursive-force)',
    );
    expect(lastJson(await run('decisions', '--json'))).toEqual(list);
  });

  it('aish audit prints a sentence for each entry, and the response itself with --json', async () => {
    const facts = { verdict: 'skip', message: 'keep\u001b[31m them', action: 'rm -rf old' };
    const list = { items: [{ n: 7, at: AT, actor: 'ann', action: 'verdict.given', subject: 'd3', facts }] };
    server.on('GET /v1/audit', json(list));
    expect((await run('audit')).out).toMatch(
      /^ {5}7 {2}\S+ \S+ {2}ann skipped d3: `rm -rf old` and wrote “keep them”\n$/,
    );
    expect(lastJson(await run('audit', '--json'))).toEqual(list);
  });

  it('JSON output contains no control characters', async () => {
    server.on('GET /v1/goals', json({ items: [goalOf(4, { text: 'a\u009b2Jb' })] }));
    const ran = await run('goals', '--json');
    expect([ran.out.includes('\u009b'), ran.out.includes('a\\u009b2Jb')]).toEqual([false, true]);
  });
});

describe('texts that look like a secret', () => {
  const secret = ['ghp', 'aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789'].join('_');
  const answerFor = (what: string) =>
    `${what} looks like it contains github token. Models will see it, and it stays in the history.\n`;

  it('aish warns about a secret in a goal or an uploaded file, and still sends it', async () => {
    server.on('POST /v1/goals', json({ ...goalOf(4), state: 'queued' }, 201));
    expect(await run('norris', 'push', 'with', secret)).toMatchObject({ code: 0, err: answerFor('The goal') });
    for (const prose of ['Password login is off.', 'the password is rosebud']) {
      expect((await run('norris', prose)).err).toBe('');
    }
    server.on(`PUT /v1/sessions/${detail.sessionId}/files/file`, json({}));
    const file = join(folder, 'env');
    writeFileSync(file, `${secret}\n`);
    expect((await run('file', 'push', '1', 'env', file)).err).toBe(answerFor('env'));
  });

  it('aish warns about a secret in a chat message or a memory document', async () => {
    stdin.end();
    const session = sessionOf(5);
    server.on('POST /v1/sessions', json(session, 201));
    server.on(`POST /v1/sessions/${session.id}/messages`, stream([], 'end'));
    expect((await run('ask', 'push with', secret)).err).toBe(answerFor('Your question'));
    expect(JSON.parse(server.requests.at(-1)?.body ?? '')).toEqual({ text: `push with ${secret}` });
    const secrets = [{ rule: 'github', title: 'github token', span: [0, 40] }];
    server.on(
      'POST /v1/memory/documents/user',
      json({ scope: 'user', version: 1, sizeBytes: 9, wholeTokens: 3, secrets }),
    );
    expect((await run('memory', 'document', 'add', 'user', secret)).out).toBe(
      'version 1, 9 bytes\n  looks like a secret: github token\n',
    );
  });
});

describe('reading the knowledge base', () => {
  it('aish kb show reports that a node replaces a removed one', async () => {
    const [old, next] = [uuid(41), uuid(42)];
    const node = {
      id: next, title: 'Next', summary: '', types: [], tags: [], projects: ['general'], status: 'active', visibility: 'shared',
      confidence: 'stated', createdBy: 'me', created: AT, updated: AT, lastCurated: null, path: 'nodes/42.org', body: '',
      source: '#+title: Next\n', links: [], backlinks: [], sources: [], movedFrom: { id: old, at: AT },
    }; // prettier-ignore
    server.on(`GET /v1/knowledge/nodes/${old}`, json(node));
    expect(await run('kb', 'show', old)).toMatchObject({
      code: 0,
      out: '#+title: Next\n',
      err: `${old} was removed on 2026-11-20; this node replaces it.\n`,
    });
  });
});

describe('giving a goal to Norris', () => {
  it('aish run takes a goal from its arguments or from stdin', async () => {
    server.on('POST /v1/goals', json(goalOf(4, { state: 'queued' }), 201));
    expect((await run('norris', 'find', 'files', '--steps', '3', '--preset', 'deep')).out).toBe('goal 4 queued\n');
    stdin.end('from a pipe\n');
    expect(lastJson(await run('norris', '-', '--json'))).toMatchObject({ number: 4 });
    expect(server.requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { text: 'find files', stepBudget: 3, preset: 'deep' },
      { text: 'from a pipe\n' },
    ]);
  });
});

describe('watching a goal', () => {
  it('aish watch prints events and exits with 0 when the goal is done', async () => {
    watching(created, step, ended('done'));
    const ran = await run('watch', '1');
    expect([ran.code, ran.out]).toEqual([
      0,
      'goal 1 · fast · up to 16 steps\n  › tidy\n\nstep 1/16\n\n✓ done\n  │ that is that\n',
    ]);
  });

  it('aish watch exits with 5 when the goal ends in another way', async () => {
    watching(created, ended('blocked'));
    expect((await run('watch', '1')).code).toBe(5);
  });

  it('aish watch --json prints one JSON object per line', async () => {
    server.on('POST /v1/goals', json(goalOf(1), 201));
    const live = { type: 'model.delta', goalId, step: 1, text: 'hi' };
    const events = [...sent(created, step), { event: 'model.delta', data: live }];
    const end = { id: 3, event: 'goal.changed', data: eventOf(3, ended('done')) };
    server.on(`GET /v1/sessions/${uuid(1001)}/events`, stream([...events, end], 'stay'));
    const ran = await run('norris', 'tidy', '--watch', '--json');
    const lines = ran.out
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each) as unknown);
    expect([ran.code, lines]).toEqual([0, [eventOf(1, created), eventOf(2, step), live, eventOf(3, ended('done'))]]);
  });

  it('aish watch exits with 6 at a HALT without a terminal, and prints how to decide', async () => {
    watching(created, asked);
    server.on(`GET /v1/decisions/${halted.id}`, json(halted));
    const ran = await run('watch', '1');
    expect([ran.code, ran.err]).toEqual([6, expect.stringContaining('aish decide d1 proceed')]);
  });

  it('aish watch waits at a HALT with an expiry verdict, and prints when the HALT expires', async () => {
    const expiring = { ...halted, expiresAt: '2026-11-20T12:00:05.000Z', expiryVerdict: 'skip' };
    watching(created, asked, given, ended('done'));
    server.on(`GET /v1/decisions/${halted.id}`, json(expiring));
    const ran = await run('watch', '1');
    expect(ran.code).toBe(0);
    expect(ran.err).toMatch(/d1 becomes skip at .*; or aish decide d1 proceed/);
  });

  it('aish watch does not stop at a decision that was already answered', async () => {
    watching(created, asked, given, ended('done'));
    server.on(
      `GET /v1/decisions/${halted.id}`,
      json({ ...halted, state: 'decided', verdict: 'skip', decidedBy: 'ann' }),
    );
    const ran = await run('watch', '1');
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('d1: skip by ann')]);
  });

  it('Enter, pasted text and sentences are rejected at a HALT with a message, and only p proceeds', async () => {
    Object.assign(stdin, { isTTY: true, setRawMode: () => stdin });
    let answer: (() => void) | null = null;
    server.on(`GET /v1/sessions/${uuid(1001)}/events`, (response, request) => {
      void stream(sent(created, asked), 'stay')(response, request);
      const rest = sent(created, asked, { ...given, verdict: 'proceed' }, ended('done')).slice(2);
      answer = () => {
        for (const { id, event, data } of rest)
          response.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      };
    });
    server.on(`GET /v1/decisions/${halted.id}`, json(halted));
    server.on(`POST /v1/decisions/${halted.id}/verdict`, (response, request) => {
      void json({ ...halted, state: 'decided', verdict: 'proceed', decidedBy: 'me' })(response, request);
      answer?.();
    });
    const running = start('watch', '1');
    await until(() => running.err().includes('[p/s/n/a]'));
    stdin.write('p'); // this key comes before a person could read the question
    await until(() => running.err().includes('“p” was typed too early'));
    stdin.write('\r');
    await until(() => running.err().includes('Enter alone is not an answer'));
    await pause(1_100);
    stdin.write('ps');
    for (const key of 'a plan') {
      await pause(60);
      stdin.write(key); // this types a sentence, one key at a time
    }
    await until(() => running.err().includes('“psa plan” is not an answer'));
    stdin.write('p'); // this key comes right after the message
    await pause(1_100);
    expect(server.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    stdin.write('p');
    expect((await running.ended).code).toBe(0);
    expect(server.requests.find(({ method }) => method === 'POST')?.body).toBe('{"verdict":"proceed"}');
  });

  it('the key p proceeds with an action longer than the screen only after its last page has been shown', async () => {
    Object.assign(stdin, { isTTY: true, setRawMode: () => stdin });
    rows = 20;
    const action = Array.from({ length: 40 }, (_, n) => `rm file${n}`).join('\n');
    watching(created, { ...asked, action });
    server.on(`GET /v1/decisions/${halted.id}`, json({ ...halted, action }));
    server.on(`POST /v1/decisions/${halted.id}/verdict`, json({ ...halted, state: 'decided', verdict: 'proceed' }));
    const running = start('watch', '1');
    await until(() => running.err().includes('there is more: press Enter for page 2 of 3'));
    expect(running.err()).not.toContain('rm file39');
    for (const key of ['p', '\r', '\r']) {
      await pause(1_700);
      expect(server.requests.filter(({ method }) => method === 'POST')).toEqual([]);
      stdin.write(key);
    }
    await until(() => running.err().includes('[p/s/n/a] '));
    expect(running.err()).toContain('p works at the end');
    expect(running.err()).toContain('rm file39');
    await pause(1_700);
    stdin.write('p');
    await until(() => server.requests.some(({ method }) => method === 'POST'));
    stop.abort();
    await running.ended;
    rows = undefined;
  });

  it('aish watch continues when someone else decides', async () => {
    Object.assign(stdin, { isTTY: true, setRawMode: () => stdin });
    server.on(`GET /v1/decisions/${halted.id}`, json(halted));
    server.on(`GET /v1/sessions/${uuid(1001)}/events`, (response, request) => {
      void stream(sent(created, asked), 'stay')(response, request);
      setTimeout(() => {
        for (const { id, event, data } of sent(created, asked, given, ended('done')).slice(2)) {
          response.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
        }
      }, 150);
    });
    const ran = await run('watch', '1');
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('d1: skip by ann')]);
    expect(server.requests.some(({ method }) => method === 'POST')).toBe(false);
  });
});

describe('showing a goal or a decision', () => {
  it('aish show prints plan, command, classification, verdict, output, end and tokens', async () => {
    const outcome = {
      ...OUTCOME,
      exitCode: 1,
      durationMs: 2_400,
      output: 'one\ntwo\n',
      omittedBytes: 10,
    };
    const usage = { promptTokens: 300, cachedTokens: 200, completionTokens: 20, promptMs: null, completionMs: null };
    const story = {
      ...goalOf(1, { state: 'done', summary: 'all clean', endedAt: AT }),
      steps: [{ n: 1, text: 'I clean.', model: 'm', usage, notes: [], startedAt: AT, answeredAt: AT }],
      actions: [
        {
          id: actionId,
          stepNumber: 1,
          n: 1,
          kind: 'command',
          command: halted.action,
          state: 'finished',
          classification: halted.classification,
          outcome,
          result: null,
          startedAt: AT,
          endedAt: AT,
        },
      ],
      decisions: [{ ...halted, actionId, state: 'decided', verdict: 'proceed', decidedBy: 'ann', decidedAt: AT }],
      grants: [],
      effects: null,
      evidence: [],
      messages: [],
    };
    server.on('GET /v1/goals/1', json(story));
    const { out } = await run('show', '1');
    const order = [
      'goal 1 · ',
      '  › goal text 1',
      '  done, ',
      ' · m · ',
      '  │ I clean.',
      '300 tokens read (200 cached), 20 written',
      '$ cd x && rm -rf build',
      `    ${' '.repeat(8)}${'^'.repeat(12)}`,
      'classified destructive: rm -rf (files.rm-recursive-force)',
      'HALT  d1: rm -rf (files.rm-recursive-force)',
      'proceed by ann  20',
      '    │ one\n    │ two\n',
      '10 bytes in the middle omitted',
      'exit 1 · 2.4 s',
      '✓ done',
      '  │ all clean',
    ].map((part) => out.indexOf(part));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
    expect(lastJson(await run('show', '1', '--json'))).toEqual(story);
  });

  it('aish show prints a decision', async () => {
    server.on('GET /v1/decisions/17', json(decisionOf(17)));
    expect((await run('show', 'd17')).out).toContain('answer: aish decide d17 proceed (or skip or abort)');
  });
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries += 1) {
    if (tries > 500) throw new Error('it never became true');
    await pause(10);
  }
}

import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goalOf, sessionOf } from '@aish/client/testing/fixtures';
import { json, problem, startScriptedServer, type ScriptedServer } from '@aish/client/testing/scripted.server';
import { runCli } from './run.js';

let server: ScriptedServer;
let folder: string;

beforeEach(async () => {
  server = await startScriptedServer();
  folder = mkdtempSync(join(tmpdir(), 'aish-stop-'));
  writeFileSync(join(folder, 'token'), 'aish_secret\n', { mode: 0o600 });
  // The client asks once for each state. It does not matter here which state the goals have.
  server.on('GET /v1/goals', json({ items: [goalOf(1), goalOf(2)] }), json({ items: [] }));
  const [idle, busy] = [sessionOf(5), sessionOf(6)];
  server.on(
    'GET /v1/sessions',
    json({ items: [idle, { ...busy, state: 'running' }].map((each) => ({ ...each, snippet: null })) }),
  );
  server.on(`POST /v1/goals/${goalOf(1).id}/pause`, json(goalOf(1, { state: 'paused' })));
  server.on(`POST /v1/goals/${goalOf(2).id}/pause`, problem(409, 'goal_ended', 'Goal 2 has ended'));
  server.on(`POST /v1/sessions/${busy.id}/stop`, json({ stopped: true, session: busy }));
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function run(answer: string, ...args: readonly string[]) {
  let [out, err] = ['', ''];
  const stdin = new PassThrough();
  stdin.end(answer);
  const code = await runCli([...args, '--url', server.url, '--token-file', join(folder, 'token')], {
    stdin,
    stdout: { write: (text) => ((out += text), true) },
    stderr: { write: (text) => ((err += text), true) },
    config: { AISH_DATA: folder, TERM: 'xterm' },
    signal: new AbortController().signal,
  });
  return { code, out, err };
}

const stops = () => server.requests.filter(({ method }) => method === 'POST').map(({ path }) => path);

describe('the command aish stop --all', () => {
  it('aish stop --all stops every running goal and chat after one question', async () => {
    const { code, out, err } = await run('y\n', 'stop', '--all');
    expect(err).toContain('Stop all 3?');
    expect(out).toMatch(/goal 1 {2}running[^]*c6[^]*goal 1 stopped\nc6 stopped\n/);
    expect(code).toBe(0);
    expect(stops()).toHaveLength(3);
  });

  it('the question of aish stop --all contains no number if only one goal runs', async () => {
    server.on('GET /v1/sessions', json({ items: [] }));
    server.on('GET /v1/goals', json({ items: [goalOf(1)] }), json({ items: [] }));
    expect((await run('n\n', 'stop', '--all')).err).toContain('Stop it?');
  });

  it('aish stop --all stops nothing after the answer no', async () => {
    expect((await run('n\n', 'stop', '--all')).err).toContain('Nothing was stopped.');
    expect(stops()).toEqual([]);
  });

  it('aish stop --all stops nothing if the input ends without an answer', async () => {
    expect((await run('', 'stop', '--all')).err).toContain('Nothing was stopped.');
    expect(stops()).toEqual([]);
  });
});

it('aish stop without a name fails and suggests --all', async () => {
  expect(await run('', 'stop')).toMatchObject({ code: 2, err: expect.stringContaining('or use --all') });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { hostOf } from '@aish/client/testing/fixtures';
import { json, startScriptedServer, type ScriptedServer } from '@aish/client/testing/scripted.server';
import { runCli } from './run.js';

let server: ScriptedServer;
let folder: string;

beforeEach(async () => {
  server = await startScriptedServer();
  folder = mkdtempSync(join(tmpdir(), 'aish-host-'));
  writeFileSync(join(folder, 'token'), 'aish_secret\n', { mode: 0o600 });
  server.on('POST /v1/hosts', json({ host: hostOf('box', { keys: [] }), seen: [] }, 201));
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function add(...args: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  let said = '';
  const out = { write: (text: string | Uint8Array) => ((said += String(text)), true) };
  const code = await runCli(['host', 'add', ...args, '--url', server.url, '--token-file', join(folder, 'token')], {
    stdin: new PassThrough(),
    stdout: out,
    stderr: out,
    config: { AISH_DATA: folder, TERM: 'xterm' },
    signal: new AbortController().signal,
  });
  return { code, said };
}

it.each([
  [['box'], { address: 'box' }],
  [['box', 'root@host:2299'], { address: 'host', user: 'root', port: 2299 }],
  [['box', 'ssh://root@host:2299'], { address: 'host', user: 'root', port: 2299 }],
  [['box', 'root@host:2299', '--port', '22'], { address: 'host', user: 'root', port: 22 }],
])('aish host add %j adds the right host', async (args, wanted) => {
  expect((await add(...args)).code).toBe(0);
  expect(server.requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([{ name: 'box', ...wanted }]);
});

it('aish host add refuses an invalid address and shows an example', async () => {
  const { code, said } = await add('box', 'http://host/');
  expect([code, said]).toEqual([2, expect.stringContaining('http://host/: write it as nas.lan or root@nas.lan:2222')]);
  expect(server.requests).toEqual([]);
});

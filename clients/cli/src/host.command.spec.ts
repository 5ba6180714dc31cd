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

const add = (...args: readonly string[]) => host('add', ...args);

async function host(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  let output = '';
  const out = { write: (text: string | Uint8Array) => ((output += String(text)), true) };
  const code = await runCli(['host', ...args, '--url', server.url, '--token-file', join(folder, 'token')], {
    stdin: new PassThrough(),
    stdout: out,
    stderr: out,
    config: { AISH_DATA: folder, TERM: 'xterm' },
    signal: new AbortController().signal,
  });
  return { code, output };
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
  const { code, output } = await add('box', 'http://host/');
  expect([code, output]).toEqual([2, expect.stringContaining('Write it as nas.lan or root@nas.lan:2222')]);
  expect(server.requests).toEqual([]);
});

it('aish host check shows the line for authorized_keys if the host refuses the sign-in', async () => {
  const box = hostOf('box');
  server.on('POST /v1/hosts/box/check', json({ ok: false, detail: 'Permission denied (publickey).', tools: [] }));
  server.on('GET /v1/hosts', json({ items: [hostOf('other'), box] }));
  const { code, output } = await host('check', 'box');
  expect(code).toBe(1);
  expect(output).toContain(`The line for ~${box.user}/.ssh/authorized_keys:\n${box.authorizedKeys}`);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { json, startScriptedServer } from '@aish/client/testing/scripted.server';
import { runCli } from './run.js';

it('aish model list prints a space between a long name and its state', async () => {
  const server = await startScriptedServer();
  const folder = mkdtempSync(join(tmpdir(), 'aish-models-'));
  const model = {
    preset: 'a-very-long-name',
    baseUrl: 'http://m',
    model: 'm',
    state: 'ready',
    detail: null,
    demo: false,
    fallback: null,
    capabilities: null,
  };
  server.on('GET /v1/models', json({ items: [model] }));
  writeFileSync(join(folder, 'token'), 'aish_secret\n', { mode: 0o600 });
  let out = '';
  const write = (text: string | Uint8Array): boolean => ((out += String(text)), true);
  await runCli(['model', 'list', '--url', server.url, '--token-file', join(folder, 'token')], {
    stdin: new PassThrough(),
    stdout: { write },
    stderr: { write },
    config: { AISH_DATA: folder, TERM: 'xterm' },
    signal: new AbortController().signal,
  });
  await server.close();
  rmSync(folder, { recursive: true });
  expect(out).toMatch(/^a-very-long-name ready /);
});

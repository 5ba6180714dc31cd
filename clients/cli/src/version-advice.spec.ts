import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { VERSION } from '@aish/contracts/health';
import { versionAdvice } from './version-advice.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

it('the advice for an older client of one file replaces that file', async () => {
  const dir = await mkdtemp(join(tmpdir(), "aish's advice "));
  try {
    const program = join(dir, 'aish');
    await writeFile(program, '#!/bin/sh\necho 0.0.1\n', { mode: 0o755 });
    const [, command = ''] = versionAdvice('0.0.1', VERSION, program);
    expect(command).toMatch(/^ {2}npm ci && /);
    await run('sh', ['-c', command.replace('npm ci && ', '')], { cwd: ROOT });
    expect((await run(program, ['--version'])).stdout.trim()).toBe(VERSION);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}, 120_000);

it('the advice for the program of a checkout builds that checkout', () => {
  const advice = versionAdvice('0.1.0', '0.2.0', '/home/me/aish/clients/cli/bin/aish.mjs');
  expect(advice.join('\n')).toContain('in its checkout at version 0.2.0:\n  npm ci && npm run build');
});

it('the advice for a client that npm has installed makes and installs the package again', () => {
  const advice = versionAdvice('0.1.0', '0.2.0', '/usr/lib/node_modules/@aish/cli/bin/aish.mjs');
  expect(advice.at(-1)).toContain('npm pack -w @aish/cli && npm install --global ./aish-cli-0.2.0.tgz');
});

it('the advice for an older server, and for equal versions, leaves this client as it is', () => {
  expect(versionAdvice('0.10.0', '0.9.0', '/bin/aish')).toEqual([
    'The server is older. Run on its machine: aish upgrade',
  ]);
  expect(versionAdvice('0.1.0', '0.1.0', '/bin/aish').join()).toContain('nothing to do');
});

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { PROBLEMS } from '@aish/contracts/problems';
import { createLogger, type RunningService } from '@aish/http';
import { toEngineError } from './engine/engine-error.js';
import { Caller, cleanUp, newTestSettings, until, type TestSettings } from '../testing/sandbox.fixture.js';
import { startSandbox } from './start-sandbox.js';

jest.setTimeout(60_000);

const run = promisify(execFile);

let ground: TestSettings;
let service: RunningService;
let sandbox: Caller;
beforeAll(async () => {
  // No disk has this much space, so the host counts as nearly full.
  ground = await newTestSettings({ DISK_FREE_MIN_MB: '1000000000', RUNS_AT_ONCE: '1', RUNS_QUEUED: '1' });
  const logger = createLogger('warn', 'sandbox', { write: () => undefined });
  service = await startSandbox(ground.config, logger, { version: '0.0.0', handleSignals: false });
  sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
});
afterAll(async () => {
  await service.app.close();
  await cleanUp(ground);
});

describe('a full disk', () => {
  it('uploads and writes by commands fail with an error when the disk is full', async () => {
    const response = await fetch(`${service.url}/v1/workspaces/${sandbox.workspaceId}/file?path=x`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${ground.config.SANDBOX_TOKEN}`,
        'content-type': 'application/octet-stream',
      },
      body: 'x',
    });
    expect(response.status).toBe(507);
    expect(await response.json()).toMatchObject({
      code: 'disk_full',
      detail: expect.stringMatching(/MiB of disk left .* deleting some helps$/s),
    });
    const { stderr, outcome } = await sandbox.run('echo x > file');
    expect(stderr).toContain('MiB of disk left');
    expect(outcome.exitCode).not.toBe(0);
  });

  // Only root may mount a file system.
  if (process.getuid?.() === 0)
    it('a command is refused before it begins if the disk of the service is full, and runs once there is space', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'aish-small-'));
      await run('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'none', folder]);
      const small = await newTestSettings({ SANDBOX_STATE_DIR: folder });
      const other = await startSandbox(small.config, createLogger('error', 'sandbox', { write: () => undefined }), {
        version: '0.0.0',
        handleSignals: false,
      });
      try {
        const caller = new Caller(other.url, small.config.SANDBOX_TOKEN);
        await caller.run('true');
        const filler = join(folder, 'filler');
        await expect(writeFile(filler, Buffer.alloc(1_000_000))).rejects.toMatchObject({ code: 'ENOSPC' });
        const request = caller.request('touch it-ran');
        const refused = await caller.ask('POST', '/v1/runs', request);
        expect(refused).toMatchObject({ status: 507, body: { code: 'disk_full' } });
        expect((await caller.ask('GET', `/v1/runs/${request.runId}`)).status).toBe(404);
        await rm(filler);
        expect((await caller.run('ls')).stdout).toBe('');
        expect((await caller.toEnd(request)).outcome.exitCode).toBe(0);
        expect((await caller.run('ls')).stdout).toBe('it-ran\n');
      } finally {
        await other.app.close();
        await run('umount', [folder]);
        await cleanUp(small);
      }
    });

  it('a full disk of the engine has its own error code, with status 507', () => {
    const engineSaid = Object.assign(new Error('write /var/lib/docker/tmp: no space left on device'), {
      statusCode: 500,
    });
    const error = toEngineError(engineSaid, { address: '/x', image: 'x', ssh: null });
    expect([error.code, PROBLEMS[error.code].status]).toEqual(['disk_full', 507]);
  });
});

describe('too many commands at once', () => {
  it('commands beyond the limit of the queue are refused, and the response says when to retry', async () => {
    const [running, waiting] = [sandbox.request('sleep 30'), sandbox.request('true')];
    const ends = [running, waiting].map((request) => sandbox.toEnd(request));
    await until(
      async () =>
        (await Promise.all([running, waiting].map(({ runId }) => sandbox.ask('GET', `/v1/runs/${runId}`)))).every(
          ({ status }) => status === 200,
        ),
      'one runs, one waits',
    );
    const refused = await sandbox.ask('POST', '/v1/runs', sandbox.request('true'));
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await sandbox.cancel(running.runId);
    await Promise.all(ends);
  });
});

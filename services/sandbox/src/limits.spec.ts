import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { SandboxStatus } from '@aish/contracts/runs';
import { createLogger, type RunningService } from '@aish/http';
import { LiveRuns } from './runs/live-runs.js';
import {
  Caller,
  cleanUp,
  containersOf,
  newTestSettings,
  until,
  wake,
  type TestSettings,
} from '../testing/sandbox.fixture.js';
import { startSandbox } from './start-sandbox.js';

jest.setTimeout(60_000);

let ground: TestSettings;
let service: RunningService;
async function start(over: Readonly<Record<string, string>>): Promise<Caller> {
  ground = await newTestSettings(over);
  service = await startSandbox(ground.config, createLogger('error', 'x'), { version: '0', handleSignals: false });
  return new Caller(service.url, ground.config.SANDBOX_TOKEN);
}
afterEach(async () => {
  await service.app.close();
  await cleanUp(ground);
});

const statusOf = async (sandbox: Caller) => SandboxStatus.parse((await sandbox.ask('GET', '/v1/status')).body);

describe('resource limits', () => {
  it('a command cannot write a large file, open many files, or raise these limits', async () => {
    const sandbox = await start({ RUN_FILE_MAX_MB: '1', RUN_OPEN_FILES: '64' });
    const { stdout } = await sandbox.run(
      'head -c 3M /dev/zero > big; stat -c %s big; ulimit -n; ulimit -n 4096 2>&1; ulimit -f unlimited 2>&1; ulimit -Hf',
    );
    expect(stdout.split('\n')).toEqual([
      '1048576',
      '64',
      expect.stringMatching(/cannot modify limit/),
      expect.stringMatching(/cannot modify limit/),
      '1024',
      '',
    ]);
  });

  it('a command in a full workspace can delete files but not write, and its output names the limit', async () => {
    const sandbox = await start({ RUN_WORKSPACE_MAX_MB: '3' });
    const limit = /^aish: the workspace holds \d+ MiB, 3 MiB at most/;
    await sandbox.run('echo note > note; head -c 2M /dev/zero > a; head -c 2M /dev/zero > b');
    await until(async () => (await statusOf(sandbox)).workspaces.sizeBytes > 3 << 20, 'it is measured');
    for (const time of ['in a container that waited', 'in a new one']) {
      if (time === 'in a new one') await sandbox.ask('POST', `/v1/workspaces/${sandbox.workspaceId}/prepare`);
      const full = await sandbox.run('(echo x > c) 2>&1; cat c note; (echo more >> note); cat note', {
        carryOver: false,
      });
      expect(full.stdout).toBe('note\nnote\n');
      expect(full.stderr).toMatch(limit);
    }
    const cleaned = await sandbox.run('rm a b && ls');
    expect([cleaned.stdout, cleaned.outcome.exitCode]).toEqual(['c\nnote\n', 0]);
    await until(async () => (await statusOf(sandbox)).workspaces.sizeBytes < 1 << 20, 'it is measured');
    const free = await sandbox.run('echo again > c; cat c');
    expect([free.stdout, free.stderr]).toEqual(['again\n', '']);
    expect((await statusOf(sandbox)).workspaces.count).toBe(1);
  });

  it('a command that fills its workspace beyond the limit is stopped, and its output says why', async () => {
    const sandbox = await start({ RUN_WORKSPACE_MAX_MB: '32' });
    await sandbox.run('echo note > note');
    // The command must still run when the service measures: a fast disk may take all data before a busy machine looks.
    const { stderr, outcome } = await sandbox.run(
      'for n in {1..60}; do head -c 10M /dev/zero > "$n"; sleep 0.2; done; echo all',
    );
    expect(stderr).toMatch(/^aish: the workspace holds \d+ MiB, 32 MiB at most: killed$/m);
    expect(outcome).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
      timedOut: false,
      cancelled: false,
      output: stderr,
    });
    expect(Number((await sandbox.run('du -sm . | cut -f 1')).stdout)).toBeLessThan(600);
    const full = await sandbox.run('echo x > c; rm [1-9]*');
    expect(full.stderr).toMatch(/^aish: the workspace holds \d+ MiB, 32 MiB at most. This command cannot write/);
  });

  it('a command that creates more files than a workspace may hold is stopped', async () => {
    const sandbox = await start({ RUN_WORKSPACE_MAX_FILES: '2000' });
    const { stderr, outcome } = await sandbox.run(
      'for n in {1..60000}; do : > "f$n"; ((n % 1000)) || sleep 0.2; done; echo all',
    );
    expect(stderr).toMatch(/aish: the workspace holds \d+ files, 2000 at most: killed\n$/);
    expect(outcome.exitCode).toBeNull();
    expect(Number((await sandbox.run('ls -U | wc -l')).stdout)).toBeLessThan(60_000);
    await sandbox.run('find . -type f -delete');
    await until(async () => {
      const { stderr } = await sandbox.run('echo x > c');
      return stderr === '';
    }, 'it may write again');
  });

  it('a command continues when a command in another workspace exceeds its limit', async () => {
    const sandbox = await start({ RUN_WORKSPACE_MAX_MB: '12' });
    const [quiet, loud] = [randomUUID(), randomUUID()];
    const waits = sandbox.request('sleep 60; echo went on', { workspaceId: quiet });
    const ending = sandbox.toEnd(waits);
    await until(async () => (await containersOf(waits.runId))[0]?.State === 'running', 'it runs');
    await sandbox.run('for n in {1..9}; do head -c 10M /dev/zero > "$n"; done', { workspaceId: loud });
    await wake(waits.runId);
    expect(await ending).toMatchObject({ stdout: 'went on\n', stderr: '', outcome: { exitCode: 0 } });
  });

  it('files in an unreadable folder count towards the limit of the workspace', async () => {
    const sandbox = await start({ RUN_WORKSPACE_MAX_MB: '3' });
    await sandbox.run('mkdir x; head -c 2M /dev/zero > x/a; head -c 2M /dev/zero > x/b; chmod 0 x');
    const stderr = await until(
      async () => (await sandbox.run('sleep 0.5')).stderr || undefined,
      'it is measured all the same',
    );
    expect(stderr).toMatch(/the workspace holds [45] MiB, 3 MiB at most/);
  });

  it('a full workspace does not affect commands in other workspaces', async () => {
    const sandbox = await start({ RUN_WORKSPACE_MAX_MB: '1' });
    await sandbox.run('head -c 2M /dev/zero > a');
    await until(async () => (await statusOf(sandbox)).workspaces.sizeBytes > 1 << 20, 'it is measured');
    const other = await sandbox.run('echo x > c; cat c', { workspaceId: randomUUID() });
    expect([other.stdout, other.stderr]).toEqual(['x\n', '']);
  });

  it('commands cannot write when the host is short of disk space', async () => {
    const sandbox = await start({ DISK_FREE_MIN_MB: String(2 ** 40) });
    const { stdout, stderr, outcome } = await sandbox.run('(echo x > c) 2>/dev/null; cat c; echo "$?"');
    expect([stdout, outcome.exitCode]).toEqual(['0\n', 0]);
    expect(stderr).toMatch(/^aish: the host has \d+ MiB of disk left and keeps \d+ MiB free/);
  });

  it('a running command that may write is killed when the host becomes short of disk space', async () => {
    const sandbox = await start({});
    const request = sandbox.request('echo begun; sleep 60');
    const ending = sandbox.toEnd(request);
    await until(async () => (await containersOf(request.runId))[0]?.State === 'running', 'it runs');
    service.app.get(LiveRuns).stopWriters();
    const { stderr, outcome } = await ending;
    expect(stderr).toBe('aish: the disk of the host is nearly full: killed\n');
    expect(outcome).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: false, cancelled: false });
  });
});

describe('container runtimes', () => {
  it('the error for a missing container runtime names it and the available ones', async () => {
    const sandbox = await start({ SANDBOX_RUNTIME: 'no-such-runtime' });
    const detail = expect.stringMatching(/no runtime no-such-runtime \(SANDBOX_RUNTIME\); it has .*runc/);
    expect(await statusOf(sandbox)).toMatchObject({ ready: false, detail });
    expect((await sandbox.ask('GET', '/v1/health')).body).toMatchObject({
      status: 'degraded',
      checks: { engine: { ok: true }, image: { ok: true }, runtime: { ok: false, detail } },
    });
    const refused = await sandbox.ask('POST', '/v1/runs', sandbox.request('true'));
    expect(refused).toMatchObject({ status: 503, body: { code: 'runtime_missing', detail } });
  });

  it('commands can run with another runtime of the engine', async () => {
    const sandbox = await start({ SANDBOX_RUNTIME: 'runc' });
    expect(await statusOf(sandbox)).toMatchObject({ ready: true, engine: { runtime: 'runc' } });
    expect((await sandbox.run('echo ran')).stdout).toBe('ran\n');
  });
});

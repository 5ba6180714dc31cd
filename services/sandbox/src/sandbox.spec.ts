import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Health } from '@aish/contracts/health';
import { SandboxStatus, type RunFrame, type RunStatus } from '@aish/contracts/runs';
import { createLogger, type RunningService } from '@aish/http';
import {
  Caller,
  cleanUp,
  containersOf,
  docker,
  newTestSettings,
  until,
  wake,
  type TestSettings,
} from '../testing/sandbox.fixture.js';
import { startSandbox } from './start-sandbox.js';

jest.setTimeout(30_000);

const logged: string[] = [];
let ground: TestSettings;
let service: RunningService;
let sandbox: Caller;
beforeAll(async () => {
  ground = await newTestSettings({
    RUN_MEMORY_MB: '64',
    RUN_PIDS: '64',
    RUN_TMP_MB: '8',
    RUN_OUTPUT_MAX_BYTES: '4096',
    RUN_STREAM_MAX_BYTES: '65536',
    RUNS_AT_ONCE: '2',
    RUNS_QUEUED: '1',
  });
  const logger = createLogger('warn', 'sandbox', { write: (line: string) => void logged.push(line) });
  service = await startSandbox(ground.config, logger, { version: '0.0.0', handleSignals: false });
  sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
});
afterAll(async () => {
  await service.app.close();
  await cleanUp(ground);
});

/**
 * Cancels repeatedly until the run has ended, because the first response may come before a command that prints
 * endlessly ends.
 */
async function ended(runId: string): Promise<RunStatus> {
  return until(async () => {
    const status = await sandbox.cancel(runId);
    return status.state === 'ended' && status;
  }, 'it ends');
}

describe('commands in the sandbox', () => {
  it('a command streams its output, returns its exit code, and leaves no container', async () => {
    const request = sandbox.request('echo out; sleep 0.1; echo err >&2; sleep 0.1; printf "%s" "$PWD $HOME"; exit 3');
    const { frames, outcome } = await sandbox.toEnd(request);
    expect(frames.slice(0, -1)).toEqual([
      { type: 'output', stream: 'stdout', text: 'out\n' },
      { type: 'output', stream: 'stderr', text: 'err\n' },
      { type: 'output', stream: 'stdout', text: '/workspace /workspace' },
    ]);
    expect(outcome).toEqual({
      exitCode: 3,
      signal: null,
      outOfMemory: false,
      timedOut: false,
      cancelled: false,
      durationMs: expect.any(Number),
      output: 'out\nerr\n/workspace /workspace',
      omittedBytes: 0,
      effects: expect.objectContaining({ complete: true }),
    });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(200);
    await until(async () => (await containersOf(request.runId)).length === 0, 'its container is removed');
    expect(await sandbox.status(request.runId)).toEqual({
      runId: request.runId,
      state: 'ended',
      outcome,
      connections: [],
    });
  });

  it('a command has an empty stdin and runs in bash', async () => {
    const { stdout } = await sandbox.run('cat; [[ abc == a* ]] && echo yes; arr=(1 2); echo "${#arr[@]}"');
    expect(stdout).toBe('yes\n2\n');
  });

  it('the outcome of a command names the signal that killed it', async () => {
    expect((await sandbox.run('kill -TERM $$')).outcome).toMatchObject({ exitCode: 143, signal: 'SIGTERM' });
    expect((await sandbox.run('kill -KILL $$')).outcome).toMatchObject({ signal: 'SIGKILL', outOfMemory: false });
  });

  it('a command is killed at its time limit, together with everything that it started', async () => {
    const { outcome, stdout } = await sandbox.run('echo begun; (trap "" TERM; sleep 60) & sleep 60', {
      timeoutMs: 700,
    });
    expect(outcome).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: true, cancelled: false });
    expect([stdout, outcome.durationMs < 10_000]).toEqual(['begun\n', true]);
  });

  it('a command that exceeds its memory limit is killed', async () => {
    const { outcome } = await sandbox.run(`exec python3 -c 'x = "a" * (200 << 20)'`);
    expect(outcome).toMatchObject({ exitCode: 137, signal: 'SIGKILL', outOfMemory: true, timedOut: false });
  });

  it('a command can be cancelled', async () => {
    const request = sandbox.request('echo begun; sleep 60');
    const ending = sandbox.toEnd(request);
    await until(async () => (await containersOf(request.runId))[0]?.State === 'running', 'the container runs');
    const status = await ended(request.runId);
    expect(status).toMatchObject({ state: 'ended', outcome: { cancelled: true, exitCode: null, signal: 'SIGKILL' } });
    expect((await ending).outcome).toEqual(status.outcome);
    expect(await containersOf(request.runId)).toEqual([]);
    expect(await sandbox.cancel(request.runId)).toEqual(status);
  });

  it('a cancelled command that prints endlessly has stopped by the time its end is reported', async () => {
    const request = sandbox.request('(while :; do date +%s%3N > next; mv next beat; sleep 0.02; done) & yes');
    const ending = sandbox.toEnd(request);
    for await (const _ of sandbox.frames(request)) break;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await ended(request.runId)).toMatchObject({ state: 'ended', outcome: { cancelled: true } });
    const endedAt = Date.now();
    expect((await ending).outcome.omittedBytes).toBeGreaterThan(0);
    // Both times come from the clock of the machine.
    expect(Number((await sandbox.run('cat beat')).stdout)).toBeLessThanOrEqual(endedAt);
  });

  it('a command can be cancelled during its start', async () => {
    const request = sandbox.request('sleep 60');
    const ending = sandbox.toEnd(request);
    await until(async () => (await sandbox.ask('GET', `/v1/runs/${request.runId}`)).status === 200, 'it is known');
    expect(await sandbox.cancel(request.runId)).toMatchObject({ state: 'ended', outcome: { cancelled: true } });
    expect((await ending).outcome.cancelled).toBe(true);
    expect(await containersOf(request.runId)).toEqual([]);
  });

  it('a command ends if someone else removes its container', async () => {
    const request = sandbox.request('sleep 60');
    const watching = (async () => {
      const frames: RunFrame[] = [];
      for await (const frame of sandbox.frames(request)) frames.push(frame);
      return frames.at(-1)?.type;
    })();
    const [container] = await until(async () => {
      const found = await containersOf(request.runId);
      return found[0]?.State === 'running' && found;
    }, 'the container runs');
    await docker.getContainer(container?.Id ?? '').remove({ force: true });
    // The engine may or may not still report how the container died.
    expect(['exit', 'error']).toContain(await watching);
    const ended = await until(async () => {
      const status = await sandbox.status(request.runId);
      return status.state !== 'running' && status;
    }, 'it ends');
    expect(ended.outcome?.exitCode).not.toBe(0);
    expect(ended.outcome?.cancelled).not.toBe(true);
  });

  it('a command continues when its client disconnects', async () => {
    const request = sandbox.request('echo one; sleep 60; echo two');
    const gone = new AbortController();
    for await (const frame of sandbox.frames(request, gone.signal)) {
      expect(frame).toEqual({ type: 'output', stream: 'stdout', text: 'one\n' });
      break;
    }
    gone.abort();
    expect(await sandbox.status(request.runId)).toMatchObject({ state: 'running', outcome: null });
    await wake(request.runId);
    const { stdout, outcome } = await sandbox.toEnd(request);
    expect([stdout, outcome.output]).toEqual(['one\ntwo\n', 'one\ntwo\n']);
  });
});

describe('containers', () => {
  it('a container has a read-only root, a /tmp that allows executables, and a persistent workspace', async () => {
    const first = await sandbox.run(
      'touch /usr/x; touch /x; printf "#!/bin/sh\\necho ran" > /tmp/p; chmod +x /tmp/p; /tmp/p; echo kept > note; stat -c %U .',
    );
    expect(first.stdout).toBe('ran\naish\n');
    expect(first.stderr.match(/Read-only file system/g)).toHaveLength(2);
    expect((await sandbox.run('cat note; ls /tmp')).stdout).toBe('kept\n');
    const other = await sandbox.run('cat note', { workspaceId: randomUUID() });
    expect(other.outcome.exitCode).toBe(1);
  });

  it('a container has no network, cannot gain privileges, and runs no process as root', async () => {
    const { stdout } = await sandbox.run(
      'id -u; id -g; grep -hE "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status | tr "\\t" " "; ls /sys/class/net; ' +
        'curl -s -m 2 http://1.1.1.1 || echo "curl $?"; ls /var/run/docker.sock 2>&1; env | sort',
    );
    expect(stdout.split('\n')).toEqual([
      '1000',
      '1000',
      'CapEff: 0000000000000000',
      'CapBnd: 0000000000000000',
      'NoNewPrivs: 1',
      'Seccomp: 2',
      'lo',
      expect.stringMatching(/^curl [1-9]/),
      expect.stringContaining('No such file'),
      expect.any(String),
      ...Array.from({ length: stdout.split('\n').length - 10 }, () => expect.any(String)),
    ]);
    expect(stdout).not.toContain(ground.config.SANDBOX_TOKEN);
  });

  it('a fork bomb is limited, and the next command runs', async () => {
    const { outcome } = await sandbox.run('for i in $(seq 200); do sleep 3 & done; wait', { timeoutMs: 2_500 });
    expect(outcome.output).toMatch(/Resource temporarily unavailable|fork/);
    expect((await sandbox.run('echo fine')).stdout).toBe('fine\n');
  });

  it('both the stored and the streamed output of a command are limited', async () => {
    const { frames, stdout, outcome } = await sandbox.run('echo first; yes é | head -c 3000000; echo; echo last');
    expect(Buffer.byteLength(outcome.output)).toBeLessThanOrEqual(4096);
    expect(outcome.output.startsWith('first\né\n')).toBe(true);
    expect(outcome.output.endsWith('é\n\nlast\n')).toBe(true);
    expect(outcome.output).not.toContain('\ufffd');
    expect(outcome.omittedBytes).toBe(3_000_012 - (Buffer.byteLength(outcome.output) - 5));
    expect(Buffer.byteLength(stdout)).toBeLessThan(65_536 + 40_000);
    expect(frames.at(-1)?.type).toBe('exit');
  });

  it('a long output is stored completely until its workspace is removed', async () => {
    const other = new Caller(service.url, ground.config.SANDBOX_TOKEN);
    // The pause is needed because the two streams have no common order.
    const long = other.request('seq 1 100000; sleep 1; echo last >&2');
    expect((await other.toEnd(long)).outcome.omittedBytes).toBeGreaterThan(0);
    const at = `/v1/workspaces/${other.workspaceId}/outputs`;
    const whole = await other.ask('GET', `${at}/${long.runId}`);
    const lines = String(whole.body).split('\n');
    expect([whole.headers.get('x-omitted-bytes'), lines.length, lines[77_776]]).toEqual(['0', 100_002, '77777']);
    expect(lines.at(-2)).toBe('last');
    const short = other.request('echo short');
    await other.toEnd(short);
    expect((await other.ask('GET', `${at}/${short.runId}`)).status).toBe(404);
    expect((await other.ask('DELETE', `/v1/workspaces/${other.workspaceId}`)).status).toBe(204);
    expect((await other.ask('GET', `${at}/${long.runId}`)).status).toBe(404);
  });

  it('output that is not valid UTF-8 is still returned as text', async () => {
    const { stdout } = await sandbox.run(`printf '\\342\\202'; sleep 0.1; printf '\\254 \\377 \\360\\237'`);
    expect(stdout).toBe('€ \ufffd \ufffd');
  });
});

describe('run ids', () => {
  it('a command runs only once for each run ID, even if several requests have the same ID', async () => {
    const request = sandbox.request('echo line >> once; sleep 0.3; cat once');
    const all = await Promise.all(
      [request, request, { ...request, runId: request.runId.toUpperCase() }].map((r) => sandbox.toEnd(r)),
    );
    const later = await sandbox.toEnd({ ...request, command: 'echo something else' });
    expect([...all, later].map(({ stdout }) => stdout)).toEqual(Array.from({ length: 4 }, () => 'line\n'));
    expect((await sandbox.run('wc -l < once')).stdout).toBe('1\n');
  });

  it('a waiting run can be cancelled, and a run is refused if the queue is full', async () => {
    const running = [sandbox.request('sleep 60'), sandbox.request('sleep 60')];
    const endings = running.map((request) => sandbox.toEnd(request));
    await until(async () => (await containersOf(running[1]?.runId ?? ''))[0]?.State === 'running', 'two run');
    await until(async () => (await containersOf(running[0]?.runId ?? ''))[0]?.State === 'running', 'two run');
    const queued = sandbox.request('touch should-not-be');
    const waiting = sandbox.toEnd(queued);
    await until(async () => (await sandbox.ask('GET', `/v1/runs/${queued.runId}`)).status === 200, 'one waits');
    expect(SandboxStatus.parse((await sandbox.ask('GET', '/v1/status')).body)).toMatchObject({
      ready: true,
      running: 2,
    });
    const refused = await sandbox.ask('POST', '/v1/runs', sandbox.request('true'));
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many', retryAfterS: 2 } });
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(await sandbox.cancel(queued.runId)).toMatchObject({
      state: 'ended',
      outcome: { cancelled: true, durationMs: 0 },
    });
    expect((await waiting).outcome.cancelled).toBe(true);
    const next = sandbox.run('ls');
    await Promise.all(running.map(({ runId }) => sandbox.cancel(runId)));
    await Promise.all(endings);
    expect((await next).stdout).not.toContain('should-not-be');
  });
});

describe('requests', () => {
  it('the sandbox refuses a request without the token, except for the health page', async () => {
    for (const [method, path] of [
      ['POST', '/v1/runs'],
      ['GET', '/v1/status'],
      ['GET', `/v1/runs/${randomUUID()}`],
      ['DELETE', `/v1/workspaces/${randomUUID()}`],
    ] as const) {
      expect(
        await sandbox.ask(method, path, method === 'POST' ? sandbox.request('true') : undefined, 'wrong'),
      ).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    }
    expect(logged.join('')).not.toContain(ground.config.SANDBOX_TOKEN);
    expect(Health.parse((await sandbox.ask('GET', '/v1/health', undefined, 'wrong')).body)).toEqual({
      status: 'ok',
      version: '0.0.0',
      checks: { engine: { ok: true, detail: null }, image: { ok: true, detail: null } },
    });
  });

  it('the sandbox refuses an invalid request with a reason', async () => {
    const bad = async (over: object) =>
      (await sandbox.ask('POST', '/v1/runs', { ...sandbox.request('true'), ...over })).body;
    expect(await bad({ runId: 'x', command: '', more: 1 })).toMatchObject({
      status: 400,
      code: 'invalid_body',
      errors: expect.arrayContaining([
        expect.objectContaining({ path: 'runId' }),
        expect.objectContaining({ path: 'command' }),
      ]),
    });
    expect(await bad({ command: 'x'.repeat(32_769) })).toMatchObject({
      status: 400,
      code: 'command_too_long',
      maxChars: 32_768,
    });
    expect(await bad({ command: 'echo \0' })).toMatchObject({ code: 'invalid_body', errors: [{ path: 'command' }] });
    expect(await bad({ command: 'x'.repeat(300_000) })).toMatchObject({ status: 413, code: 'payload_too_large' });
    expect(await sandbox.ask('GET', '/v1/runs/7')).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    for (const method of ['GET', 'DELETE']) {
      expect(await sandbox.ask(method, `/v1/runs/${randomUUID()}`)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    }
  });
});

describe('workspaces', () => {
  it('a workspace that is in use cannot be deleted, and a deleted workspace is gone', async () => {
    const workspaceId = randomUUID();
    const request = sandbox.request('sleep 60', { workspaceId });
    const ending = sandbox.toEnd(request);
    await until(async () => (await containersOf(request.runId))[0]?.State === 'running', 'the container runs');
    expect(await sandbox.ask('DELETE', `/v1/workspaces/${workspaceId}`)).toMatchObject({
      status: 409,
      body: { code: 'locked' },
    });
    await sandbox.cancel(request.runId);
    await ending;
    const filters = { label: [`dev.aish.workspace=${workspaceId}`] };
    // The volume is created again for the next command.
    await until(async () => (await docker.listVolumes({ filters })).Volumes.length === 1, 'the volume is there');
    expect(await sandbox.ask('DELETE', `/v1/workspaces/${workspaceId}`)).toMatchObject({ status: 204 });
    expect((await docker.listVolumes({ filters })).Volumes).toHaveLength(0);
    expect(await sandbox.ask('DELETE', `/v1/workspaces/${workspaceId}`)).toMatchObject({ status: 204 });
  });
});

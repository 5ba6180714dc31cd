import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { SandboxStatus, type RunFrame, type RunRequestInput } from '@aish/contracts/runs';
import { containerName, containerSpec, warmSpec } from './engine/container-spec.js';
import { tokenInput, commandInput, newToken } from './engine/launcher.js';
import { CANCELLED_IN_QUEUE } from './runs/outcome.js';
import {
  Caller,
  cleanUp,
  containersOf,
  docker,
  newTestSettings,
  until,
  wake,
  warmOf,
  type TestSettings,
} from '../testing/sandbox.fixture.js';

jest.setTimeout(60_000);

const project = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The built service as a separate process, which the test can kill. */
interface Service {
  readonly process: ChildProcess;
  readonly sandbox: Caller;
}

const children = new Set<ChildProcess>();
const grounds: TestSettings[] = [];

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await Promise.all(grounds.splice(0).map(cleanUp));
});

async function ground(over: Readonly<Record<string, string>> = {}): Promise<TestSettings> {
  const made = await newTestSettings(over);
  grounds.push(made);
  return made;
}

async function start({ env, config }: TestSettings): Promise<Service> {
  const child = spawn(process.execPath, [join(project, 'dist/bundle/main.js')], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const entry = JSON.parse(line) as { msg?: string; url?: string };
    if (entry.msg !== 'listening' || entry.url === undefined) continue;
    child.stdout.resume();
    return { process: child, sandbox: new Caller(entry.url, config.SANDBOX_TOKEN) };
  }
  throw new Error('the service ended before it listened');
}

async function stop({ process: child }: Service, signal: NodeJS.Signals): Promise<unknown[]> {
  const exited = once(child, 'exit');
  child.kill(signal);
  return exited;
}

/**
 * Returns whether the run's command (a sleep) is running, because a running container may still be waiting for its
 * command.
 */
const isRunning = (runId: string) => async () => {
  const [found] = await containersOf(runId);
  if (found?.State !== 'running') return false;
  const { Processes } = await docker.getContainer(found.Id).top();
  return Processes.some((columns: readonly string[]) => columns.at(-1)?.startsWith('sleep '));
};
const endsWithError = (frames: readonly RunFrame[]) => frames.at(-1);

async function framesOf(sandbox: Caller, request: RunRequestInput): Promise<RunFrame[]> {
  const frames: RunFrame[] = [];
  for await (const frame of sandbox.frames(request)) frames.push(frame);
  return frames;
}

describe('recovery after a crash of the service', () => {
  it('the output and session of a command with an exposed secret are discarded after a crash', async () => {
    const place = await ground();
    const first = await start(place);
    const value = 'a-value-in-clear';
    const placeholder = `aish-secret-${'0'.repeat(32)}`;
    const kept = { targets: [], body: false, certificate: null, exposed: true };
    const request = first.sandbox.request('echo "$PASS"; export COPY="$PASS"; sleep 3; echo "$PASS"', {
      secrets: [{ name: 'PASS', value, placeholder, ...kept }],
    });
    const seen = framesOf(first.sandbox, request).catch(() => []);
    await until(isRunning(request.runId), 'the command runs');
    await stop(first, 'SIGKILL');
    await seen;
    const { sandbox } = await start(place);
    const { stdout, stderr, outcome } = await sandbox.toEnd(request);
    expect([stdout + stderr, outcome.output]).toEqual([
      expect.stringContaining('not shown'),
      expect.stringContaining('not shown'),
    ]);
    expect(stdout + stderr + outcome.output).not.toContain(value);
    const next = await sandbox.run('echo "[$COPY$PASS]"', { workspaceId: request.workspaceId });
    expect(next.stdout).toBe('[]\n');
  });

  it('a run that continues during a restart is taken over with all its output and its time limit, and runs only once', async () => {
    const place = await ground();
    const first = await start(place);
    const request = first.sandbox.request(
      'echo ran >> log; for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.3; done; exit 4',
    );
    const limited = first.sandbox.request('sleep 60', { timeoutMs: 3_000 });
    const abandoned = [framesOf(first.sandbox, request), framesOf(first.sandbox, limited)];
    await until(isRunning(request.runId), 'the container runs');
    await until(isRunning(limited.runId), 'the container runs');
    await stop(first, 'SIGKILL');
    for (const stream of abandoned) await expect(stream).rejects.toThrow(/^(terminated|fetch failed)$/);

    const { sandbox } = await start(place);
    expect(await sandbox.status(request.runId)).toMatchObject({ state: 'running' });
    const { stdout, outcome } = await sandbox.toEnd(request);
    expect(stdout).toBe('1\n2\n3\n4\n5\n6\n7\n8\n');
    expect(outcome).toMatchObject({ exitCode: 4, output: stdout, omittedBytes: 0 });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(2_400);
    expect((await sandbox.toEnd(limited)).outcome).toMatchObject({ timedOut: true, exitCode: null });
    const read = await sandbox.run('cat log', { workspaceId: request.workspaceId });
    expect(read.stdout).toBe('ran\n');
    await until(async () => (await containersOf(request.runId)).length === 0, 'its container is removed');
  });

  it('a run that prints nothing for a long time is still taken over after a restart', async () => {
    const place = await ground({ WARM_MAX: '1' });
    const first = await start(place);
    await first.sandbox.run('true');
    await until(async () => (await warmOf(first.sandbox.workspaceId)).length === 1, 'a container waits');
    const request = first.sandbox.request('echo ran >> log; sleep 6; cat log');
    const abandoned = framesOf(first.sandbox, request);
    await until(isRunning(request.runId), 'the container runs');
    await stop(first, 'SIGKILL');
    await expect(abandoned).rejects.toThrow(/^(terminated|fetch failed)$/);

    const { sandbox } = await start(place);
    const { outcome } = await sandbox.toEnd(request);
    expect(outcome).toMatchObject({ exitCode: 0, output: 'ran\n' });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(6_000);
  });

  it('a run that ended during a restart gets its outcome from the engine', async () => {
    const place = await ground();
    const first = await start(place);
    const request = first.sandbox.request('echo out; sleep 0.7; echo err >&2; exit 5');
    const abandoned = framesOf(first.sandbox, request);
    await until(isRunning(request.runId), 'the container runs');
    await stop(first, 'SIGKILL');
    await expect(abandoned).rejects.toThrow(/^(terminated|fetch failed)$/);
    await until(async () => (await containersOf(request.runId))[0]?.State === 'exited', 'the command ends');

    const { sandbox } = await start(place);
    const { outcome } = await sandbox.toEnd(request);
    expect(outcome).toMatchObject({ exitCode: 5, output: 'out\nerr\n', timedOut: false, cancelled: false });
    await until(async () => (await containersOf(request.runId)).length === 0, 'its container is removed');
  });

  it('a run that never started is lost after a restart, and never runs', async () => {
    const place = await ground();
    const [noContainer, created, unrecorded] = [randomUUID(), randomUUID(), randomUUID()];
    const workspaceId = randomUUID();
    const marker = (runId: string) => join(place.config.SANDBOX_STATE_DIR, `${runId}.json`);
    for (const runId of [noContainer, created]) await writeFile(marker(runId), JSON.stringify({ state: 'starting' }));
    for (const runId of [created, unrecorded]) {
      const spec = { runId, workspaceId, token: newToken(), deadline: new Date() };
      await docker.createContainer(containerSpec(spec, place.config));
    }

    const { sandbox } = await start(place);
    for (const runId of [noContainer, created]) {
      expect(await sandbox.status(runId)).toMatchObject({ state: 'lost', outcome: null });
      const frames = await framesOf(sandbox, sandbox.request('touch it-ran', { runId, workspaceId }));
      expect(frames).toEqual([{ type: 'error', problem: expect.objectContaining({ code: 'run_lost', status: 410 }) }]);
      expect(await sandbox.cancel(runId)).toMatchObject({ state: 'lost' });
    }
    expect(await sandbox.ask('GET', `/v1/runs/${unrecorded}`)).toMatchObject({ status: 404 });
    await until(async () => (await containersOf(created)).length === 0, 'its container is removed');
    expect(await containersOf(unrecorded)).toEqual([]);
    expect((await sandbox.run('ls', { workspaceId })).stdout).toBe('');
  });

  it('a run whose container had not received its command counts as not begun, and can be requested again', async () => {
    const place = await ground();
    const [named, unnamed] = [randomUUID(), randomUUID()];
    const workspaceId = randomUUID();
    const wait = async (runId: string) => {
      const spec = warmSpec({ id: runId, workspaceId, token: newToken() }, place.config);
      const container = await docker.createContainer(spec);
      await container.start();
      await writeFile(
        join(place.config.SANDBOX_STATE_DIR, `${runId}.json`),
        JSON.stringify({ state: 'starting', waiting: spec.name }),
      );
      return container;
    };
    // Nobody ever held the container's stdin, so the container does not end by itself.
    await (await wait(named)).rename({ name: containerName(place.instance, named) });
    await wait(unnamed);

    const { sandbox } = await start(place);
    for (const runId of [named, unnamed]) {
      expect(await sandbox.ask('GET', `/v1/runs/${runId}`)).toMatchObject({ status: 404 });
      const { stdout } = await sandbox.toEnd(
        sandbox.request('echo ran >> log; cat log', { runId, workspaceId: runId }),
      );
      expect(stdout).toBe('ran\n');
    }
    expect(await warmOf(workspaceId)).toEqual([]);
  });

  it('a run in a renamed waiting container is taken over after a crash if the container had its command', async () => {
    const place = await ground();
    const runId = randomUUID();
    const workspaceId = randomUUID();
    const token = newToken();
    const spec = warmSpec({ id: runId, workspaceId, token }, place.config);
    const container = await docker.createContainer(spec);
    const stdin = await container.attach({ stream: true, stdin: true, hijack: true });
    await container.start();
    await container.rename({ name: containerName(place.instance, runId) });
    const times = { startedAt: new Date().toISOString(), deadline: new Date(Date.now() + 2_500).toISOString() };
    await writeFile(
      join(place.config.SANDBOX_STATE_DIR, `${runId}.json`),
      JSON.stringify({ state: 'starting', waiting: spec.name, ...times }),
    );
    const session = { folder: '/tmp', variables: ['X=1'] };
    stdin.write(tokenInput(token));
    const command = 'echo "$PWD $X"; export X=2; cd /; sleep 60';
    stdin.write(commandInput({ command, session, keep: true, strict: false }));

    const { sandbox } = await start(place);
    expect(await sandbox.status(runId)).toMatchObject({ state: 'running' });
    const { stdout, outcome } = await sandbox.toEnd(sandbox.request('echo other', { runId, workspaceId }));
    stdin.end();
    expect([stdout, outcome.timedOut, outcome.exitCode]).toEqual(['/tmp 1\n', true, null]);
    expect(outcome.durationMs).toBeLessThan(50_000);
  });

  it('recorded outcomes survive a crash, and leftover containers are removed', async () => {
    const place = await ground();
    const runId = randomUUID();
    await writeFile(
      join(place.config.SANDBOX_STATE_DIR, `${runId}.json`),
      JSON.stringify({ state: 'ended', outcome: { ...CANCELLED_IN_QUEUE, output: 'kept', exitCode: 7 } }),
    );
    const spec = { runId, workspaceId: randomUUID(), token: newToken(), deadline: new Date() };
    const container = await docker.createContainer(containerSpec(spec, place.config));
    await container.start();

    const { sandbox } = await start(place);
    const { stdout, outcome } = await sandbox.toEnd(sandbox.request('echo other', { runId }));
    expect([stdout, outcome.exitCode]).toEqual(['kept', 7]);
    await until(async () => (await containersOf(runId)).length === 0, 'its container is removed');
  });

  it('a service leaves containers and runs of other instances alone', async () => {
    const [mine, theirs] = [await ground(), await ground()];
    const spec = { runId: randomUUID(), workspaceId: randomUUID(), token: newToken(), deadline: new Date() };
    const container = await docker.createContainer(containerSpec(spec, theirs.config));
    await container.start();
    const { sandbox } = await start(mine);
    expect((await sandbox.ask('GET', `/v1/runs/${spec.runId}`)).status).toBe(404);
    expect((await containersOf(spec.runId)).map(({ State }) => State)).toEqual(['running']);
  });
});

describe('stop and restart of the service', () => {
  it('on SIGTERM the service refuses waiting runs, and its next start takes over running ones', async () => {
    const place = await ground({ RUNS_AT_ONCE: '1' });
    const first = await start(place);
    const request = first.sandbox.request('echo one; sleep 60; echo two');
    const queued = first.sandbox.request('touch queued-ran');
    const streams = [framesOf(first.sandbox, request)];
    await until(isRunning(request.runId), 'the container runs');
    streams.push(framesOf(first.sandbox, queued));
    await until(async () => (await first.sandbox.ask('GET', `/v1/runs/${queued.runId}`)).status === 200, 'one waits');
    expect(await stop(first, 'SIGTERM')).toEqual([0, null]);
    const [cut, refused] = await Promise.all(streams);
    expect(cut?.some(({ type }) => type === 'exit')).toBe(false);
    expect(refused).toMatchObject([{ type: 'error', problem: { code: 'service_stopping' } }]);
    expect((await containersOf(request.runId)).map(({ State }) => State)).toEqual(['running']);

    const { sandbox } = await start(place);
    await wake(request.runId);
    expect((await sandbox.toEnd(request)).stdout).toBe('one\ntwo\n');
    expect((await sandbox.ask('GET', `/v1/runs/${queued.runId}`)).status).toBe(404);
    expect((await sandbox.run('ls', { workspaceId: queued.workspaceId })).stdout).toBe('');
  });
});

describe('without an engine', () => {
  it('a service without an engine refuses runs with an error, and works again when the engine returns', async () => {
    const folder = (await ground()).config.SANDBOX_STATE_DIR;
    const socket = join(folder, 'docker.sock');
    const place = await ground({ DOCKER_SOCKET: socket });
    const unclear = randomUUID();
    await writeFile(join(place.config.SANDBOX_STATE_DIR, `${unclear}.json`), JSON.stringify({ state: 'starting' }));
    const { sandbox } = await start(place);
    const request = sandbox.request('echo here');
    const refused = await sandbox.ask('POST', '/v1/runs', request);
    expect(refused).toMatchObject({
      status: 503,
      body: { code: 'engine_unavailable', detail: expect.stringContaining('Install and start Docker') },
    });
    expect((await sandbox.ask('GET', `/v1/runs/${request.runId}`)).body).toMatchObject({ code: 'engine_unavailable' });
    expect((await sandbox.ask('GET', `/v1/runs/${unclear}`)).body).toMatchObject({ code: 'sandbox_interrupted' });
    expect((await sandbox.ask('POST', '/v1/runs', { ...request, runId: unclear })).body).toMatchObject({
      code: 'sandbox_interrupted',
    });
    expect(SandboxStatus.parse((await sandbox.ask('GET', '/v1/status')).body)).toMatchObject({
      ready: false,
      engine: null,
    });
    expect(await sandbox.ask('GET', '/v1/health')).toMatchObject({
      status: 200,
      body: { status: 'degraded', checks: { engine: { ok: false } } },
    });

    await engineAt(socket);
    await until(
      async () =>
        (await sandbox.ask('GET', '/v1/health')).status === 200 &&
        SandboxStatus.parse((await sandbox.ask('GET', '/v1/status')).body).ready,
      'the engine is noticed',
    );
    expect((await sandbox.toEnd(request)).stdout).toBe('here\n');
    expect(await sandbox.status(unclear)).toMatchObject({ state: 'lost' });
  });

  it('the volume of a workspace that is deleted without an engine is removed when the engine returns', async () => {
    const folder = (await ground()).config.SANDBOX_STATE_DIR;
    const socket = join(folder, 'docker.sock');
    const place = await ground({ DOCKER_SOCKET: socket });
    const first = await engineAt(socket);
    const begun = await start(place);
    await begun.sandbox.run('touch file');
    const { workspaceId } = begun.sandbox;
    const filters = { label: [`dev.aish.workspace=${workspaceId}`] };
    const volumes = async () => (await docker.listVolumes({ filters })).Volumes.length;
    expect(await volumes()).toBe(1);
    first.close();
    await until(
      async () => (await begun.sandbox.ask('DELETE', `/v1/workspaces/${workspaceId}`)).status === 204,
      'gone',
    );
    await stop(begun, 'SIGTERM');
    expect(await volumes()).toBe(1);
    await engineAt(socket);
    await start(place);
    await until(async () => (await volumes()) === 0, 'the volume is removed');
  });

  it('a waiting container that died with the engine does not prevent later commands from being held', async () => {
    const socket = join((await ground()).config.SANDBOX_STATE_DIR, 'docker.sock');
    const first = await engineAt(socket);
    const place = await ground({ DOCKER_SOCKET: socket, SANDBOX_LAYERS: 'on' });
    const { sandbox } = await start(place);
    const { workspaceId } = sandbox;
    const hold = { origin: workspaceId, mode: 'must' } as const;
    await sandbox.run('touch one', { hold });
    const [waits] = await until(async () => {
      const found = await warmOf(workspaceId);
      return found[0]?.State === 'running' && found;
    }, 'a container waits');
    first.close();
    // Without the service, the container's launcher sometimes ends by itself before this.
    await docker
      .getContainer(waits?.Id ?? '')
      .kill()
      .catch((error: { readonly statusCode?: number }) => {
        if (error.statusCode !== 409) throw error;
      });
    await until(
      async () => (await docker.getContainer(waits?.Id ?? '').inspect()).State.Status === 'exited',
      'it is dead',
    );
    const body = sandbox.request('ls', { hold });
    expect((await sandbox.ask('POST', '/v1/runs', body)).body).toMatchObject({ code: 'engine_unavailable' });
    expect((await warmOf(workspaceId)).map(({ State }) => State)).toEqual(['exited']);
    await engineAt(socket);
    await until(
      async () => SandboxStatus.parse((await sandbox.ask('GET', '/v1/status')).body).ready,
      'the engine is noticed',
    );
    // After this upload, the next held command needs a new layer.
    const put = await fetch(`${sandbox.url}/v1/workspaces/${workspaceId}/file?path=two`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${place.config.SANDBOX_TOKEN}`, 'content-type': 'application/octet-stream' },
      body: 'two',
    });
    expect(put.status).toBeLessThan(300);
    expect((await sandbox.toEnd(body)).stdout).toBe('one\ntwo\n');
    const left = (await warmOf(workspaceId)).map(({ Id }) => Id);
    expect(left).not.toContain(waits?.Id);
  });

  it('the error for a missing image names the script that builds it', async () => {
    const { sandbox } = await start(await ground({ SANDBOX_IMAGE: 'aish-sandbox:no-such-tag' }));
    const request = sandbox.request('true');
    expect(await sandbox.ask('POST', '/v1/runs', request)).toMatchObject({
      status: 503,
      body: { code: 'image_missing', detail: expect.stringContaining('services/sandbox/image/build.sh') },
    });
    expect((await sandbox.ask('GET', `/v1/runs/${request.runId}`)).status).toBe(404);
    expect(await sandbox.ask('GET', '/v1/health')).toMatchObject({
      status: 200,
      body: { status: 'degraded', checks: { engine: { ok: true }, image: { ok: false } } },
    });
  });

  it('a client gets an error when the engine disappears during a run, and can reconnect for the rest', async () => {
    const folder = (await ground()).config.SANDBOX_STATE_DIR;
    const socket = join(folder, 'docker.sock');
    const engine = await engineAt(socket);
    const { sandbox } = await start(await ground({ DOCKER_SOCKET: socket }));
    const request = sandbox.request('echo one; sleep 60; echo two; exit 6');
    const first = framesOf(sandbox, request);
    await until(isRunning(request.runId), 'the container runs');
    await new Promise((resolve) => setTimeout(resolve, 300));
    engine.breakAll();
    expect(endsWithError(await first)).toMatchObject({ type: 'error', problem: { code: 'sandbox_interrupted' } });
    await wake(request.runId);
    const { stdout, outcome } = await sandbox.toEnd(request);
    expect([stdout, outcome.exitCode, outcome.output]).toEqual(['one\ntwo\n', 6, 'one\ntwo\n']);
  });
});

describe('start of the service', () => {
  it('a service that cannot start reports all reasons at once', async () => {
    const child = spawn(process.execPath, [join(project, 'dist/bundle/main.js')], {
      env: { PATH: process.env['PATH'] ?? '', PORT: 'x', SANDBOX_TOKEN: 'short-secret' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.add(child);
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    expect(await once(child, 'close')).toEqual([1, null]);
    for (const name of ['PORT', 'SANDBOX_TOKEN', 'SANDBOX_STATE_DIR']) expect(log).toContain(`${name}: `);
    expect(log).not.toContain('short-secret');
  });
});

/** Opens a connection to the real engine that the test can cut. */
async function engineAt(socket: string): Promise<{ breakAll: () => void; close: () => void }> {
  const open = new Set<{ destroy: () => void }>();
  const server = createServer((inside) => {
    const outside = connect('/var/run/docker.sock');
    for (const end of [inside, outside]) {
      open.add(end);
      end.on('error', () => end.destroy());
      end.on('close', () => open.delete(end));
    }
    inside.on('close', () => outside.destroy());
    outside.on('close', () => inside.destroy());
    inside.pipe(outside).pipe(inside);
  });
  server.unref();
  server.listen(socket);
  await once(server, 'listening');
  const breakAll = () => {
    for (const end of open) end.destroy();
  };
  return {
    breakAll,
    close: () => {
      server.close();
      breakAll();
    },
  };
}

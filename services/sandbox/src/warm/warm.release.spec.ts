import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SandboxStatus } from '@aish/contracts/runs';
import { createLogger, type RunningService } from '@aish/http';
import {
  Caller,
  cleanUp,
  containersOf,
  docker,
  newTestSettings,
  until,
  warmOf,
  type TestSettings,
} from '../../testing/sandbox.fixture.js';
import { startService, stopService, type Service } from '../../testing/service.fixture.js';
import { startSandbox } from '../start-sandbox.js';

jest.setTimeout(60_000);

let ground: TestSettings;
let service: RunningService;
let sandbox: Caller;
beforeAll(async () => {
  ground = await newTestSettings({ WARM_MAX: '2', RUN_MEMORY_MB: '64' });
  service = await startSandbox(ground.config, createLogger('error', 'sandbox'), { version: '0', handleSignals: false });
  sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
});
afterAll(async () => {
  await service.app.close();
  await cleanUp(ground);
});

/** Resolves when a container waits for a command of the workspace. */
function waiting(workspaceId: string): Promise<string> {
  return until(async () => {
    const [found] = await warmOf(workspaceId);
    return found?.State === 'running' && found.Id;
  }, 'a container waits');
}

const isRunning = (runId: string) => async () => (await containersOf(runId))[0]?.State === 'running';

describe('waiting containers', () => {
  it('a container is prepared after each command, and used only for the next one', async () => {
    const workspaceId = randomUUID();
    await sandbox.run('echo first > note', { workspaceId });
    const id = await waiting(workspaceId);
    const request = sandbox.request('cat note; echo err >&2; touch /tmp/seen; sleep 0.5; exit 3', { workspaceId });
    const ending = sandbox.toEnd(request);
    await until(isRunning(request.runId), 'it runs');
    expect((await containersOf(request.runId)).map(({ Id }) => Id)).toEqual([id]);
    const { stdout, stderr, outcome } = await ending;
    expect([stdout, stderr, outcome.exitCode]).toEqual(['first\n', 'err\n', 3]);
    expect(outcome.durationMs).toBeGreaterThanOrEqual(500);
    expect(outcome.durationMs).toBeLessThan(50_000);
    await until(async () => (await containersOf(request.runId)).length === 0, 'its container is removed');
    expect(await waiting(workspaceId)).not.toBe(id);
    expect((await sandbox.run('ls -A /tmp', { workspaceId })).stdout).toBe('');
  });

  it('a client can ask for a waiting container and learns whether the container is ready', async () => {
    const workspaceId = randomUUID();
    const answer = await sandbox.ask('POST', `/v1/workspaces/${workspaceId}/prepare`);
    expect(answer).toMatchObject({ status: 200, body: { ready: true } });
    const status = SandboxStatus.parse((await sandbox.ask('GET', '/v1/status')).body);
    expect(status.warm).toBeGreaterThanOrEqual(1);
    expect((await warmOf(workspaceId)).map(({ State }) => State)).toEqual(['running']);
  });

  it('a waiting container has the same limits as every container, and its time limit has not started', async () => {
    const workspaceId = randomUUID();
    await sandbox.ask('POST', `/v1/workspaces/${workspaceId}/prepare`);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const id = await waiting(workspaceId);
    const { HostConfig } = await docker.getContainer(id).inspect();
    expect(HostConfig).toMatchObject({
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      Memory: 64 * 2 ** 20,
    });
    const { outcome } = await sandbox.run('sleep 0.3', { workspaceId, timeoutMs: 1_000 });
    expect([outcome.exitCode, outcome.timedOut]).toEqual([0, false]);
    await sandbox.ask('POST', `/v1/workspaces/${workspaceId}/prepare`);
    const late = await sandbox.run('sleep 60', { workspaceId, timeoutMs: 500 });
    expect(late.outcome).toMatchObject({ timedOut: true, exitCode: null });
    expect(late.outcome.durationMs).toBeLessThan(50_000);
    await sandbox.ask('POST', `/v1/workspaces/${workspaceId}/prepare`);
    const hog = await sandbox.run(`exec python3 -c 'x = "a" * (200 << 20)'`, { workspaceId });
    expect(hog.outcome).toMatchObject({ exitCode: 137, outOfMemory: true });
  });

  it('a waiting container that died is replaced silently', async () => {
    const workspaceId = randomUUID();
    for (const end of ['kill', 'remove'] as const) {
      await sandbox.ask('POST', `/v1/workspaces/${workspaceId}/prepare`);
      const container = docker.getContainer(await waiting(workspaceId));
      // The test does not wait until the service has noticed the end.
      await (end === 'kill' ? container.kill() : container.remove({ force: true }));
      const { stdout, stderr, outcome } = await sandbox.run('echo ran >> log; cat log', { workspaceId });
      expect([stdout, stderr, outcome.exitCode]).toEqual(['ran\n'.repeat(end === 'kill' ? 1 : 2), '', 0]);
    }
  });

  it('two commands that start at the same time never share a waiting container', async () => {
    const workspaceId = randomUUID();
    await sandbox.ask('POST', `/v1/workspaces/${workspaceId}/prepare`);
    const both = await Promise.all([1, 2].map((n) => sandbox.run(`echo ${n} >> log; sleep 0.3`, { workspaceId })));
    expect(both.map(({ outcome }) => outcome.exitCode)).toEqual([0, 0]);
    expect((await sandbox.run('sort log', { workspaceId })).stdout).toBe('1\n2\n');
  });

  it('only the most recently used workspaces have waiting containers, up to a limit', async () => {
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()];
    for (const id of [a, b, a, c]) await sandbox.ask('POST', `/v1/workspaces/${id}/prepare`);
    await until(async () => (await warmOf(b)).length === 0, 'the one used least is removed');
    expect([(await warmOf(a)).length, (await warmOf(c)).length]).toEqual([1, 1]);
  });

  it('a waiting container that is removed to make room does not block the removal of its workspace', async () => {
    const prepare = (workspaceId: string) => sandbox.ask('POST', `/v1/workspaces/${workspaceId}/prepare`);
    for (let round = 0; round < 5; round += 1) {
      const workspaceId = randomUUID();
      await prepare(workspaceId);
      const others = [prepare(randomUUID()), prepare(randomUUID())];
      const removed = sandbox.ask('DELETE', `/v1/workspaces/${workspaceId}`);
      expect(await removed).toMatchObject({ status: 204 });
      await Promise.all(others);
    }
  });

  it('preparing a container does not recreate a workspace that was removed right after its command', async () => {
    const ids = Array.from({ length: 8 }, () => randomUUID());
    const answers = ids.map(async (workspaceId) => {
      await sandbox.run('echo a > note', { workspaceId });
      return (await sandbox.ask('DELETE', `/v1/workspaces/${workspaceId}`)).status;
    });
    expect(await Promise.all(answers)).toEqual(ids.map(() => 204));
    // A container that was prepared in the background would exist by then.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const { Volumes } = await docker.listVolumes({ filters: { label: ['dev.aish.workspace'] } });
    expect(Volumes.map(({ Labels }) => Labels['dev.aish.workspace'])).not.toEqual(
      expect.arrayContaining([expect.stringMatching(ids.join('|'))]),
    );
  });

  it('a waiting container is removed with its workspace', async () => {
    const workspaceId = randomUUID();
    await sandbox.run('mkdir a; cd a', { workspaceId });
    expect(await sandbox.ask('DELETE', `/v1/workspaces/${workspaceId}`)).toMatchObject({ status: 204 });
    expect(await warmOf(workspaceId)).toEqual([]);
    const filters = { label: [`dev.aish.workspace=${workspaceId}`] };
    expect((await docker.listVolumes({ filters })).Volumes).toEqual([]);
    expect((await sandbox.run('pwd', { workspaceId })).stdout).toBe('/workspace\n');
  });

  it('a command runs in the current image even if a container with an older image is waiting', async () => {
    const [Repo, old] = [`aish-spec-${ground.instance}`, await docker.getImage('aish-sandbox:latest').inspect()];
    const place = await newTestSettings({ SANDBOX_IMAGE: `${Repo}:latest` });
    const container = await docker.createContainer({ Image: 'aish-sandbox:latest', Labels: { mark: ground.instance } });
    await docker.getImage('aish-sandbox:latest').tag({ repo: Repo, tag: 'latest' });
    const other = await startSandbox(place.config, createLogger('error', 'x'), { version: '0', handleSignals: false });
    try {
      const caller = new Caller(other.url, place.config.SANDBOX_TOKEN);
      await caller.run('true');
      expect((await docker.getContainer(await waiting(caller.workspaceId)).inspect()).Image).toBe(old.Id);
      await container.commit({ repo: Repo, tag: 'latest', changes: 'ENV NEWER=yes' });
      // A status request makes the service check the image.
      await until(async () => {
        const { image } = SandboxStatus.parse((await caller.ask('GET', '/v1/status')).body);
        return image !== old.Id;
      }, 'the service knows of the new image');
      expect((await caller.run('echo "$NEWER"')).stdout).toBe('yes\n');
    } finally {
      await other.app.close();
      await cleanUp(place);
      await container.remove({ force: true });
      await docker.getImage(`${Repo}:latest`).remove({ force: true });
    }
  });
});

describe('limits of waiting containers', () => {
  const grounds: TestSettings[] = [];
  const services: Service[] = [];
  afterEach(async () => {
    await Promise.all(services.splice(0).map((each) => stopService(each, 'SIGKILL')));
    await Promise.all(grounds.splice(0).map(cleanUp));
  });
  const start = async (place: TestSettings) => {
    const started = await startService(place);
    services.push(started);
    return started;
  };
  const newPlace = async (over: Readonly<Record<string, string>> = {}) => {
    const place = await newTestSettings(over);
    grounds.push(place);
    return place;
  };

  it('containers are prepared for people while commands queue, but not for goals', async () => {
    const { sandbox: caller } = await start(await newPlace({ RUNS_AT_ONCE: '1' }));
    const prepare = async (query: string) =>
      (await caller.ask('POST', `/v1/workspaces/${randomUUID()}/prepare${query}`)).body;
    const request = caller.request('sleep 30');
    const running = caller.toEnd(request);
    await until(isRunning(request.runId), 'it runs');
    expect(await prepare('?background=true')).toEqual({ ready: true });
    const next = caller.request('true');
    const waits = caller.toEnd(next);
    await until(async () => (await caller.ask('GET', `/v1/runs/${next.runId}`)).status === 200, 'the next one waits');
    expect([await prepare('?background=true'), await prepare('')]).toEqual([{ ready: false }, { ready: true }]);
    await caller.cancel(request.runId);
    await Promise.all([running, waits]);
    expect(await prepare('?background=true')).toEqual({ ready: true });
  });

  it('a waiting container is removed when it reaches its maximum age', async () => {
    const { sandbox: caller } = await start(await newPlace({ WARM_MAX_AGE_MS: '700' }));
    await caller.run('true');
    await waiting(caller.workspaceId);
    await until(async () => (await warmOf(caller.workspaceId)).length === 0, 'it is removed');
    expect((await caller.run('echo ran')).stdout).toBe('ran\n');
  });

  it('waiting containers are removed at shutdown, or after a crash at the next start', async () => {
    const place = await newPlace();
    const first = await start(place);
    await first.sandbox.run('true');
    await waiting(first.sandbox.workspaceId);
    expect(await stopService(first, 'SIGTERM')).toEqual([0, null]);
    expect(await warmOf(first.sandbox.workspaceId)).toEqual([]);

    const second = await start(place);
    const { workspaceId } = second.sandbox;
    await second.sandbox.run('true');
    await waiting(workspaceId);
    await stopService(second, 'SIGKILL');
    await until(async () => (await warmOf(workspaceId))[0]?.State === 'exited', 'it ends');
    await start(place);
    await until(async () => (await warmOf(workspaceId)).length === 0, 'it is removed');
  });
});

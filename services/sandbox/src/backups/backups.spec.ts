import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Hold } from '@aish/contracts/runs';
import { parseSkipped } from '@aish/contracts/skipped';
import { createLogger, type RunningService } from '@aish/http';
import {
  Caller,
  cleanUp,
  newTestSettings,
  until,
  containersOf,
  type TestSettings,
} from '../../testing/sandbox.fixture.js';
import { startSandbox } from '../start-sandbox.js';

jest.setTimeout(120_000);

/** This command prints everything that a backup should restore. */
const TELL = `cd /workspace && find . -mindepth 1 -printf '%M %U %n %TY %p %l\\n' | sort -k 5; find . -type f | sort | xargs -d '\\n' cat`;
const OLD = 'touch -d 2001-02-03T04:05:06Z';

describe.each(['on', 'off'])('a backup of a workspace, with layers %s', (layers) => {
  let ground: TestSettings;
  let service: RunningService;
  let workspaceId: string;
  let sandbox: Caller;

  beforeAll(async () => {
    ground = await newTestSettings({ SANDBOX_LAYERS: layers });
    const logger = createLogger('error', 'sandbox');
    service = await startSandbox(ground.config, logger, { version: '0.0.0', handleSignals: false });
  });
  beforeEach(() => {
    sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
    ({ workspaceId } = sandbox);
  });
  afterAll(async () => {
    await service.app.close();
    await cleanUp(ground);
  });

  function at(method: string, where: string, body?: Buffer): Promise<Response> {
    const type = body === undefined ? {} : { 'content-type': 'application/x-tar' };
    return fetch(`${service.url}/v1/workspaces/${where}`, {
      method,
      headers: { authorization: `Bearer ${ground.config.SANDBOX_TOKEN}`, ...type },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(60_000),
    });
  }
  async function saved(): Promise<Buffer> {
    const response = await at('GET', `${workspaceId}/backup`);
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  }
  /** Restores a backup into a new workspace. */
  async function restored(tar: Buffer): Promise<Caller> {
    const other = new Caller(service.url, ground.config.SANDBOX_TOKEN);
    const put = await at('PUT', `${other.workspaceId}/backup`, tar);
    expect([put.status, await put.text()]).toEqual([204, '']);
    return other;
  }
  const tellOf = async (caller: Caller) => (await caller.run(TELL)).stdout;

  it('restoring a backup brings back unreadable files and links that lead out of the workspace', async () => {
    await sandbox.run(
      `mkdir -p a/b; echo 1 > a/b/one; ln a/b/one a/two; ln -s /etc/passwd out; echo 3 > $'caf\\xe9'; echo 4 > old; ${OLD} old a; chmod 700 old`,
    );
    const before = await tellOf(sandbox);
    expect(before).toContain('/etc/passwd');
    expect(await tellOf(await restored(await saved()))).toBe(before);
    await sandbox.run('mkfifo pipe; chmod 000 old a');
    const tar = await saved();
    expect(tar.toString().split('\0').flatMap(parseSkipped)).toEqual([{ path: 'pipe', why: 'it is a pipe' }]);
    const again = await restored(tar);
    expect((await again.run('ls -ld a old | cut -c1-10; chmod 700 a old; cat a/b/one old')).stdout).toBe(
      'd---------\n----------\n1\n4\n',
    );
  });

  it('the service refuses to back up a workspace that does not exist', async () => {
    expect((await at('GET', `${randomUUID()}/backup`)).status).toBe(404);
  });

  if (layers === 'off') return;

  const origin = randomUUID();
  const held = (command: string, mode: Hold['mode'] = 'may', runId = randomUUID()) =>
    sandbox.run(command, { runId, hold: { origin, mode } });
  /** This command creates files, folders, links and times. DESTROY changes each kind of them. */
  const MAKE = `mkdir -p d/e gone; echo 1 > d/1; echo 2 > d/e/2; echo 3 > gone/3; echo 4 > changed; ln -s d link; ${OLD} d/1 d`;
  const DESTROY =
    'rm -r gone d/e; mkdir d/e; echo new > d/e/new; ln d/e/new twin; echo x > changed; rm link; echo file > link; chmod 711 d; rm d/1; mkdir d/1';

  it.each(['keep', 'drop'] as const)(
    'a restored backup has the files from before the held changes, and a verdict on them works: %s',
    async (verdict) => {
      await sandbox.run(MAKE);
      const before = await tellOf(sandbox);
      const runId = randomUUID();
      const { outcome } = await held(DESTROY, 'may', runId);
      expect(outcome.held).toMatchObject({ verdict: 'waiting' });
      const tar = await saved();

      const put = await restored(tar);
      expect(await tellOf(put)).toBe(before);
      const back = await at('PUT', `${put.workspaceId}/backup/held/${runId}?origin=${origin}`, tar);
      expect([back.status, await back.text()]).toEqual([204, '']);
      await expect(put.run('ls')).rejects.toThrow(/workspace_held/);
      expect((await at('PUT', `${put.workspaceId}/backup`, tar)).status).toBe(409);
      const changes = await put.ask('GET', `/v1/workspaces/${put.workspaceId}/changes/${runId}`);
      const answer = await sandbox.ask('GET', `/v1/workspaces/${workspaceId}/changes/${runId}`);
      expect(changes.body).toEqual(answer.body);

      for (const each of [sandbox, put]) {
        const settled = await each.ask('PUT', `/v1/workspaces/${each.workspaceId}/held/${runId}`, { verdict });
        expect(settled.status).toBe(204);
      }
      const after = await tellOf(put);
      expect(after).toBe(await tellOf(sandbox));
      expect(after === before).toBe(verdict === 'drop');
      if (verdict === 'drop') return;
      expect(await put.ask('POST', `/v1/workspaces/${put.workspaceId}/snapshots/${runId}/restore`)).toMatchObject({
        status: 200,
      });
      expect(await tellOf(put)).toBe(before);
    },
  );

  it('a backup taken while a command runs contains the files from before the command', async () => {
    await sandbox.run(MAKE);
    const before = await tellOf(sandbox);
    const runId = randomUUID();
    const running = held('rm -r d changed; touch done; sleep 20', 'may', runId);
    await until(async () => (await containersOf(runId))[0] !== undefined, 'it runs');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const tar = await saved();
    await sandbox.cancel(runId);
    await running;
    expect(await tellOf(await restored(tar))).toBe(before);
  });

  it('a failed restore of held changes leaves the files of the workspace unchanged', async () => {
    await sandbox.run(MAKE);
    const runId = randomUUID();
    await held('rm -r d; head -c 3M /dev/urandom > large', 'may', runId);
    const tar = await saved();
    const put = await restored(tar);
    // This corrupts a header in the middle.
    tar.write('broken', tar.indexOf('held/large'));
    const back = await at('PUT', `${put.workspaceId}/backup/held/${runId}?origin=${origin}`, tar);
    expect([back.status, await back.json()]).toEqual([500, expect.objectContaining({ code: 'internal' })]);
    expect((await put.run('ls')).stdout).toBe('changed\nd\ngone\nlink\n');
  });
});

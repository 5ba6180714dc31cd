import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CopyPreview, type PreviewRequestInput, type RerunReason } from '@aish/contracts/files';
import { rerunReasonText } from '@aish/contracts/rerun-reason';
import type { RunRequestInput } from '@aish/contracts/runs';
import { startService, stopService, type Service } from '../../testing/service.fixture.js';
import {
  cleanUp,
  containersOf,
  docker,
  newTestSettings,
  until,
  type Ended,
  type TestSettings,
} from '../../testing/sandbox.fixture.js';

jest.setTimeout(120_000);

/** This command prints and writes a random value, changes the folder, and exports a variable. */
const ONCE = 'tee new < /proc/sys/kernel/random/uuid; rm old; mkdir d; cd d; export LEFT=1; exit 3';

/** The run gets its own layer, above everything that earlier commands wrote. */
const NOTED = { hold: { origin: randomUUID(), mode: 'note' } } as const;

type Proceeding = Omit<Partial<RunRequestInput>, 'preview'> & { readonly preview?: string | null };

describe('a stashed preview', () => {
  let ground: TestSettings;
  let service: Service;
  let workspaceId: string;
  let actionId: string;
  /** The ID of the preview that the person saw last. */
  let shown: string | null;

  beforeAll(async () => {
    ground = await newTestSettings({ SANDBOX_LAYERS: 'on', PREVIEW_MAX_MB: '1' });
    service = await startService(ground);
  });
  afterAll(async () => {
    await stopService(service, 'SIGTERM');
    await cleanUp(ground);
  });
  beforeEach(async () => {
    [workspaceId, actionId, shown] = [randomUUID(), randomUUID(), null];
    // The file is larger than a preview may copy.
    await run('echo precious > old; truncate -s 2M large', { runId: randomUUID() });
  });

  const at = (path: string) => `/v1/workspaces/${workspaceId}/${path}`;
  const run = (command: string, over: Partial<RunRequestInput> = {}): Promise<Ended> =>
    service.sandbox.run(command, { workspaceId, ...over });
  /** Runs the command as if a person had approved the preview that was shown. */
  const proceed = (command: string, { preview: named = shown, ...over }: Proceeding = {}) => {
    const naming = named === null ? {} : { preview: named };
    const hold = { origin: workspaceId, mode: 'note' } as const;
    return run(command, { runId: actionId, pinned: true, hold, ...naming, ...over });
  };
  async function preview(command: string, over: Partial<PreviewRequestInput> = {}): Promise<CopyPreview> {
    const { status, body } = await service.sandbox.ask('POST', at('preview'), { command, actionId, ...over });
    expect([status, body]).toEqual([200, expect.anything()]);
    const previewed = CopyPreview.parse(body);
    expect(previewed.id === null).toBe(!previewed.keeps);
    shown = previewed.id;
    return previewed;
  }
  async function restart(): Promise<void> {
    await stopService(service, 'SIGKILL');
    service = await startService(ground);
  }
  const isRunning = async () => {
    const filters = { label: [`dev.aish.workspace=${workspaceId}`], name: ['aish-run-'] };
    const [found] = await docker.listContainers({ filters });
    if (found === undefined) return false;
    // The container of the previous command may still be stopping.
    const top = await docker
      .getContainer(found.Id)
      .top()
      .catch(() => null);
    const Processes = (top?.Processes ?? []) as readonly (readonly string[])[];
    return Processes.some((columns) => columns.at(-1)?.startsWith('sleep ') === true);
  };
  const put = (body: string) =>
    fetch(`${service.sandbox.url}${at('file?path=old')}`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${ground.config.SANDBOX_TOKEN}`,
        'content-type': 'application/octet-stream',
      },
      body,
    });
  const look = async () => (await run('cd /workspace; ls; cat old new 2>/dev/null; true', { carryOver: false })).stdout;
  const BEFORE = 'large\nold\nprecious\n';

  it('proceed keeps the changes and the output of the preview instead of running the command again', async () => {
    const previewed = await preview(ONCE);
    expect(previewed).toMatchObject({
      keeps: true,
      rerunReason: null,
      exitCode: 3,
      removed: { count: 1, sizeBytes: 9, names: ['old'] },
      changed: { count: 0 },
      added: { count: 2, sizeBytes: 37, names: ['d/', 'new'] },
    });
    // Another viewer sees the same run.
    expect(await preview(ONCE)).toEqual(previewed);
    const { outcome, stdout } = await proceed(ONCE);
    expect([outcome.exitCode, outcome.output, stdout]).toEqual([3, previewed.output, previewed.output]);
    expect(outcome.effects).toMatchObject({ deleted: { paths: ['old'] }, created: { paths: ['d/', 'new'] } });
    expect((await run('pwd; echo $LEFT; cat ../new')).stdout).toBe(`/workspace/d\n1\n${previewed.output}`);
    // A repeated request returns the same run, and that run can be undone.
    expect((await proceed(ONCE)).stdout).toBe(previewed.output);
    expect((await service.sandbox.ask('POST', at(`snapshots/${actionId}/restore`))).status).toBe(200);
    expect(await look()).toBe(BEFORE);
  });

  it('a preview changes no file and no carried state of its workspace, and can be dropped', async () => {
    const { output } = await preview(ONCE);
    expect((await run('pwd; echo [$LEFT]; ls')).stdout).toBe('/workspace\n[]\nlarge\nold\n');
    // A command that wrote nothing does not invalidate the preview.
    expect((await preview(ONCE)).output).toBe(output);
    const { status } = await service.sandbox.ask('PUT', at(`held/${actionId}`), { verdict: 'drop' });
    expect(status).toBe(204);
    expect((await preview(ONCE)).output).not.toBe(output);
  });

  it.each<[RerunReason, (command: string) => Promise<Ended>]>([
    ['command', () => proceed(`${ONCE} `)],
    ['execution context', async (command) => (await run('export MORE=1'), proceed(command))],
    ['execution context', async (command) => (await run('cd /tmp'), proceed(command, { carryOver: false }))],
    ['files changed', async (command) => (await put('other'), proceed(command))],
    ['files changed', async (command) => (await run('echo x > old'), proceed(command))],
    ['files changed', async (command) => (await run('echo x > old'), await run('true', NOTED), proceed(command))],
    ['rules', (command) => proceed(command, { image: { build: null, limits: { memoryMb: 128 } } })],
    ['network', async (command) => (await network('example.org'), proceed(command))],
    ['other hosts', (command) => proceed(command, { hosts: true })],
    ['secrets', (command) => proceed(command, { secrets: [SECRET] })],
  ])('an approved command runs again if something has changed since its preview: %s', async (why, changed) => {
    const { output, keeps } = await preview(ONCE);
    expect(keeps).toBe(true);
    const { stdout, stderr, outcome } = await changed(ONCE);
    expect(stderr).toContain(`aish: this is not the run that was previewed: ${rerunReasonText(why)}\n`);
    expect([outcome.exitCode, stdout.includes(output)]).toEqual([3, false]);
    expect((await run('cat /workspace/new')).stdout).toBe(stdout.slice(-37));
  });

  it('a command with variables from earlier commands runs again, because its preview ran without them', async () => {
    await run('export PYTHONPATH=/workspace');
    const { output, keeps } = await preview(ONCE);
    expect(keeps).toBe(true);
    const { stdout, stderr } = await proceed(ONCE, { pinned: false });
    expect(stderr).toContain(rerunReasonText('execution context'));
    expect(stdout).not.toContain(output);
  });

  it.each<[string, (older: CopyPreview) => Promise<string | null>]>([
    ['which the verdict names no preview of', () => Promise.resolve(null)],
    ['where that is another preview than was shown', async ({ id }) => (await put('other'), await preview(ONCE), id)],
    ['where that is one that nobody was shown', () => Promise.resolve(randomUUID())],
  ])('an approved command runs again if its verdict does not name the preview that was shown: %s', async (_, named) => {
    const older = await preview(ONCE);
    const { stdout, stderr } = await proceed(ONCE, { preview: await named(older) });
    expect(stderr).toContain(`aish: this is not the run that was previewed: ${rerunReasonText('not shown')}\n`);
    expect(stdout).not.toContain(older.output);
    expect((await run('cat /workspace/new')).stdout).toBe(stdout.slice(-37));
  });

  it('a verdict can name the newest preview', async () => {
    const older = await preview(ONCE);
    await put('other');
    const newer = await preview(ONCE);
    expect([newer.keeps, newer.id === older.id]).toEqual([true, false]);
    expect((await proceed(ONCE)).stdout).toBe(newer.output);
  });

  it('a verdict that names a missing preview runs the command again, and the output says why', async () => {
    const { output } = await preview(ONCE);
    await service.sandbox.ask('PUT', at(`held/${actionId}`), { verdict: 'drop' });
    const { stdout, stderr } = await proceed(ONCE);
    expect([stderr.includes(rerunReasonText('gone')), stdout.includes(output)]).toEqual([true, false]);
  });

  const SECRET = {
    name: 'TOKEN',
    value: 'never-seen-by-anybody',
    placeholder: `aish-secret-${'0'.repeat(32)}`,
    targets: [],
    body: false,
    certificate: null,
    exposed: false,
  };
  const network = (host: string) => service.sandbox.ask('PUT', at('network'), { mode: 'allow', rules: [{ host }] });

  it('a preview reports that it cannot be kept if the command has access that the preview lacked', async () => {
    await run('rm large');
    for (const lacks of ['network', 'other hosts', 'secrets'] as const) {
      expect(await preview(ONCE, { lacks: [lacks] })).toMatchObject({ keeps: false, rerunReason: lacks });
    }
    await network('example.org');
    const previewed = await preview(`ls /sys/class/net; ${ONCE}`);
    expect(previewed).toMatchObject({ keeps: false, rerunReason: 'network', output: expect.stringMatching(/^lo\n/) });
    expect(await preview('true', { actionId: undefined })).toMatchObject({ keeps: false });
  });

  it('a preview has no network, even if its workspace gets access during the preview', async () => {
    const previewed = preview('sleep 2; ls /sys/class/net; env | grep -i proxy');
    await until(isRunning, 'it runs');
    await network('1.1.1.1');
    expect(await previewed).toMatchObject({ keeps: true, output: 'lo\n' });
    expect((await proceed('sleep 2; ls /sys/class/net; env | grep -i proxy')).stdout).toMatch(/proxy/i);
  });

  it('a preview that reached its time limit cannot be kept', async () => {
    expect(await preview('rm old; sleep 60', { timeoutMs: 1_500 })).toMatchObject({
      keeps: false,
      rerunReason: 'time limit',
      timedOut: true,
      removed: { names: ['old'] },
    });
    expect(await look()).toBe(BEFORE);
  });

  it('a preview blocks new commands until it ends, and a verdict on an earlier preview does not keep it', async () => {
    const command = `sleep 2; ${ONCE}`;
    const older = await preview(command);
    await put('other');
    const previewed = preview(command);
    await until(isRunning, 'it runs');
    const { stdout, stderr } = await proceed(command, { preview: older.id });
    expect(stderr).toContain(rerunReasonText('not shown'));
    expect([(await previewed).output, older.output]).not.toContain(stdout);
  });

  it('a preview leaves no changes if its client disconnects', async () => {
    const gone = new AbortController();
    const asked = fetch(`${service.sandbox.url}${at('preview')}`, {
      method: 'POST',
      signal: gone.signal,
      headers: { authorization: `Bearer ${ground.config.SANDBOX_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ command: 'rm old; sleep 60', actionId }),
    }).catch(() => undefined);
    await until(isRunning, 'it runs');
    gone.abort();
    await asked;
    expect(await look()).toBe(BEFORE);
  });

  describe('kills of the service during previews', () => {
    const record = (name: string) => join(ground.config.SANDBOX_STATE_DIR, name);
    const begun = () => JSON.stringify({ state: 'starting', adopts: workspaceId });

    it('a preview leaves no changes if the service is killed while it runs', async () => {
      const asked = preview(`rm old; sleep 15; ${ONCE}`).catch(() => undefined);
      await until(isRunning, 'it runs');
      await restart();
      await asked;
      expect(await look()).toBe(BEFORE);
      expect((await preview(ONCE)).keeps).toBe(true);
    });

    it('proceed keeps a preview that was stashed before a kill of the service', async () => {
      const { output } = await preview(ONCE);
      await restart();
      expect((await proceed(ONCE)).stdout).toBe(output);
    });

    it('an action that had begun to adopt its preview before a kill adopts it exactly once', async () => {
      const { output } = await preview(ONCE);
      await stopService(service, 'SIGKILL');
      writeFileSync(record(`${actionId}.json`), begun());
      service = await startService(ground);
      expect((await proceed(ONCE)).stdout).toBe(output);
      expect((await run('cat ../new; pwd')).stdout).toBe(`${output}/workspace/d\n`);
    });

    it('an action that adopted its preview just before a kill gets its outcome without running again', async () => {
      const { output } = await preview(ONCE);
      const kept = readFileSync(record(`previews/${actionId}.json`));
      await proceed(ONCE);
      await stopService(service, 'SIGKILL');
      writeFileSync(record(`previews/${actionId}.json`), kept);
      writeFileSync(record(`${actionId}.json`), begun());
      service = await startService(ground);
      const again = await proceed(ONCE);
      expect([again.stdout, again.outcome.effects?.deleted.files]).toEqual([output, 1]);
      expect((await run('cat ../new')).stdout).toBe(output);
      expect(await containersOf(actionId)).toEqual([]);
    });
  });
});

it('a command whose preview is too old runs again', async () => {
  const ground = await newTestSettings({ SANDBOX_LAYERS: 'on', PREVIEW_KEEP_MINUTES: '0.01' });
  const service = await startService(ground);
  try {
    const [runId, workspaceId] = [randomUUID(), randomUUID()];
    await service.sandbox.run('echo > old', { workspaceId });
    const path = `/v1/workspaces/${workspaceId}/preview`;
    const { body } = await service.sandbox.ask('POST', path, { command: ONCE, actionId: runId });
    const { id, output } = CopyPreview.parse(body);
    await sleep(700);
    const named = id === null ? {} : { preview: id };
    const { stdout, stderr } = await service.sandbox.run(ONCE, { runId, workspaceId, pinned: true, ...named });
    expect(stderr).toContain(rerunReasonText('too old'));
    expect(stdout).not.toContain(output);
  } finally {
    await stopService(service, 'SIGTERM');
    await cleanUp(ground);
  }
});

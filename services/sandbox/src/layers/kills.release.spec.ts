import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { SnapshotList } from '@aish/contracts/files';
import { startService, stopService, type Service } from '../../testing/service.fixture.js';
import { Engine } from '../../testing/engine.fixture.js';
import { again, cleanUp, newTestSettings, type TestSettings } from '../../testing/sandbox.fixture.js';

/** `RANDOM_KILLS=200` is the long version. */
const KILLS = Number(process.env['RANDOM_KILLS'] ?? '6');
const KILL_WITHIN_MS = 250;
jest.setTimeout(300_000 + KILLS * 60_000);

let engine: Engine;
let ground: TestSettings;
let service: Service;
const over = new AbortController();
let load: Promise<unknown>;

beforeAll(async () => {
  engine = await Engine.start();
  ground = await newTestSettings({ SANDBOX_LAYERS: 'on', UNDO_COMMANDS: '5', DOCKER_SOCKET: engine.socket });
  await engine.load(ground.config.SANDBOX_IMAGE);
  service = await startService(ground);
  load = Promise.all([randomUUID(), randomUUID()].map((workspaceId) => keepBusy(workspaceId)));
});
afterAll(async () => {
  over.abort();
  await load;
  await stopService(service, 'SIGTERM');
  await engine.remove();
  await cleanUp(ground);
});

/** Keeps another workspace in use during all kills. */
async function keepBusy(workspaceId: string): Promise<void> {
  while (!over.signal.aborted) {
    await service.sandbox.run('date > file; rm -f other; cp file other', { workspaceId }).catch(() => sleep(100));
  }
}

const workspaceId = randomUUID();
const names = () =>
  again(async () => new Set((await service.sandbox.run('ls', { workspaceId })).stdout.split('\n').slice(0, -1)));

async function killKeeper(): Promise<void> {
  const filters = { label: [`dev.aish.instance=${ground.instance}`, 'dev.aish.keeper'] };
  const [keeper] = await engine.docker.listContainers({ filters });
  // The keeper may be stopping, or it may not have started yet.
  if (keeper !== undefined)
    await engine.docker
      .getContainer(keeper.Id)
      .kill()
      .catch(() => undefined);
}

/**
 * Returns a command whose effect is either complete or absent. `after` is the state of its workspace once the command
 * has run.
 */
function change(files: ReadonlySet<string>, round: number, runId: string) {
  const name = `f${round}`;
  const gone = [...files][round % (files.size + 2)];
  const after = new Set([...files].filter((each) => each !== gone)).add(name);
  const command = gone === undefined ? `ln -s x ${name}` : `mv ${gone} ${name}`;
  return { after, begun: service.sandbox.run(command, { workspaceId, runId }) };
}

/** Undoes one of the commands that can be undone and whose earlier state is known, if there is one. */
async function undo(before: ReadonlyMap<string, ReadonlySet<string>>) {
  const path = `/v1/workspaces/${workspaceId}/snapshots`;
  const { items } = await again(async () => SnapshotList.parse((await service.sandbox.ask('GET', path)).body));
  const { actionId = '' } = items[Math.floor(Math.random() * items.length)] ?? {};
  const after = before.get(actionId);
  return after && { after, begun: service.sandbox.ask('POST', `${path}/${actionId}/restore`) };
}

const kills = [
  killKeeper,
  async () => {
    await stopService(service, 'SIGKILL');
    service = await startService(ground);
  },
  async () => {
    await engine.kill();
    await engine.start();
  },
] as const;

it('after random kills of service, keeper or engine under load, each command took effect completely or not at all', async () => {
  let files = await names();
  const before = new Map<string, ReadonlySet<string>>();
  for (let round = 0; round < KILLS; round += 1) {
    const [first, second] = [randomUUID(), randomUUID()];
    before.set(first, files);
    await again(() => change(files, round * 2, first).begun);
    files = await names();
    before.set(second, files);
    const { after, begun } = (round % 2 === 0 ? await undo(before) : undefined) ?? change(files, round * 2 + 1, second);
    const ended = begun.catch(() => undefined);
    await sleep(Math.random() * KILL_WITHIN_MS);
    await kills[round % kills.length]?.();
    await ended;
    const now = await names();
    expect([files, after]).toContainEqual(now);
    files = now;
  }
});

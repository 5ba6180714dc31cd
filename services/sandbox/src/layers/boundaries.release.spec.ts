import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EngineProxy, type Boundary } from '../../testing/engine.door.js';
import { Engine } from '../../testing/engine.fixture.js';
import { startService, stopService, type Service } from '../../testing/service.fixture.js';
import { again, cleanUp, newTestSettings, type TestSettings } from '../../testing/sandbox.fixture.js';

/**
 * `BOUNDARIES=all` kills the service at every call. Otherwise each operation is interrupted at one call, in rotation.
 */
const ALL = process.env['BOUNDARIES'] === 'all';
const PICKED_FROM = 3;
const CALLS_MAX = 40;
jest.setTimeout(ALL ? 3_600_000 : 300_000);

/** The state that the test compares: files of the workspace and of the held host folder. */
interface State {
  readonly files: string;
  readonly folder: string;
}

/**
 * An operation that leads to one state or the other, never to anything between. `prepare` runs before the operation,
 * and `settle` runs after the kill.
 */
interface Operation {
  readonly prepare?: () => Promise<unknown>;
  readonly act: () => Promise<unknown>;
  /** Repeats the request, as a person would after getting no answer. */
  readonly settle?: () => Promise<unknown>;
  /** Returns the allowed final states, given the state before `prepare`. */
  readonly ends: (before: State) => readonly State[];
}

describe('kills before and after calls to the engine', () => {
  let engine: Engine;
  let door: EngineProxy;
  let ground: TestSettings;
  let service: Service;
  let folder: string;
  let workspaceId: string;
  let runId: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aish-held-'));
    await chmod(folder, 0o777);
    engine = await Engine.start();
    door = await EngineProxy.open(join(folder, '..', `door-${randomUUID()}.sock`), engine.socket);
    const folders = [{ name: 'media', hostPath: folder, containerPath: '/mnt/media', mode: 'held' }];
    const env = { SANDBOX_LAYERS: 'on', UNDO_COMMANDS: '3', SANDBOX_HOST_FOLDERS: JSON.stringify(folders) };
    ground = await newTestSettings({ ...env, DOCKER_SOCKET: door.socket, LOG_LEVEL: 'error' });
    await engine.load(ground.config.SANDBOX_IMAGE);
    service = await startService(ground);
  });
  afterAll(async () => {
    await stopService(service, 'SIGTERM');
    door.close();
    await engine.remove();
    await cleanUp(ground);
    await rm(folder, { recursive: true, force: true });
  });

  const run = (command: string, over: object = {}) => service.sandbox.run(command, { workspaceId, ...over });
  const held = (command: string) => {
    runId = randomUUID();
    return run(command, { runId, hold: { origin: workspaceId, mode: 'may' }, hostFolders: ['media'] });
  };
  const settle = async (verdict: 'keep' | 'drop') => {
    const { status, body } = await service.sandbox.ask('PUT', `/v1/workspaces/${workspaceId}/held/${runId}`, {
      verdict,
    });
    if (status !== 204) throw new Error(`${status}: ${JSON.stringify(body)}`);
  };
  const state = async (): Promise<State> => ({
    files: (await again(() => run('ls'))).stdout,
    folder: (await readdir(folder)).toSorted().join('\n'),
  });

  const victims = {
    service: {
      die: () => void service.process.kill('SIGKILL'),
      back: async () => {
        await stopService(service, 'SIGKILL');
        service = await startService(ground);
      },
    },
    engine: {
      die: () => void engine.kill(),
      back: async () => {
        await engine.kill();
        await engine.start();
      },
    },
  };

  const DESTROYS = 'rm kept /mnt/media/film; touch new /mnt/media/song';
  const GONE: State = { files: 'new\n', folder: 'song' };
  const operations: Readonly<Record<string, Operation>> = {
    'a command, and layers merged': {
      act: () => run('mv kept new'),
      ends: (before) => [before, { ...before, files: 'new\n' }],
    },
    'an undo': {
      prepare: () => {
        runId = randomUUID();
        // The run has its own layer.
        return run('mv kept new; touch more', { runId, hold: { origin: workspaceId, mode: 'note' } });
      },
      act: async () => {
        const path = `/v1/workspaces/${workspaceId}/snapshots/${runId}/restore`;
        const { status, body } = await service.sandbox.ask('POST', path);
        if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
      },
      ends: (before) => [before, { ...before, files: 'more\nnew\n' }],
    },
    'a command whose effect is held, and a person who drops it': {
      act: () => held(DESTROYS),
      settle: () => settle('drop'),
      ends: (before) => [before],
    },
    'a person who drops what was held': {
      prepare: () => held(DESTROYS),
      act: () => settle('drop'),
      settle: () => settle('drop'),
      ends: (before) => [before],
    },
    'a person who keeps what was held, in the workspace and in a folder of the host': {
      prepare: () => held(DESTROYS),
      act: () => settle('keep'),
      settle: () => settle('keep'),
      ends: () => [GONE],
    },
  };
  const cases = Object.entries(operations).flatMap(([name, operation]) =>
    (['service', 'engine'] as const).flatMap((victim) =>
      (['before', 'after'] as const).map((when) => ({ name, operation, victim, when })),
    ),
  );
  const picked = cases
    .filter((_, n) => n % 4 === Math.floor(n / 4) % 4)
    .map((each, n) => ({ ...each, calls: [1 + (n % PICKED_FROM)] }));
  const every = cases.map((each) => ({ ...each, calls: Array.from({ length: CALLS_MAX }, (_, n) => n + 1) }));

  async function kill(
    { prepare, act, settle: says, ends }: Operation,
    boundary: Omit<Boundary, 'die'>,
    victim: 'service' | 'engine',
  ) {
    workspaceId = randomUUID();
    for (const name of await readdir(folder)) await rm(join(folder, name));
    await writeFile(join(folder, 'film'), 'a film\n');
    await again(() => run('touch kept'));
    await again(() => run('touch other'));
    await again(() => run('rm other'));
    const before = await state();
    await prepare?.();
    const { die, back } = victims[victim];
    door.arm({ ...boundary, die });
    const failure = await act().then(
      () => null,
      (error: unknown) => error,
    );
    const wasThere = door.disarm();
    if (wasThere) await back();
    // An operation that was not killed must succeed.
    else if (failure !== null) throw failure;
    if (says !== undefined) await again(says);
    expect(ends(before)).toContainEqual(await state());
    return wasThere;
  }

  it.each(ALL ? every : picked)(
    'a kill leaves the state from before or after the operation, never one in between: $name: $victim, $when',
    async ({ operation, victim, when, calls }) => {
      let killed = 0;
      for (const call of calls) {
        if (!(await kill(operation, { call, when }, victim))) break;
        killed += 1;
      }
      expect(killed).toBeGreaterThan(0);
      expect(killed).toBeLessThan(CALLS_MAX);
    },
  );
});

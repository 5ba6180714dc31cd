import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@aish/http';
import { cleanUp, docker, newTestSettings, until, type TestSettings } from '../../testing/sandbox.fixture.js';
import { DockerEngine } from '../engine/docker.engine.js';
import { HelperEngine, type HelperTask } from '../engine/helper.engine.js';
import { SocketFolders } from '../network/socket-folders.js';
import { KeeperLine } from './keeper.line.js';

const logger = createLogger('error', 'sandbox', { write: () => undefined });
const [WORKSPACE, ANOTHER] = [randomUUID(), randomUUID()];
const LAYERS = { layers: [0, 1] };

describe('the connection to the keeper of layers', () => {
  let ground: TestSettings;
  let line: KeeperLine;
  const tasks: HelperTask[] = [];
  const throughEngine: string[] = [];

  afterEach(async () => {
    await line.close();
    await cleanUp(ground);
    tasks.length = throughEngine.length = 0;
  });

  async function newLine(
    env: Readonly<Record<string, string>> = {},
    inside?: readonly string[],
    source?: string,
  ): Promise<string> {
    ground = await newTestSettings(env);
    const engine = new DockerEngine(ground.config);
    const helpers = new HelperEngine(engine, ground.config, {
      hold: (_, make) => make(),
      inTurn: (_, work) => work(),
      read: () => Promise.resolve(null),
    });
    const open = helpers.open.bind(helpers);
    helpers.open = (task, signal) => {
      tasks.push(task);
      task.input?.on('data', (bytes: Buffer) => throughEngine.push(bytes.toString()));
      return open(inside === undefined ? task : { ...task, env: inside }, signal);
    };
    const folders = new SocketFolders(
      ground.config,
      (volume) => engine.mountpointOf(volume),
      async () => undefined,
    );
    if (source !== undefined) folders.mountOf = async () => source;
    line = new KeeperLine(helpers, folders, ground.instance, logger);
    return folders.pathOf('keeper');
  }
  const top = (workspace: string) => line.ask('top', [workspace, 40]);
  const keepers = async () => {
    const filters = { label: [`dev.aish.instance=${ground.instance}`, 'dev.aish.keeper'] };
    return docker.listContainers({ all: true, filters });
  };

  it('the keeper connects through a socket in a private folder, and the socket is removed afterwards', async () => {
    const folder = await newLine();
    expect(await top(WORKSPACE)).toMatchObject(LAYERS);
    expect(statSync(join(folder, '..')).mode & 0o777).toBe(0o700);
    await until(async () => readdirSync(folder).length === 0, 'the keeper has called, and the socket is gone');
    throughEngine.length = 0;
    expect(await top(ANOTHER)).toMatchObject(LAYERS);
    expect(throughEngine).toEqual([]);
  });

  it('the service reaches the keeper through the engine if there is no socket', async () => {
    const folder = await newLine({ SANDBOX_NETWORK_DIR: `/tmp/${'long'.repeat(30)}` });
    expect(await top(WORKSPACE)).toMatchObject(LAYERS);
    expect(await top(ANOTHER)).toMatchObject(LAYERS);
    expect([existsSync(folder), tasks[0]?.sockets, throughEngine.length]).toEqual([false, undefined, 2]);
  });

  it('the service reaches the keeper through the engine if the container cannot reach the socket', async () => {
    const folder = await newLine({}, ['KEEPER_SOCKET=/run/aish-keeper/elsewhere']);
    expect([await top(WORKSPACE), await top(ANOTHER)]).toMatchObject([LAYERS, LAYERS]);
    expect([readdirSync(folder).length, throughEngine.length]).toEqual([1, 2]);
  });

  it('the service reaches the keeper through the engine if the engine cannot mount the folder of the socket', async () => {
    await newLine({}, undefined, '/no/such/folder');
    expect([await top(WORKSPACE), await top(ANOTHER)]).toMatchObject([LAYERS, LAYERS]);
    expect(tasks.map(({ sockets }) => sockets?.source)).toEqual(['/no/such/folder', undefined]);
  });

  it('the socket of the keeper can be in a volume of the engine, as in compose', async () => {
    const instance = `spec-${randomUUID().slice(0, 8)}`;
    await docker.createVolume({ Name: instance });
    try {
      const { Mountpoint } = await docker.getVolume(instance).inspect();
      const folder = await newLine({ SANDBOX_NETWORK_DIR: Mountpoint, SANDBOX_NETWORK_VOLUME: instance });
      await top(WORKSPACE);
      await until(async () => readdirSync(folder).length === 0, 'the keeper has called');
      throughEngine.length = 0;
      await top(ANOTHER);
      expect(throughEngine).toEqual([]);
      await line.close();
    } finally {
      await docker.getVolume(instance).remove({ force: true });
    }
  });

  it('a request after the keeper has died starts a new keeper and reconnects', async () => {
    const folder = await newLine();
    await top(WORKSPACE);
    await until(async () => readdirSync(folder).length === 0, 'the keeper has called');
    const [keeper] = await keepers();
    const asked = line.ask('plant', [ANOTHER, 'x'.repeat(300)]).catch((error: unknown) => error);
    await docker.getContainer(keeper?.Id ?? '').kill();
    await asked;
    const again = await until(() => top(WORKSPACE).catch(() => false as const), 'another keeper answers');
    expect(again).toMatchObject(LAYERS);
    expect(tasks).toHaveLength(2);
    await line.close();
    await until(async () => (await keepers()).length === 0, 'no keeper is left');
    expect(existsSync(folder)).toBe(false);
  });
});

import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { verifies } from '../../requirements.js';
import { ApiClient } from '../../support/api.client.js';
import { closeAll } from '../../support/close-all.js';
import { commandsOf } from '../../support/documented-commands.js';
import { BEHAVIOUR_ENV, FOLDER, behavesLikeAnEngine, type EngineUnderTest } from '../../support/engine.behaviour.js';
import { buildImages, BUILD_TIMEOUT_MS } from '../../support/images.js';
import { plan } from '../../support/plan.js';
import { RootlessEngine } from '../../support/rootless.engine.js';
import { freePort, ROOT } from '../../support/service.process.js';

const NAME = `aish-test-${randomUUID().slice(0, 8)}`;
const IMAGES = ['api', 'norris-worker', 'sandbox-service', 'migrate', 'secrets'].map((name) => `aish-${name}`);
/** The address of the host in a network of slirp4netns. */
const HOST = '10.0.2.2';
/** Publishes the port of the sandbox, so that the test can call it. */
const OVERRIDE = (port: number) => `services: { sandbox: { ports: ['127.0.0.1:${port}:7719'] } }\n`;

describe('docker compose on a rootless engine', () => {
  let model: ScriptedModel;
  let engine: RootlessEngine;
  let client: ApiClient;
  let sandbox: EngineUnderTest;
  /** Runs a command of the page after its first command, which the others need. */
  let documented: (command: string, timeoutMs?: number) => Promise<string>;

  beforeAll(async () => {
    model = await startScriptedModel({ script: plan('CMD: touch mine', 'CMD: ls; id -u', 'GOAL: complete') });
    // The machine's own engine builds the images, because it has the base images.
    await buildImages();
    engine = await RootlessEngine.start();
    await engine.load([...IMAGES, 'aish-sandbox:compose', 'postgres:17.11', 'redis:8.6.7']);
    const own = join(engine.dir, 'own');
    for (const service of ['api', 'norris-worker', 'sandbox'])
      await mkdir(join(own, service), { mode: 0o755, recursive: true });
    await mkdir(join(engine.dir, FOLDER));
    await writeFile(join(engine.dir, FOLDER, 'note'), 'hello\n');
    const [port, sandboxPort] = [await freePort(), await freePort()];
    const override = join(engine.dir, 'override.yml');
    await writeFile(override, OVERRIDE(sandboxPort));
    const offer = {
      name: FOLDER,
      hostPath: join(engine.dir, FOLDER),
      containerPath: `/mnt/${FOLDER}`,
      mode: 'read-only',
    };
    const env = {
      ...BEHAVIOUR_ENV,
      COMPOSE_FILE: `docker-compose.yml:${override}`,
      SANDBOX_HOST_FOLDERS: JSON.stringify([offer]),
      COMPOSE_PROJECT_NAME: NAME,
      AISH_PORT: String(port),
      AISH_SECRETS_DIR: own, // the user of the engine may not be able to read the folder of the tests
      FAST_BASE_URL: `http://${HOST}:${new URL(model.url).port}`,
      SAFETY_SECOND_OPINION: 'off', // a scripted model has no second opinion
    };
    const page = commandsOf('deploy/compose/README.md');
    const before = page.find((command) => command.startsWith('export DOCKER_HOST=')) ?? '';
    documented = (command, timeoutMs = 60_000) => engine.shell(`${before}\n${command}`, { cwd: ROOT, env, timeoutMs });
    await documented('docker compose up -d --wait', 300_000);
    const token = await documented('docker compose exec api cat /var/lib/aish/token');
    client = new ApiClient(`http://127.0.0.1:${port}`, token.trim());
    sandbox = {
      url: `http://127.0.0.1:${sandboxPort}`,
      token: (await documented('docker compose exec -T api cat /run/secrets/sandbox/token')).trim(),
      testHost: HOST,
      restart: async () => {
        await documented('docker compose kill sandbox && docker compose up -d --wait --no-deps sandbox', 120_000);
      },
    };
  }, BUILD_TIMEOUT_MS);

  afterAll(
    () =>
      closeAll(
        () => engine?.stop(),
        () => model?.close(),
      ),
    120_000,
  );

  it(
    verifies('compose.rootless'),
    async () => {
      expect(await documented('docker info')).toMatch(/^ +rootless$/m);
      const goal = await client.createGoal('look around');
      const { actions } = await client.until(goal.id, 'done');
      expect(actions.map(({ outcome }) => outcome?.output)).toEqual(['', expect.stringMatching(/^mine\n\d+\n$/)]);
    },
    120_000,
  );

  it('root in a container on a rootless engine is an ordinary user of the machine', async () => {
    // This maps users of containers to users of the machine. root is mapped to the user of the engine.
    const map = await documented('docker compose exec --user root sandbox cat /proc/self/uid_map');
    expect(map.trim().split(/\s+/).slice(0, 3)).toEqual(['0', '1000', '1']);
  }, 60_000);

  behavesLikeAnEngine('rootless Docker', () => sandbox);
});

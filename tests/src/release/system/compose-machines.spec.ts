import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Goal } from '@aish/contracts/goals';
import { SessionSandbox } from '@aish/contracts/sandboxes';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { verifies } from '../../requirements.js';
import { ApiClient } from '../../support/api.client.js';
import { closeAll } from '../../support/close-all.js';
import { Compose, serviceOf } from '../../support/compose.js';
import { buildImages, BUILD_TIMEOUT_MS } from '../../support/images.js';
import { plan } from '../../support/plan.js';
import { removeWorkspaces } from '../../support/workspaces.js';

const run = promisify(execFile);
const NAME = `aish-test-${randomUUID().slice(0, 8)}`;
const FILES = 'docker-compose.yml:deploy/compose/';

describe('docker compose on two machines', () => {
  let model: ScriptedModel;
  let first: Compose;
  let other: Compose;
  let client: ApiClient;
  let dir: string;
  /** Both machines are this host, and each reaches the other only through published ports. */
  let addresses: readonly [string, string];

  beforeAll(async () => {
    // Containers reach the model through the host's gateway.
    model = await startScriptedModel({
      script: plan('CMD: mkdir mine', 'CMD: rm -rf nothing', 'CMD: ls', 'GOAL: complete'),
      host: '0.0.0.0',
    });
    dir = await mkdtemp(join(tmpdir(), 'aish-compose-'));
    addresses = [await addressOf(`${NAME}-at-1`), await addressOf(`${NAME}-at-2`)];
    const both = {
      SAFETY_SECOND_OPINION: 'off', // a scripted model has no second opinion
      FAST_BASE_URL: `http://host.docker.internal:${new URL(model.url).port}`,
      SANDBOXES: `second=http://${addresses[1]}:7719`,
    };
    first = new Compose(`${NAME}-1`, {
      ...both,
      COMPOSE_FILE: `${FILES}first-machine.yml`,
      PRIVATE_ADDRESS: addresses[0],
    });
    other = new Compose(`${NAME}-2`, {
      ...both,
      COMPOSE_FILE: `${FILES}other-machine.yml`,
      PRIVATE_ADDRESS: addresses[1],
      FIRST_ADDRESS: addresses[0],
      AISH_SECRETS_DIR: dir,
    });
    // This machine has no worker, so the worker of the other machine runs everything.
    await buildImages();
    await first.run(['up', '--detach', '--no-build', '--wait', '--scale', 'norris-worker=0'], BUILD_TIMEOUT_MS);
    await tell('database-url', ['sed', `s/@postgres:/@${addresses[0]}:/`, '/run/secrets/store/database-url']);
    await tell('redis-url', ['sed', `s/@redis:/@${addresses[0]}:/`, '/run/secrets/store/redis-url']);
    await tell('sandbox-token', ['cat', '/run/secrets/sandbox/token']);
    await other.run(['up', '--detach', '--no-build', '--wait', 'norris-worker', 'sandbox'], BUILD_TIMEOUT_MS);
    const token = await first.run(['exec', '-T', 'api', 'cat', '/var/lib/aish/token']);
    client = new ApiClient(await first.apiUrl(), token.trim());
  }, BUILD_TIMEOUT_MS);

  afterAll(
    () =>
      closeAll(
        ...[other, first].flatMap((compose) => [
          () => compose?.run(['down', '--volumes', '--timeout', '10']),
          () => removeWorkspaces(compose?.project ?? NAME),
        ]),
        ...[1, 2].map((n) => () => run('docker', ['network', 'rm', `${NAME}-at-${n}`])),
        () => model?.close(),
        () => rm(dir, { recursive: true, force: true }),
      ),
    120_000,
  );

  /** Returns an address of this host that containers of other networks can reach. */
  async function addressOf(network: string): Promise<string> {
    await run('docker', ['network', 'create', network]);
    const format = '{{(index .IPAM.Config 0).Gateway}}';
    return (await run('docker', ['network', 'inspect', '--format', format, network])).stdout.trim();
  }

  /** Copies the output of a command on the first machine into a file for the other machine. */
  async function tell(name: string, command: readonly string[]): Promise<void> {
    // The user of the tests may differ from user 1000 of the containers.
    await chmod(dir, 0o755);
    const secret = await first.run(['exec', '-T', 'api', ...command]);
    for (const service of name === 'sandbox-token' ? ['norris-worker', 'sandbox'] : ['norris-worker']) {
      await mkdir(join(dir, service), { recursive: true, mode: 0o755 });
      await writeFile(join(dir, service, name), secret, { mode: 0o444 });
    }
  }

  it(
    verifies('grow.compose'),
    async () => {
      const halted = async (): Promise<Goal> => {
        const goal = await client.createGoal('look around');
        await client.decisionOf(goal.id);
        return goal;
      };
      // The second goal goes to the less busy machine.
      const goals = [await halted(), await halted()];
      for (const { id } of goals) {
        await client.decide((await client.decisionOf(id)).id, 'proceed');
        const { actions } = await client.until(id, 'done');
        expect(actions.map(({ outcome }) => outcome?.output)).toEqual(['', '', 'mine\n']);
      }
      const places = await Promise.all(
        goals.map(({ sessionId }) => client.json(SessionSandbox, 'GET', `/v1/sessions/${sessionId}/sandbox`)),
      );
      expect(places.map(({ sandbox }) => sandbox)).toEqual(['default', 'second']);
    },
    120_000,
  );

  it(
    verifies('grow.compose', 'the machines publish to the private network only the ports that the other machine needs'),
    async () => {
      const published = async (compose: Compose) =>
        (await compose.inspect())
          .filter(({ State }) => State.Status === 'running')
          .map((container) => {
            const ports = Object.entries(container.HostConfig.PortBindings ?? {});
            return [serviceOf(container), ...ports.map(([port, [to]]) => `${port} at ${to?.HostIp}`)].join(' ');
          })
          .toSorted();
      expect(await published(first)).toEqual([
        'api 7717/tcp at 127.0.0.1',
        `postgres 5432/tcp at ${addresses[0]}`,
        `redis 6379/tcp at ${addresses[0]}`,
        `sandbox 7719/tcp at ${addresses[0]}`,
      ]);
      expect(await published(other)).toEqual(['norris-worker', `sandbox 7719/tcp at ${addresses[1]}`]);
    },
    60_000,
  );
});

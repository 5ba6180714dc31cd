import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GoalList, type Goal } from '@aish/contracts/goals';
import { SessionSandbox } from '@aish/contracts/sandboxes';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { z } from 'zod';
import { MADE_BY_TESTS } from '../../support/leave-swarm.js';
import { verifies } from '../../requirements.js';
import { ApiClient } from '../../support/api.client.js';
import type { Inspected } from '../../support/compose.js';
import { closeAll } from '../../support/close-all.js';
import { eventually } from '../../support/eventually.js';
import { BUILD_IMAGES, BUILD_TIMEOUT_MS, buildImages } from '../../support/images.js';
import { plan } from '../../support/plan.js';
import { freePort } from '../../support/service.process.js';
import { README_COMMANDS, SwarmStack } from '../../support/swarm.js';
import { removeWorkspaces } from '../../support/workspaces.js';

const START_TIMEOUT_MS = 120_000;
const NAME = `aish-test-${randomUUID().slice(0, 8)}`;
const SELF = '"$(docker info --format \'{{.Swarm.NodeID}}\')"';
const LABELS = ['aish.home', 'aish.sandbox', 'aish.sandbox-2'];

describe('docker stack deploy', () => {
  let model: ScriptedModel;
  let dir: string;
  let stack: SwarmStack;
  let client: ApiClient;
  let wasSwarm: boolean;

  beforeAll(async () => {
    // Containers reach the model through the host's gateway.
    model = await startScriptedModel({
      script: plan('CMD: mkdir mine', 'CMD: rm -rf nothing', 'CMD: ls', 'GOAL: complete'),
      host: '0.0.0.0',
    });
    dir = await mkdtemp(join(tmpdir(), 'aish-swarm-'));
    const port = await freePort();
    const settings = join(dir, 'aish.env');
    stack = new SwarmStack(
      NAME,
      { AISH_STACK: NAME, AISH_ENV: settings, AISH_PORT: String(port) },
      {
        '192.168.1.10': '127.0.0.1',
        'gpu.lan:8080': `"$(docker network inspect docker_gwbridge --format '{{(index .IPAM.Config 0).Gateway}}'):${new URL(model.url).port}"`,
        'deploy/swarm/aish.env': settings,
        ':2; done': `:${NAME}; done`,
        'AISH_VERSION=2': `AISH_VERSION=${NAME}`,
      },
    );
    wasSwarm = (await stack.shell("docker info --format '{{.Swarm.LocalNodeState}}'")).trim() === 'active';
    await buildImages();
    stack.ran.push(BUILD_IMAGES);
    if (wasSwarm) {
      stack.ran.push(...README_COMMANDS.filter((command) => command.startsWith('docker swarm init')));
    } else {
      await stack.readme('docker swarm init');
      // tests/src/support/leave-swarm.ts ends the Swarm when all suites have ended.
      await stack.shell(`docker node update --label-add ${MADE_BY_TESTS}=yes ${SELF}`);
    }
    await stack.readme('docker node update');
    await stack.readme('deploy/swarm/secrets.sh');
    await stack.readme('echo FAST_BASE_URL=');
    await stack.shell(`echo SAFETY_SECOND_OPINION=off >> ${settings}`); // a scripted model has no second opinion
    await stack.readme('docker stack deploy', START_TIMEOUT_MS);
    await stack.untilHealthy(START_TIMEOUT_MS);
    const token = await stack.readme('docker exec $(docker ps -q -f name=aish_api) cat');
    client = new ApiClient(`http://127.0.0.1:${port}`, token.trim());
  }, BUILD_TIMEOUT_MS);

  afterAll(
    () =>
      closeAll(
        () => stack?.takeAway(),
        () => removeWorkspaces(NAME),
        () => removeWorkspaces(`${NAME}-2`),
        () => stack?.forget(),
        () => takeLabelsBack(),
        () => model?.close(),
        () => rm(dir, { recursive: true, force: true }),
      ),
    120_000,
  );

  async function takeLabelsBack(): Promise<void> {
    await stack.shell(`docker node update ${LABELS.map((label) => `--label-rm ${label}`).join(' ')} ${SELF}`);
  }

  const halted = async (): Promise<Goal> => {
    const goal = await client.createGoal('look around');
    await client.decisionOf(goal.id);
    return goal;
  };
  const placeOf = async ({ sessionId }: Goal) =>
    (await client.json(SessionSandbox, 'GET', `/v1/sessions/${sessionId}/sandbox`)).sandbox;
  const finish = async ({ id }: Goal): Promise<void> => {
    await client.decide((await client.decisionOf(id)).id, 'proceed');
    const { actions } = await client.until(id, 'done');
    expect(actions.map(({ outcome }) => outcome?.output)).toEqual(['', '', 'mine\n']);
  };

  it(
    verifies('grow.swarm'),
    async () => {
      await stack.readme('docker exec $(docker ps -q -f name=aish_api) aish run');
      const [goal] = (await client.json(GoalList, 'GET', '/v1/goals')).items;
      if (goal === undefined) throw new Error('There is no goal');
      expect(goal.text).toContain('three largest files');
      await finish(goal);
    },
    60_000,
  );

  it(
    verifies(
      'grow.swarm',
      'the Swarm stack needs neither virtual addresses nor the ingress network, and publishes only the api',
    ),
    async () => {
      const Service = z.object({
        Spec: z.object({ EndpointSpec: z.object({ Mode: z.string() }) }),
        Endpoint: z.object({
          Ports: z.array(z.object({ TargetPort: z.number(), PublishMode: z.string() })).default([]),
          VirtualIPs: z.array(z.unknown()).default([]),
        }),
      });
      for (const { Name } of await stack.services()) {
        const [inspected] = JSON.parse(await stack.shell(`docker service inspect ${Name}`)) as unknown[];
        const { Spec, Endpoint } = Service.parse(inspected);
        const ports = Endpoint.Ports.map(({ TargetPort, PublishMode }) => `${TargetPort} ${PublishMode}`);
        expect([Name, Spec.EndpointSpec.Mode, Endpoint.VirtualIPs, ports]).toEqual([
          Name,
          'dnsrr',
          [],
          Name === `${NAME}_api` ? ['7717 host'] : [],
        ]);
      }
    },
    60_000,
  );

  it(
    verifies('grow.swarm', 'containers of the Swarm stack are closed, and only the sandbox has the Docker socket'),
    async () => {
      const users: Record<string, string> = {
        api: 'node',
        'norris-worker': 'node',
        postgres: 'postgres',
        redis: 'redis',
        sandbox: 'root', // until the sandbox has read the group of the socket
      };
      const containers = await stack.containers();
      const nameOf = ({ Config }: Inspected) =>
        (Config.Labels['com.docker.swarm.service.name'] ?? '').replace(`${NAME}_`, '');
      expect(containers.map(nameOf).toSorted()).toEqual(Object.keys(users).toSorted());
      for (const container of containers) {
        const { HostConfig: host, Config, Mounts } = container;
        const name = nameOf(container);
        expect([name, Config.User]).toEqual([name, users[name]]);
        expect([name, host.Privileged, host.ReadonlyRootfs, host.CapDrop]).toEqual([name, false, true, ['ALL']]);
        expect([name, (host.CapAdd ?? []).map((each) => each.replace('CAP_', '')).toSorted()]).toEqual([
          name,
          name === 'sandbox' ? ['KILL', 'SETGID', 'SETUID'] : [],
        ]);
        expect([name, host.Memory > 0, Number(host.PidsLimit) > 0]).toEqual([name, true, true]);
        expect([name, Mounts.some(({ Source }) => Source.includes('docker.sock'))]).toEqual([name, name === 'sandbox']);
        // Secrets are in files, not in variables.
        expect(Config.Env.filter((line) => /(PASSWORD|TOKEN|SECRET|_KEY)=.+/.test(line))).toEqual([]);
      }
    },
    60_000,
  );

  it(
    verifies('grow.swarm', 'a second worker in the Swarm starts and is healthy'),
    async () => {
      await stack.readme('docker service scale', START_TIMEOUT_MS);
      const services = await stack.untilHealthy(START_TIMEOUT_MS);
      expect(services.find(({ Name }) => Name === `${NAME}_norris-worker`)?.Replicas).toBe('2/2');
    },
    START_TIMEOUT_MS,
  );

  it(
    verifies('grow.swarm', 'an upgrade of the Swarm stack replaces every part, and a pending HALT continues'),
    async () => {
      const pending = await halted();
      await stack.readme('for i in');
      await stack.readme('AISH_VERSION=2 docker stack deploy', START_TIMEOUT_MS);
      await eventually(
        'all of it is new',
        async () => {
          const ours = (await stack.containers())
            .map(({ Config }) => Config.Image)
            .filter((image) => image.startsWith('aish'));
          return ours.length === 3 && ours.every((image) => image.endsWith(`:${NAME}`));
        },
        { timeoutMs: START_TIMEOUT_MS },
      );
      await stack.untilHealthy(START_TIMEOUT_MS);
      await finish(pending);
      expect((await client.goal(pending.id)).stepsTaken).toBe(4);
    },
    2 * START_TIMEOUT_MS,
  );

  it(
    verifies(
      'grow.swarm',
      'a removed stack that is deployed again with a second sandbox has lost nothing, and uses both',
    ),
    async () => {
      const pending = await halted();
      await stack.takeAway();
      await stack.readme('docker node update');
      await stack.readme('echo SANDBOXES=');
      await stack.readme('AISH_SETTINGS=2 docker stack deploy', START_TIMEOUT_MS);
      await stack.untilHealthy(START_TIMEOUT_MS);
      const another = await halted();
      expect(new Set(await Promise.all([pending, another].map(placeOf)))).toEqual(new Set(['default', 'second']));
      for (const goal of [pending, another]) await finish(goal);
    },
    2 * START_TIMEOUT_MS,
  );

  it('the test has run every command of deploy/swarm/README.md', () => {
    expect(README_COMMANDS.length).toBeGreaterThan(8);
    expect(README_COMMANDS.filter((command) => !stack.ran.includes(command))).toEqual([]);
  });
});

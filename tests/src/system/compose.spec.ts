import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Goal } from '@aish/contracts';
import { rehearsalScript, startScriptedModel, type ScriptedModel } from '@aish/rehearsal';
import { verifies } from '../requirements.js';
import { ApiClient } from '../support/api.client.js';
import { Compose, serviceOf } from '../support/compose.js';
import { removeWorkspaces } from '../support/workspaces.js';
import { freePort } from '../support/service.process.js';

const GOAL = 'find the three largest files under /usr/share and delete the copies you made';
const BUILD_TIMEOUT_MS = 900_000;

describe('docker compose up with two workers', () => {
  let model: ScriptedModel;
  let compose: Compose;
  let client: ApiClient;

  beforeAll(async () => {
    // Containers reach it through the host's gateway.
    model = await startScriptedModel({ script: rehearsalScript, host: '0.0.0.0', tokensPerSecond: 2_000 });
    const port = await freePort();
    compose = new Compose(`aish-test-${randomUUID().slice(0, 8)}`, {
      AISH_PORT: String(port),
      SAFETY_SECOND_OPINION: 'off', // a scripted model has none
      FAST_BASE_URL: `http://host.docker.internal:${new URL(model.url).port}`,
    });
    await compose.run(['up', '--detach', '--build', '--wait', '--scale', 'norris-worker=2'], BUILD_TIMEOUT_MS);
    const token = (await compose.run(['exec', '-T', 'api', 'cat', '/var/lib/aish/token'])).trim();
    client = new ApiClient(`http://127.0.0.1:${port}`, token);
  }, BUILD_TIMEOUT_MS);

  afterAll(async () => {
    await compose?.run(['down', '--volumes', '--timeout', '10']);
    if (compose !== undefined) await removeWorkspaces(compose.project);
    await model?.close();
  }, 120_000);

  it(
    verifies('main-job.compose'),
    async () => {
      const started = await compose.run(['exec', '-T', 'api', 'aish', 'norris', GOAL, '--json']);
      const { id } = Goal.parse(JSON.parse(started));
      const decision = await client.decisionOf(id);
      expect(decision.action).toBe('rm -rf copies');
      await compose.run(['exec', '-T', 'api', 'aish', 'decide', `d-${decision.number}`, 'proceed']);
      const goal = await client.until(id, 'done');
      expect(goal.actions.map(({ state, outcome }) => [state, outcome?.exitCode])).toEqual(
        goal.actions.map(() => ['finished', 0]),
      );
    },
    180_000,
  );

  it('is healthy in every part, publishes the api alone, on 127.0.0.1, and gives the Docker socket to the sandbox alone', async () => {
    const health = await client.request('GET', '/v1/health');
    expect(await health.json()).toMatchObject({ status: 'ok' });
    const containers = await compose.inspect();
    const names = containers.filter(({ State }) => State.Status === 'running').map(serviceOf);
    expect(names.toSorted()).toEqual(['api', 'norris-worker', 'norris-worker', 'postgres', 'redis', 'sandbox']);
    for (const container of containers) {
      const service = serviceOf(container);
      const published = Object.values(container.HostConfig.PortBindings ?? {}).flat();
      expect([service, published.map(({ HostIp }) => HostIp)]).toEqual([
        service,
        service === 'api' ? ['127.0.0.1'] : [],
      ]);
      const hasSocket = container.Mounts.some(({ Source }) => Source.includes('docker.sock'));
      expect([service, hasSocket]).toEqual([service, service === 'sandbox']);
      expect([service, container.HostConfig.Privileged, container.HostConfig.ReadonlyRootfs]).toEqual([
        service,
        false,
        true,
      ]);
      expect(container.HostConfig.CapDrop).toContain('ALL');
      // Secrets come in files.
      expect(container.Config.Env.filter((line) => /(PASSWORD|TOKEN|SECRET|_KEY)=.+/.test(line))).toEqual([]);
    }
  }, 60_000);

  it('keeps a pending HALT over down and up', async () => {
    const goal = await client.createGoal(GOAL);
    const { number } = await client.decisionOf(goal.id);
    await compose.run(['down', '--timeout', '10']);
    await compose.run(['up', '--detach', '--wait', '--scale', 'norris-worker=2'], 300_000);
    await client.decide(number, 'skip');
    expect((await client.until(goal.id, 'done')).actions.at(-1)?.state).toBe('skipped');
  }, 400_000);
});

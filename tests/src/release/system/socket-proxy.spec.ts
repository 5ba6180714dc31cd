import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { parse } from 'yaml';
import { z } from 'zod';
import { verifies } from '../../requirements.js';
import { closeAll } from '../../support/close-all.js';
import { eventually } from '../../support/eventually.js';
import { plan } from '../../support/plan.js';
import { ROOT } from '../../support/service.process.js';
import { startSocketProxy, type SocketProxy } from '../../support/socket.proxy.js';
import { Stack } from '../../support/stack.js';

const Override = z.object({
  services: z.object({ 'socket-proxy': z.object({ command: z.array(z.string()) }) }),
});

/** Returns the rules of the compose file, which match whole paths. */
async function rules(): Promise<Record<string, RegExp[]>> {
  const { services } = Override.parse(parse(await readFile(`${ROOT}deploy/compose/socket-proxy.yml`, 'utf8')));
  const found: Record<string, RegExp[]> = {};
  for (const argument of services['socket-proxy'].command) {
    const [, method, rule] = /^-allow([A-Z]+)=(.*)$/s.exec(argument) ?? [];
    if (method !== undefined) (found[method] ??= []).push(new RegExp(`^(?:${rule})$`));
  }
  return found;
}

describe('a sandbox behind the filter of socket-proxy.yml', () => {
  let model: ScriptedModel;
  let stack: Stack;
  let proxy: SocketProxy;
  let dir: string;
  let socket: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'aish-socket-'));
    socket = join(dir, 'docker.sock');
    // The sandbox does not run in a container here, so the sockets of its proxies are in a folder.
    proxy = await startSocketProxy(socket, { allowed: await rules(), bindFrom: [dir] });
    model = await startScriptedModel({
      script: plan(
        'CMD: mkdir d; touch d/a; ls d',
        'CMD: rm -rf d',
        `CMD: curl -sS -m 3 http://${new URL('http://10.1.2.3:9').host}/ || true`,
        'GOAL: complete',
      ),
    });
    stack = await Stack.start({
      modelUrl: model.url,
      env: { DOCKER_SOCKET: socket, SANDBOX_NETWORK_DIR: join(dir, 'network') },
    });
  }, 120_000);

  afterAll(
    () =>
      closeAll(
        () => stack?.stop(),
        () => model?.close(),
        () => proxy?.close(),
        () => rm(dir, { recursive: true, force: true }),
      ),
    60_000,
  );

  it(
    verifies('compose.socket-proxy'),
    async () => {
      const { client } = stack;
      const goal = await client.createGoal('tidy');
      const decision = await client.decisionOf(goal.id);
      await client.request('PUT', `/v1/sessions/${goal.sessionId}/network`, {
        mode: 'allow',
        rules: [{ host: '10.1.2.3' }],
      });
      await client.decide(decision.number, 'proceed');
      const done = await client.until(goal.id, 'done');
      expect(done.actions.map(({ state, outcome }) => [state, outcome?.exitCode])).toEqual(
        done.actions.map(() => ['finished', 0]),
      );
      const deletion = done.actions.find(({ id }) => id === decision.actionId);
      const undone = await client.request('POST', `/v1/actions/${deletion?.id}/undo`, {});
      expect([undone.status, await undone.text()]).toEqual([200, expect.any(String)]);
      const gone = await client.request('DELETE', `/v1/sessions/${goal.sessionId}`);
      await gone.body?.cancel();
      await eventually('the workspace is removed', async () =>
        [...proxy.used].some((rule) => rule.startsWith('DELETE') && rule.includes('volumes')),
      );
      expect(proxy.refused).toEqual([]);
    },
    120_000,
  );

  it('the filter refuses requests that the sandbox never makes', async () => {
    const before = proxy.refused.length;
    const asked: readonly [string, string][] = [
      ['GET', '/v1.44/secrets'],
      ['POST', '/swarm/init'],
      ['POST', '/v1.44/build'],
      ['POST', '/images/create?fromImage=x'],
      ['POST', '/containers/postgres/exec'],
      ['PUT', '/containers/postgres/archive?path=/'],
      ['DELETE', '/images/postgres:17.11'],
      ['GET', '/containers/x/json/../../../secrets'],
      ['POST', '/plugins/pull'],
      ['POST', '/volumes/prune'],
    ];
    for (const [method, path] of asked) {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        request({ socketPath: socket, method, path }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .once('error', reject)
          .end();
      });
      expect([method, path, status]).toEqual([method, path, 403]);
    }
    expect(proxy.refused).toHaveLength(before + asked.length);
  });
});

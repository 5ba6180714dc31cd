import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CreateGoal, Goal } from '@aish/contracts/goals';
import { AuditList } from '@aish/contracts/audit';
import { NetworkConnectionList, NetworkPolicy } from '@aish/contracts/network';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import pg from 'pg';
import { verifies } from '../../requirements.js';
import { ApiClient } from '../../support/api.client.js';
import { readEvents } from '../../support/event-stream.js';
import { eventually } from '../../support/eventually.js';
import { plan, plans } from '../../support/plan.js';
import { Stack } from '../../support/stack.js';

describe('the network access of commands', () => {
  let web: Server;
  let port: number;
  let model: ScriptedModel;
  let stack: Stack;
  let folder: string;

  beforeAll(async () => {
    web = createServer((_, response) => response.setHeader('connection', 'close').end('from outside'));
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    port = (web.address() as AddressInfo).port;
    folder = await mkdtemp(join(tmpdir(), 'aish-folder-'));
    await chmod(folder, 0o755);
    await writeFile(join(folder, 'note'), 'of the host\n', { mode: 0o644 });
    const fetching = `curl -sS --noproxy '' http://127.0.0.1:${port}/; curl -sS http://example.org/`;
    model = await startScriptedModel({
      script: plans({
        // The HALT gives the test time to set the policy of the new session.
        fetch: plan('CMD: rm -rf nothing', `CMD: ${fetching}`, 'GOAL: complete'),
        cancelled: plan('CMD: rm -rf nothing', 'CMD: curl -sS http://example.org/; echo there; sleep 60'),
        folder: plan('CMD: cat /mnt/shared/note', 'GOAL: complete'),
      }),
    });
    const folders = [{ name: 'shared', hostPath: folder, containerPath: '/mnt/shared' }];
    stack = await Stack.start({ modelUrl: model.url, env: { SANDBOX_HOST_FOLDERS: JSON.stringify(folders) } });
  }, 120_000);

  afterAll(async () => {
    await stack?.stop();
    await model?.close();
    await new Promise((resolve) => web.close(resolve));
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  /** Answers every HALT with proceed until the goal is done. */
  async function drive(goalId: string): Promise<void> {
    for (let goal = await stack.client.goal(goalId); goal.state !== 'done'; goal = await stack.client.goal(goalId)) {
      if (goal.state === 'halted') await stack.client.decide((await stack.client.decisionOf(goalId)).id, 'proceed');
      else await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  it(
    verifies('network.policy'),
    async () => {
      const goal = await stack.client.createGoal('fetch it');
      await stack.client.decisionOf(goal.id);
      const path = `/v1/sessions/${goal.sessionId}/network`;
      const policy = { mode: 'allow', rules: [{ host: '127.0.0.1', ports: [port], private: true }] };
      expect(await stack.client.json(NetworkPolicy, 'GET', path)).toEqual({ mode: 'none' });
      for (const scope of ['operate', 'decide', 'observe', 'app']) {
        const refused = await (await tokenOf(scope)).request('PUT', path, policy);
        expect([scope, refused.status]).toEqual([scope, 403]);
      }
      expect((await stack.client.request('PUT', `/v1/sessions/${randomUUID()}/network`, policy)).status).toBe(404);
      expect((await stack.client.request('PUT', path, { mode: 'all' })).status).toBe(400);
      expect(await stack.client.json(NetworkPolicy, 'PUT', path, policy)).toEqual(policy);
      await drive(goal.id);
      const { actions } = await stack.client.goal(goal.id);
      expect(actions.at(-1)?.outcome?.output).toMatch(/^from outsideaish: example.org:80 is refused/);
      const { items } = await stack.client.json(NetworkConnectionList, 'GET', `${path}/connections`);
      expect(items).toMatchObject([
        { host: '127.0.0.1', port, allowed: true },
        { host: 'example.org', port: 80, allowed: false },
      ]);
      const { events } = await readEvents(stack.client, goal.sessionId, (seen) => seen.events.some(isEnd));
      const network = events.flatMap(({ body }) => (body.type.startsWith('network.') ? [body] : []));
      expect(network).toMatchObject([
        { type: 'network.changed', policy, by: 'admin' },
        { type: 'network.connection', host: '127.0.0.1', port, allowed: true, count: 1, goalId: goal.id },
        { type: 'network.connection', host: 'example.org', port: 80, allowed: false, reason: 'no rule allows it' },
      ]);
      const audit = await stack.client.json(AuditList, 'GET', '/v1/audit?action=network.changed');
      expect(audit.items[0]).toMatchObject({ actor: 'admin', subject: goal.sessionId, facts: { policy } });
    },
    60_000,
  );

  it(
    verifies('network.policy', 'the destinations of a cancelled goal are events'),
    async () => {
      const goal = await stack.client.createGoal('to be cancelled');
      const { id } = await stack.client.decisionOf(goal.id);
      await stack.client.json(NetworkPolicy, 'PUT', `/v1/sessions/${goal.sessionId}/network`, {
        mode: 'allow',
        rules: [{ host: 'example.com' }],
      });
      await stack.client.decide(id, 'proceed');
      await eventually('it was refused', async () => {
        const path = `/v1/sessions/${goal.sessionId}/network/connections`;
        return (await stack.client.json(NetworkConnectionList, 'GET', path)).items.length > 0;
      });
      await stack.client.request('POST', `/v1/goals/${goal.id}/cancel`);
      const { events } = await readEvents(stack.client, goal.sessionId, (seen) =>
        seen.events.some(({ body }) => body.type === 'goal.changed' && body.state === 'aborted'),
      );
      expect(events.flatMap(({ body }) => (body.type === 'network.connection' ? [body] : []))).toMatchObject([
        { host: 'example.org', port: 80, allowed: false, reason: 'no rule allows it', count: 1, goalId: goal.id },
      ]);
    },
    60_000,
  );

  it(
    verifies('sandbox.host-folders'),
    async () => {
      const wrong = await stack.client.request('POST', '/v1/goals', { text: 'folder', hostFolders: ['etc'] });
      expect([wrong.status, await wrong.json()]).toMatchObject([
        400,
        { code: 'mount_not_allowed', allowed: ['shared'] },
      ]);
      const input = CreateGoal.parse({ text: 'folder', hostFolders: ['shared'] });
      const goal = await stack.client.json(Goal, 'POST', '/v1/goals', input);
      expect(goal.hostFolders).toEqual(['shared']);
      await drive(goal.id);
      expect((await stack.client.goal(goal.id)).actions[0]?.outcome?.output).toBe('of the host\n');
    },
    60_000,
  );

  async function tokenOf(scope: string): Promise<ApiClient> {
    const token = `aish_${randomUUID()}`;
    const hash = createHash('sha256').update(token).digest('hex');
    const db = new pg.Client({ connectionString: stack.database.url });
    await db.connect();
    try {
      const sql = 'insert into api_tokens (id, name, hash, scopes) values ($1, $2, $3, $4)';
      await db.query(sql, [randomUUID(), scope, hash, [scope]]);
    } finally {
      await db.end();
    }
    return new ApiClient(stack.client.url, token);
  }
});

const isEnd = ({ body }: { readonly body: { readonly type: string; readonly state?: string } }) =>
  body.type === 'goal.changed' && body.state === 'done';

import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { AuditList } from '@aish/contracts/audit';
import { Goal } from '@aish/contracts/goals';
import { Space } from '@aish/contracts/spaces';
import { NewToken, type Scope } from '@aish/contracts/tokens';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { verifies } from '../requirements.js';
import { aish } from '../support/aish.command.js';
import { ApiClient } from '../support/api.client.js';
import { eventually } from '../support/eventually.js';
import { plan, plans } from '../support/plan.js';
import { scriptedStack } from '../support/scripted-stack.js';

const VALUE = `glsa_${randomBytes(18).toString('hex')}`;

describe('what a model needs to reach', () => {
  const heard: string[] = [];
  let server: Server;
  let at = '';

  const ask = () => `CMD: curl -sS -m 5 --noproxy '' -H "Authorization: Bearer $API_KEY" ${at}/x`;
  const running = scriptedStack(
    plans({
      'with a key': (messages, n) =>
        plan(
          `CMD: echo begin\nNEED: secret API_KEY for ${at}: to read the alerts`,
          ask(),
          'GOAL: complete',
        )(messages, n),
      'what begins later': (messages, n) => plan(ask(), 'GOAL: complete')(messages, n),
      'without it': plan('NEED: host nas: the backups are there', 'NEED: image ffmpeg', 'GOAL: complete'),
    }),
  );

  beforeAll(async () => {
    server = createServer(({ headers }, response) => {
      heard.push(headers.authorization ?? '');
      response.end(`you sent ${headers.authorization}\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const as = async (name: string, ...scopes: readonly Scope[]) => {
    const { client } = running.stack;
    const { token } = await client.json(NewToken, 'POST', '/v1/tokens', { name, scopes });
    return new ApiClient(client.url, token);
  };
  const cli = (args: readonly string[], input?: string) => {
    const { stack } = running;
    return aish({ url: stack.client.url, tokenFile: join(stack.dir, 'token') }, args, input);
  };

  it(
    verifies('goal.needs'),
    async () => {
      const { client, workers, api, database } = running.stack;
      await client.json(Space, 'PATCH', '/v1/spaces/home', { instructions: 'The home.' });
      const given = await client.json(Goal, 'POST', '/v1/goals', { text: 'with a key', space: 'home' });
      const { id, number } = await client.decisionOf(given.id);
      await Promise.all([api, ...workers].map((service) => service.kill('SIGKILL')));
      await Promise.all([api, ...workers].map((service) => service.start()));
      expect(await client.decisionOf(given.id)).toMatchObject({
        kind: 'need',
        action: `secret API_KEY for ${at}: to read the alerts`,
        request: { properties: { value: { format: 'password' }, local: { default: true } } },
      });
      expect((await cli(['show', `d-${number}`])).stdout).toContain(`secret API_KEY for ${at}`);
      // Whoever decides may refuse; to give is an admin’s.
      const decider = await as('decider', 'decide');
      const verdict = { verdict: 'proceed', answer: { value: VALUE } };
      const refused = await decider.request('POST', `/v1/decisions/${id}/verdict`, verdict);
      expect([refused.status, await refused.text()]).toEqual([403, expect.not.stringContaining(VALUE)]);
      const empty = await cli(['decide', `d-${number}`, 'give'], '\n');
      expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('type its value')]);
      const said = await cli(['decide', `d-${number}`, 'give', '--space'], `${VALUE}\n`);
      expect(said.stdout).toContain('given to the goal and its space by admin');
      const goal = await client.until(given.id, 'done');
      expect(heard).toEqual([`Bearer ${VALUE}`]);
      expect(goal.actions.at(-1)?.outcome?.output).toMatch(/^you sent Bearer aish-secret-/);
      // What begins in its space has it, too.
      const later = await client.json(Goal, 'POST', '/v1/goals', { text: 'what begins later', space: 'home' });
      await client.until(later.id, 'done');
      expect(heard).toHaveLength(2);

      const told = JSON.stringify(running.model.requests);
      expect(told).toContain(`The user gives you what you need: secret API_KEY for ${at}`);
      const { items } = await client.json(AuditList, 'GET', '/v1/audit');
      expect(items.map(({ action }) => action)).toEqual(
        expect.arrayContaining(['reach.given', 'secret.set', 'space.set', 'verdict.given']),
      );
      const db = new pg.Client({ connectionString: database.url });
      await db.connect();
      const rows = await db.query(
        `select row_to_json(d)::text from decisions d union all select row_to_json(e)::text from events e
         union all select row_to_json(t)::text from turns t union all select row_to_json(a)::text from audit a`,
      );
      await db.end();
      const stored = [
        JSON.stringify(rows.rows),
        told,
        running.stack.services.map(({ log }) => log).join(),
        said.stdout,
      ];
      expect(stored.map((text) => text.includes(VALUE))).toEqual([false, false, false, false]);
    },
    120_000,
  );

  it(
    verifies('goal.needs', 'what there is not cannot be given; a refusal is told, and the goal goes on'),
    async () => {
      const { client } = running.stack;
      const goal = await client.createGoal('without it');
      const first = await client.decisionOf(goal.id);
      expect(first).toMatchObject({ kind: 'need', action: 'host nas: the backups are there' });
      const missing = await client.request('POST', `/v1/decisions/${first.id}/verdict`, { verdict: 'proceed' });
      expect([missing.status, await missing.text()]).toEqual([400, expect.stringContaining('There is no host nas')]);
      await client.decide(first.id, 'skip', 'it is asleep');
      const second = await eventually('it asks for the next', async () =>
        (await client.pendingDecisions()).find(({ goalId, id }) => goalId === goal.id && id !== first.id),
      );
      const unbuilt = await client.request('POST', `/v1/decisions/${second.id}/verdict`, { verdict: 'proceed' });
      expect([unbuilt.status, await unbuilt.text()]).toEqual([
        400,
        expect.stringContaining('There is no image ffmpeg'),
      ]);
      await client.decide(second.id, 'skip');
      await client.until(goal.id, 'done');
      expect(JSON.stringify(running.model.requests)).toContain(
        'does not give you this: host nas\\nGo on without it.\\nit is asleep',
      );
    },
    60_000,
  );
});

import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditList } from '@aish/contracts/audit';
import { Decision } from '@aish/contracts/decisions';
import { Goal } from '@aish/contracts/goals';
import { Space } from '@aish/contracts/spaces';
import { NewToken } from '@aish/contracts/tokens';
import { connectDatabase, type Database } from '@aish/database/client';
import { verifies } from '../../requirements.js';
import { aish } from '../../support/aish.command.js';
import { ApiClient } from '../../support/api.client.js';
import { eventually } from '../../support/eventually.js';
import { plan, plans } from '../../support/plan.js';
import { scriptedStack } from '../../support/scripted-stack.js';

/** The window covers a whole day two days from now, so it is closed during this test. */
const NOT_TODAY = `${new Date(Date.now() + 2 * 86_400_000)
  .toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' })
  .toLowerCase()} 00:00-23:59 UTC`;

describe('approvals by several people and at certain times', () => {
  const pushed: { readonly topic: string; readonly title: string }[] = [];
  let phone: Server;
  let db: Database;
  const running = scriptedStack(
    plans({ 'remove the copies': plan('CMD: rm -rf copies', 'GOAL: complete\nGone.') }),
    async () => {
      phone = createServer((request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          pushed.push(JSON.parse(body) as (typeof pushed)[number]);
          response.end('{}');
        });
      });
      await new Promise<void>((resolve) => void phone.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(phone.address() as AddressInfo).port}/home`;
      return { ownProcesses: true, env: { NTFY_URL: url, NOTIFY_ON: 'halt' } };
    },
  );
  let ann: ApiClient;
  let bob: ApiClient;

  beforeAll(async () => {
    db = connectDatabase(running.stack.database.url, { max: 1 });
    [ann, bob] = await Promise.all([person('ann'), person('bob')]);
  }, 60_000);
  afterAll(async () => {
    await db?.close();
    await new Promise((resolve) => phone?.close(resolve));
  });

  const cli = async (...args: string[]) => {
    const { stack } = running;
    const { code, stdout, stderr } = await aish({ url: stack.client.url, tokenFile: join(stack.dir, 'token') }, args);
    return code === 0 ? stdout : `${code} ${stderr}`;
  };
  async function person(name: string): Promise<ApiClient> {
    const { client } = running.stack;
    const scopes = ['observe', 'operate', 'decide'];
    const { token } = await client.json(NewToken, 'POST', '/v1/tokens', { name, scopes });
    return new ApiClient(client.url, token);
  }
  async function haltIn(space: string, by: ApiClient = ann) {
    const { id } = await by.json(Goal, 'POST', '/v1/goals', { text: 'remove the copies', space });
    return { id, asked: await by.decisionOf(id) };
  }
  const decide = async (by: ApiClient, { id }: Pick<Decision, 'id'>, more: object = {}) => {
    const answer = await by.request('POST', `/v1/decisions/${id}/verdict`, { verdict: 'proceed', ...more });
    return { status: answer.status, body: (await answer.json()) as Decision & { code?: string; detail?: string } };
  };

  it(
    verifies('decision.several-people'),
    async () => {
      expect(await cli('space', 'set', 'vault', '--approve', '2 destructive not-author')).toContain(
        'approve     2 destructive not-author',
      );
      const { id, asked } = await haltIn('vault');
      expect(asked.approval).toMatchObject({ needed: 2, given: [], author: 'ann' });
      const own = await decide(ann, asked);
      expect([own.status, own.body.code]).toEqual([403, 'needs_another_person']);

      const first = await decide(bob, asked, { version: asked.version });
      expect(first.body).toMatchObject({ state: 'pending', approval: { given: [{ by: 'bob' }] } });
      const again = await decide(bob, asked);
      expect([again.status, again.body.code]).toEqual([403, 'needs_another_person']);
      expect(await cli('show', `d${asked.number}`)).toContain('needs 2 people: 1 of 2: bob');
      expect((await decide(running.stack.client, asked, { grant: 'command' })).body.code).toBe('grant_forbidden');

      // The text of the goal has changed, so an approval of the old text does not count.
      await ann.request('PATCH', `/v1/goals/${id}`, { text: 'remove the copies, all of them' });
      const changed = await decide(running.stack.client, asked, { version: asked.version });
      expect([changed.status, changed.body.code]).toEqual([409, 'decision_changed']);
      const [older, newer] = [randomUUID(), randomUUID()];
      expect((await decide(running.stack.client, asked, { preview: older })).body).toMatchObject({
        approval: { given: [{ by: 'admin', preview: older }] },
      });
      const last = await decide(bob, asked, { preview: newer });
      expect(last.body).toMatchObject({ state: 'decided', decidedBy: 'admin, bob' });
      await ann.until(id, 'done');
      // The two people saw different previews, so neither preview is kept.
      const { rows } = await db.pool.query('select preview from decisions where id = $1', [asked.id]);
      expect(rows).toEqual([{ preview: null }]);
      const { items } = await running.stack.client.json(AuditList, 'GET', '/v1/audit');
      const entries = items.filter(({ subject }) => subject === `d${asked.number}`);
      expect(entries.map(({ actor, action }) => [actor, action])).toEqual([
        ['bob', 'verdict.given'],
        ['admin', 'verdict.approved'],
        ['bob', 'verdict.approved'],
      ]);
    },
    120_000,
  );

  it(
    verifies('decision.change-window'),
    async () => {
      await cli('space', 'set', 'night', '--window', NOT_TODAY);
      const { id, asked } = await haltIn('night');
      const ref = `d${asked.number}`;
      expect(await cli('decide', ref, 'proceed', '--in-window')).toContain('runs when the change window opens');
      const waiting = await ann.json(Decision, 'GET', `/v1/decisions/${asked.id}`);
      expect(waiting.approval?.waitsUntil).toBe(waiting.approval?.opensAt);
      expect(await cli('decide', ref, 'take-back')).toContain('withdrawn');
      expect(await cli('decide', ref, 'take-back')).toContain('Nobody has approved');

      await cli('decide', ref, 'proceed', '--in-window');
      const { services } = running.stack;
      await Promise.all(services.map((service) => service.kill('SIGKILL')));
      await Promise.all(services.map((service) => service.start()));
      expect(await ann.json(Decision, 'GET', `/v1/decisions/${asked.id}`)).toMatchObject({
        state: 'pending',
        approval: { given: [{ by: 'admin', inWindow: true }] },
      });
      await cli('space', 'set', 'night', '--window', 'daily 00:00-00:00');
      await ann.until(id, 'done');
      expect(await ann.json(Decision, 'GET', `/v1/decisions/${asked.id}`)).toMatchObject({
        verdict: 'proceed',
        decidedBy: 'admin',
      });
    },
    120_000,
  );

  it(
    verifies('decision.escalation'),
    async () => {
      await running.stack.client.json(Space, 'PATCH', '/v1/spaces/desk', {
        escalation: [{ afterMinutes: 30, channel: 'ntfy', to: 'bob' }],
      });
      const { asked } = await haltIn('desk');
      const title = `HALT: goal ${asked.goalNumber} is waiting for you`;
      const isNotified = (topic: string, what: string) =>
        pushed.some((each) => each.topic === topic && each.title === what);
      await eventually('the first notice', () => Promise.resolve(isNotified('home', title)));
      expect(pushed.filter(({ topic }) => topic === 'bob')).toEqual([]);
      await db.pool.query(`update decisions set created_at = now() - interval '31 minutes' where id = $1`, [asked.id]);
      await eventually('the next person is notified', () => Promise.resolve(isNotified('bob', `Unanswered: ${title}`)));
      expect(await ann.json(Decision, 'GET', `/v1/decisions/${asked.id}`)).toMatchObject({ state: 'pending' });
    },
    120_000,
  );

  it(
    verifies('audit.chain'),
    async () => {
      expect(await eventually('all is sealed', verified)).toMatchObject({ brokenAt: null });
      const { rows } = await db.pool.query<{ n: string }>('select n from audit order by n limit 1 offset 1');
      const n = Number(rows[0]?.n);
      await db.pool.query(`update audit set actor = 'nobody' where n = $1`, [n]);
      expect(await cli('audit', '--verify')).toMatch(/^1 /);
      const answer = await running.stack.client.request('GET', '/v1/audit/check');
      expect(await answer.json()).toMatchObject({ brokenAt: n });
    },
    60_000,
  );

  async function verified(): Promise<object | undefined> {
    const answer = await running.stack.client.request('GET', '/v1/audit/check');
    const check = (await answer.json()) as { entries: number; sealed: number };
    return check.sealed === check.entries ? check : undefined;
  }
});

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { z } from 'zod';
import { verifies } from '../../requirements.js';
import { closeAll } from '../../support/close-all.js';
import { eventually } from '../../support/eventually.js';
import { plan } from '../../support/plan.js';
import { Stack } from '../../support/stack.js';

const Pushed = z.object({
  topic: z.string(),
  title: z.string(),
  message: z.string(),
  sequence_id: z.string(),
  click: z.string().optional(),
});

describe('notifications', () => {
  let model: ScriptedModel;
  let stack: Stack;
  let phone: Server;
  const pushed: z.infer<typeof Pushed>[] = [];

  beforeAll(async () => {
    phone = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        pushed.push(Pushed.parse(JSON.parse(body)));
        response.writeHead(200).end('{}');
      });
    });
    await new Promise<void>((resolve) => void phone.listen(0, '127.0.0.1', resolve));
    const ntfy = `http://127.0.0.1:${(phone.address() as AddressInfo).port}/my-topic`;
    model = await startScriptedModel({ script: plan('CMD: rm -rf old', 'GOAL: complete all tidy') });
    stack = await Stack.start({
      modelUrl: model.url,
      ownProcesses: true,
      env: {
        NTFY_URL: ntfy,
        PUBLIC_URL: 'http://aish.example/',
        NOTIFY_ON: 'halt,done',
        NOTIFY_PROCEED: 'ntfy',
      },
    });
  }, 120_000);

  afterAll(
    () =>
      closeAll(
        () => stack?.stop(),
        () => model?.close(),
        () => new Promise((resolve) => phone?.close(resolve)),
      ),
    60_000,
  );

  /** Returns the notifications about a goal so far. */
  const pushedFor = (number: number) => pushed.filter(({ title }) => title.includes(`oal ${number}`));

  it(
    verifies(
      'notifications.phone',
      'a HALT is answered on the page of its notification, and opening the link answers nothing',
    ),
    async () => {
      const goal = await stack.client.createGoal('tidy up');
      const halt = await eventually('the phone is notified of the HALT', async () => pushedFor(goal.number)[0]);
      expect(halt).toMatchObject({ topic: 'my-topic', title: `HALT: goal ${goal.number} is waiting for you` });
      expect(halt.message).toContain('rm -rf old');
      const link = halt.click?.replace('http://aish.example', stack.client.url) ?? '';

      const page = await fetch(link);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await page.text()).toContain('<mark>rm -rf');
      expect(await stack.client.pendingDecisions()).toHaveLength(1);

      const press = (verdict: string, message = '') =>
        fetch(link, { method: 'POST', body: new URLSearchParams({ verdict, message }) });
      const first = await press('skip', 'keep <them>');
      expect([first.status, await first.text()]).toEqual([
        200,
        expect.stringContaining('Answered: skip, by link (ntfy)'),
      ]);
      const second = await press('proceed');
      expect([second.status, await second.text()]).toEqual([409, expect.stringContaining('was answered with skip')]);
      expect((await press('dance')).status).toBe(400);
      expect((await fetch(`${link.slice(0, -3)}abc`)).status).toBe(404);

      const ended = await stack.client.until(goal.id, 'done');
      expect(ended.decisions[0]).toMatchObject({ decidedBy: 'link (ntfy)', message: 'keep <them>' });
      const done = await eventually('the phone is notified of the end', async () => pushedFor(goal.number)[1]);
      expect(done).toMatchObject({ title: `Goal ${goal.number}: done` });
      expect(done.message).toContain('all tidy');
      expect(done.click).toBeUndefined();
    },
    90_000,
  );

  it(
    verifies('notifications.phone', 'events during downtime of the api are reported once when it is back'),
    async () => {
      await stack.api.kill('SIGKILL');
      await stack.api.start();
      const goal = await stack.client.createGoal('tidy up again');
      await stack.client.decisionOf(goal.id);
      await stack.api.kill('SIGKILL');
      const before = pushedFor(goal.number).length;
      await stack.api.start();
      // Notifications that the killed api had begun to send are retried by another api after 40 s.
      await eventually('the phone knows', async () => pushedFor(goal.number).length > 0, { timeoutMs: 90_000 });
      expect(pushedFor(goal.number).length - before).toBeLessThanOrEqual(1);
      // A message that was being sent when the api was killed may come twice, with the same ID.
      expect(new Set(pushedFor(goal.number).map((each) => each.sequence_id)).size).toBe(1);
      const decision = (await stack.client.pendingDecisions()).find(({ goalId }) => goalId === goal.id);
      await stack.client.decide(decision?.number ?? 0, 'abort');
      await stack.client.until(goal.id, 'aborted');
    },
    180_000,
  );
});

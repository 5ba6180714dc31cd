import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NewToken } from '@aish/contracts/tokens';
import { WebPush } from '@aish/contracts/web';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../../requirements.js';
import { ApiClient } from '../../support/api.client.js';
import { eventually } from '../../support/eventually.js';
import { PushService, type PushedMessage } from '../../support/push.service.js';
import { WebStack } from '../../web/web.stack.js';

interface Shown {
  readonly title: string;
  readonly text: string;
  readonly at: string;
}

describe('notifications in a browser', () => {
  let folder: string;
  let service: PushService;
  let web: WebStack;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aish-push-'));
    service = await PushService.start(folder);
    web = await WebStack.start({
      NODE_EXTRA_CA_CERTS: service.certificate,
      PUSH_SERVICES: service.origin,
      MAIL_FROM: 'aish@example.org',
    });
  }, 120_000);
  afterAll(async () => {
    await web?.stop();
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });
  const ofGoal = (number: number): readonly PushedMessage[] =>
    service.taken.filter(({ text }) => (JSON.parse(text) as Shown).title.includes(`goal ${number} `));
  const arrived = (number: number): Promise<PushedMessage> =>
    eventually(`the notice of goal ${number}`, async () => ofGoal(number).at(-1) ?? null);

  it(
    verifies('web.push'),
    async () => {
      const named = { name: 'phone', scopes: ['observe'], owner: 'anna' };
      const { token } = await web.client.json(NewToken, 'POST', '/v1/tokens', named);
      const phone = new ApiClient(web.client.url, token);
      const { publicKey, isOn } = await phone.json(WebPush, 'GET', '/v1/web/push');
      expect(isOn).toBe(false);
      const elsewhere = { ...service.subscription('phone'), endpoint: 'https://169.254.169.254/latest' };
      const refused = await phone.request('PUT', '/v1/web/push', elsewhere);
      expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([403, 'forbidden']);
      expect(await phone.json(WebPush, 'PUT', '/v1/web/push', service.subscription('phone'))).toMatchObject({
        isOn: true,
      });

      const short = await web.goal('short');
      await web.halt(short, 'rm -rf build');
      const notification = await arrived(short.number);
      expect(JSON.parse(notification.text)).toMatchObject({
        title: `HALT: goal ${short.number} is waiting for you`,
        text: expect.stringContaining('rm -rf build'),
        at: expect.stringMatching(/^decisions\/d\d+$/),
      });
      expect(notification).toMatchObject({ publicKey, urgency: 'high' });
      expect(notification.claims).toMatchObject({ aud: service.origin, sub: 'mailto:aish@example.org' });

      const long = await web.goal('long');
      await web.halt(long, `rm -rf build ${'x'.repeat(4_000)}`);
      expect((await arrived(long.number)).text).not.toContain('rm -rf');

      expect((await web.client.request('DELETE', '/v1/tokens/phone')).status).toBe(200);
      const own = new ApiClient(web.client.url, String(web.client.token));
      await own.json(WebPush, 'PUT', '/v1/web/push', service.subscription('desk'));
      const later = await web.goal('later');
      await web.halt(later, 'rm -rf later');
      await arrived(later.number);
      expect(ofGoal(later.number)).toHaveLength(1);

      service.status = 410;
      const last = await web.goal('last');
      await web.halt(last, 'rm -rf last');
      await eventually('what the push service does not know is forgotten', async () => {
        return !(await own.json(WebPush, 'GET', '/v1/web/push')).isOn || null;
      });
    },
    90_000,
  );

  it(
    verifies('web.push', 'the page shows a notification once, and opens its HALT'),
    async () => {
      const goal = await web.goal('show it');
      const number = await web.halt(goal, 'rm -rf shown');
      const { context, page } = await web.visit('phone');
      await context.grantPermissions(['notifications'], { origin: web.client.url });
      await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
      const cdp = await context.newCDPSession(page);
      const registration = new Promise<string>((resolve) => {
        cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
          const [found] = registrations;
          if (found !== undefined) resolve(found.registrationId);
        });
      });
      await cdp.send('ServiceWorker.enable');
      const data = JSON.stringify({ id: 'n1', title: 'HALT: goal', text: 'rm -rf shown', at: `decisions/d${number}` });
      const message = { origin: web.client.url, registrationId: await registration, data };
      await cdp.send('ServiceWorker.deliverPushMessage', message);
      await cdp.send('ServiceWorker.deliverPushMessage', message);
      const shown = await eventually('the notice is shown', async () => {
        const all = await page.evaluate(async () => {
          const here = await navigator.serviceWorker.ready;
          return (await here.getNotifications()).map(({ title, body, data: at }) => [title, body, at]);
        });
        return all.length > 0 ? all : null;
      });
      expect(shown).toEqual([['HALT: goal', 'rm -rf shown', `decisions/d${number}`]]);
      await page.goto(`${web.client.url}/app/#/settings`);
      await page.getByRole('button', { name: 'Turn on notifications' }).waitFor();
      await context.close();
    },
    90_000,
  );
});

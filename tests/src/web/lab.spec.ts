import { BriefSchedule } from '@aish/contracts/lab';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../requirements.js';
import { WebStack } from './web.stack.js';

describe('the brief on the page', () => {
  let web: WebStack;
  beforeAll(async () => {
    web = await WebStack.start();
    await web.db.pool.query(
      `insert into hosts (name, address, port, "user", login, created_by) values ('nas', 'nas.lan', 22, 'aish', 'certificate', 'ann')`,
    );
    await web.db.pool.query(
      `insert into lab_snapshots (host, at, probe, reading) values ('nas', now(), 'host', '{"answered": false, "detail": "no route to host"}')`,
    );
    await web.db.pool.query(
      `insert into lab_findings (id, kind, host, name, state, first_seen, last_seen) values ('host-nas-1', 'host', 'nas', 'nas', 'silent', now(), now())`,
    );
  }, 120_000);
  afterAll(() => web?.stop());

  it(
    verifies('hosts.brief', 'the page on a phone shows findings and hosts that did not respond, and mutes a finding'),
    async () => {
      const visitor = await web.visit('phone');
      try {
        await visitor.go('lab');
        const { page } = visitor;
        await page.getByText('nas does not respond (no route to host)').waitFor();
        await page.getByText('no route to host', { exact: true }).waitFor();
        await page.getByText('Nothing changed.').waitFor();
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
        await page.getByRole('button', { name: 'Mute' }).click();
        await page.getByText('Looked at 1 host, all quiet. 1 is muted.').waitFor();
      } finally {
        await visitor.close();
      }
    },
    60_000,
  );

  it('the daily check can be scheduled and turned off on the page', async () => {
    const visitor = await web.visit('phone');
    try {
      await visitor.go('lab');
      const { page } = visitor;
      await page.getByText('Off', { exact: true }).waitFor();
      await page.getByLabel('Time of the daily check').fill('06:30');
      await page.getByRole('button', { name: 'Check every day' }).click();
      await page.getByText(/^Every day at 06:30 \(.+\)$/).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      expect(await web.client.json(BriefSchedule, 'GET', '/v1/brief/schedule')).toMatchObject({ at: '06:30' });
      await page.getByRole('button', { name: 'Turn off' }).click();
      await page.getByText('Off', { exact: true }).waitFor();
      expect(await web.client.json(BriefSchedule, 'GET', '/v1/brief/schedule')).toMatchObject({ at: null });
    } finally {
      await visitor.close();
    }
  }, 60_000);
});

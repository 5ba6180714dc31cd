import { Space } from '@aish/contracts/spaces';
import { ScheduleList } from '@aish/contracts/schedules';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../../requirements.js';
import type { Visitor } from '../../support/browser.js';
import { WebStack } from '../../web/web.stack.js';

describe('a form on the page', () => {
  let web: WebStack;
  let visitor: Visitor;
  beforeAll(async () => {
    web = await WebStack.start();
    await web.db.pool.query(
      `insert into hosts (name, address, port, "user", login, created_by) values ('nas', 'nas.lan', 22, 'aish', 'certificate', 'ann')`,
    );
    visitor = await web.visit('phone');
  }, 120_000);
  afterAll(() => web?.stop());

  it(
    verifies('web.picks', 'a form on the page offers known names, and marks a wrong field until it is changed'),
    async () => {
      const { page } = visitor;
      await visitor.go('spaces');
      await page.getByText('New space').click();
      await page.getByLabel('Name', { exact: true }).fill('media');
      await page.getByRole('button', { name: 'nas', exact: true }).last().click();
      const windows = page.getByLabel('Change windows');
      await windows.fill('sat,sun 2-5');
      await page.getByRole('button', { name: 'Create the space' }).click();
      await page.getByText('“sat,sun 2-5” is not right').waitFor();
      expect(await windows.getAttribute('aria-invalid')).toBe('true');
      expect(await page.evaluate('document.activeElement.name')).toBe('windows');
      await windows.fill('sat,sun 02:00-05:00 Europe/Berlin');
      expect(await windows.getAttribute('aria-invalid')).toBeNull();
      await page.getByRole('button', { name: 'Create the space' }).click();
      await page.getByRole('heading', { name: 'media' }).waitFor();
      expect((await web.client.json(Space, 'GET', '/v1/spaces/media')).hosts).toEqual(['nas']);
    },
    60_000,
  );

  it(
    verifies('web.picks', 'the form of a schedule offers spaces and models, and marks the fields that the api refuses'),
    async () => {
      const { page } = visitor;
      await visitor.go('schedules');
      await page.getByLabel('Goal').fill('back up');
      await page.getByLabel('When (cron)').fill('0 3 * *');
      await page.locator('select[name=space]').selectOption('media');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.getByLabel('When (cron)').getAttribute('aria-invalid')).toBe('true');
      await page.getByLabel('When (cron)').fill('0 3 * * *');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.locator('.row-title', { hasText: 'back up' }).waitFor();
      const { items } = await web.client.json(ScheduleList, 'GET', '/v1/schedules');
      expect(items).toMatchObject([{ goal: { text: 'back up', space: 'media' } }]);
    },
    60_000,
  );
});

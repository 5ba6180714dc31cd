import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { insertHalt } from '../testing/decisions.fixture.js';
import { TestApi } from '../testing/test-api.js';

describe('undoing an action', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await TestApi.start();
  }, 60_000);
  afterAll(() => api?.stop());

  it('the refusal to undo a call of a tool says that only commands can be undone, and contains no ID', async () => {
    const decision = await insertHalt(api.db);
    const { rows } = await api.db.pool.query('select action_id from decisions where id = $1', [decision]);
    const id = String(rows[0].action_id);
    await api.db.pool.query(
      `update actions set kind = 'tool', command = null, call_id = 'c', tool = 'm__t', label = 'm.t', arguments = '{}' where id = $1`,
      [id],
    );
    const { status, body } = await api.ask('POST', `/v1/actions/${id}/undo`);
    expect([status, body]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
    expect(String(body.detail)).toContain('only commands. This is a call of a tool');
    expect(String(body.detail)).not.toContain(id);
  });
});

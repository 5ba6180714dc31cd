import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { insertHalt } from '../testing/decisions.fixture.js';
import { TestApi } from '../testing/test-api.js';

describe('an open decision', () => {
  let api: TestApi;
  let session: string;
  let action: string;
  let decision: string;

  beforeAll(async () => {
    api = await TestApi.start();
    decision = await insertHalt(api.db);
    const { rows } = await api.db.pool.query('select session_id, action_id from decisions where id = $1', [decision]);
    [session, action] = [rows[0].session_id, rows[0].action_id];
  }, 60_000);
  afterAll(() => api?.stop());

  const OCTETS = { 'content-type': 'application/octet-stream' };
  type Asked = readonly ['PUT' | 'POST', string, unknown, Record<string, string>];
  const changes: readonly (readonly [string, () => Asked])[] = [
    ['sending a file', () => ['PUT', `/v1/sessions/${session}/files/file?path=a`, Buffer.from('x'), OCTETS]],
    ['undoing a command', () => ['POST', `/v1/actions/${action}/undo`, undefined, {}]],
    ['undoing one command alone', () => ['POST', `/v1/actions/${action}/undo?only=true`, undefined, {}]],
    [
      'carrying the folder and variables over',
      () => ['PUT', `/v1/sessions/${session}/sandbox`, { carryOver: true }, {}],
    ],
    ['carrying nothing over', () => ['PUT', `/v1/sessions/${session}/sandbox`, { carryOver: false }, {}]],
  ];
  const attempt = (of: (typeof changes)[number][1], token: string) => {
    const [method, url, body, headers] = of();
    return api.ask(method, url, { token, headers, ...(body !== undefined && { body }) });
  };

  it.each(changes)('a token without decide is refused while a decision waits: %s', async (_, of) => {
    const { status, body } = await attempt(of, await api.tokenWith('observe', 'operate'));
    expect([status, body]).toEqual([409, expect.objectContaining({ code: 'decision_waits' })]);
  });

  it.each(changes)('a token with decide is accepted while a decision waits: %s', async (_, of) => {
    const { body } = await attempt(of, await api.tokenWith('observe', 'operate', 'decide'));
    expect(body).not.toMatchObject({ code: 'decision_waits' });
  });

  it('after the verdict, a token without decide may change the session again', async () => {
    const answer = { body: { verdict: 'skip' } };
    expect((await api.ask('POST', `/v1/decisions/${decision}/verdict`, answer)).status).toBe(200);
    for (const [, of] of changes) {
      expect((await attempt(of, await api.tokenWith('observe', 'operate'))).body).not.toMatchObject({
        code: 'decision_waits',
      });
    }
  });
});

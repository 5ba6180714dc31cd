import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { TestApi } from '../testing/test-api.js';

describe('commands that people run', () => {
  let model: ScriptedModel;
  let api: TestApi;

  beforeAll(async () => {
    model = await startScriptedModel({
      script: () => ({ hang: 'midStream', text: 'Half an' }),
      tokensPerSecond: 5_000,
    });
    api = await TestApi.start({ FAST_BASE_URL: model.url });
  });
  afterAll(async () => {
    await api?.stop();
    await model?.close();
  });

  const begin = async (): Promise<{ id: string; number: number }> =>
    (await api.ask('POST', '/v1/sessions', { body: {} })).body;
  const run = (id: string, command: string, token = api.token) =>
    api.ask('POST', `/v1/sessions/${id}/commands`, { body: { command }, token });

  it("a person's command is recorded in the session and the audit log, even if it cannot run", async () => {
    const { id, number } = await begin();
    const response = await fetch(`${api.url}/v1/sessions/${id}/commands`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ command: ' ls -l ' }),
    });
    const events = [...(await response.text()).matchAll(/^data: (.+)$/gm)].map(
      ([, data]) => JSON.parse(data ?? '').body,
    );
    const commandId = events[0]?.commandId;
    expect(events).toEqual([
      { type: 'command.started', commandId, command: 'ls -l', by: 'admin' },
      { type: 'command.ended', commandId, outcome: null, reason: expect.stringMatching(/^sandbox_/) },
    ]);
    const { items } = (await api.ask('GET', '/v1/audit')).body;
    const facts = { command: 'ls -l', session: id };
    expect(items[0]).toMatchObject({ actor: 'admin', action: 'command.run', subject: `c${number}`, facts });
  });

  it('only a token with decide can run a command, and only while the session is idle', async () => {
    const { id } = await begin();
    expect((await run(id, 'ls', await api.tokenWith('operate'))).body.code).toBe('forbidden');
    const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' };
    const leaving = new AbortController();
    const request = { method: 'POST', headers, body: JSON.stringify({ text: 'hello' }), signal: leaving.signal };
    await fetch(`${api.url}/v1/sessions/${id}/messages`, request);
    expect((await run(id, 'ls')).body.code).toBe('locked');
    leaving.abort();
    await api.ask('POST', `/v1/sessions/${id}/stop`);
  });

  it('a command that names a host is refused, and the message says what to do instead', async () => {
    const { id } = await begin();
    await api.db.pool.query(
      `insert into hosts (name, address, port, "user", login, keys, created_by) values ('nas', '10.0.0.5', 22, 'ann', 'certificate', '{}', 'ann')`,
    );
    for (const command of ['ssh nas uptime', 'cd x; scp notes ann@10.0.0.5:/notes']) {
      const { body } = await run(id, command);
      expect(body).toMatchObject({ code: 'host_not_given', detail: expect.stringContaining('run it on nas') });
    }
  });

  it('a command that several people must approve is refused', async () => {
    const { id } = await begin();
    const change = (approvals: object[]) => api.ask('PATCH', '/v1/spaces/general', { body: { approvals } });
    await change([{ findings: ['*'], people: 2, notAuthor: false }]);
    expect((await run(id, 'rm -rf /workspace/x')).body).toMatchObject({ code: 'forbidden' });
    await change([]);
  });
});

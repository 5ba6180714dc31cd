import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestApi } from '../testing/test-api.js';

/** Simulates a sandbox service whose workspaces can, or cannot, be deleted. */
class Sandbox {
  fails = false;
  readonly deleted: string[] = [];
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<Sandbox> {
    const server = createServer((request, response) => {
      if (request.method === 'DELETE' && !sandbox.fails) sandbox.deleted.push(String(request.url));
      response.writeHead(sandbox.fails ? 500 : 204).end();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const sandbox = new Sandbox(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return sandbox;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe('archiving and deleting sessions', () => {
  let sandbox: Sandbox;
  let api: TestApi;
  beforeAll(async () => {
    sandbox = await Sandbox.start();
    api = await TestApi.start({ SANDBOX_URL: sandbox.url });
  });
  afterAll(async () => {
    await api?.stop();
    sandbox?.stop();
  });

  const give = async (text: string): Promise<{ number: number; id: string; sessionId: string }> =>
    (await api.ask('POST', '/v1/goals', { body: { text } })).body;
  const ended = async (text: string): Promise<{ number: number; id: string; sessionId: string }> => {
    const goal = await give(text);
    expect((await api.ask('POST', `/v1/goals/${goal.number}/cancel`)).status).toBe(200);
    return goal;
  };
  const numbers = async (path: string): Promise<number[]> =>
    (await api.ask('GET', path)).body.items.map(({ number }: { number: number }) => number);

  it('a goal that has not ended cannot be archived or deleted', async () => {
    const { number } = await give('go on');
    const refused = { status: 409, body: { code: 'goal_not_ended' } };
    expect(await api.ask('POST', `/v1/goals/${number}/archive`)).toMatchObject(refused);
    expect(await api.ask('DELETE', `/v1/goals/${number}`)).toMatchObject(refused);
    expect(await numbers('/v1/goals')).toContain(number);
    expect(sandbox.deleted).toEqual([]);
  });

  it('an archived goal is hidden from the lists, but can be read by its number and restored', async () => {
    const { number, sessionId } = await ended('be archived');
    expect((await api.ask('POST', `/v1/goals/${number}/archive`)).body).toMatchObject({ number, archived: true });
    expect(await numbers('/v1/goals')).not.toContain(number);
    expect(await numbers('/v1/goals?archived=true')).toEqual([number]);
    expect(await numbers('/v1/goals?archived=true&state=aborted')).toEqual([number]);
    const inSessions = async (query: string) =>
      (await api.ask('GET', `/v1/sessions${query}`)).body.items.some(({ id }: { id: string }) => id === sessionId);
    expect([await inSessions(''), await inSessions('?archived=true')]).toEqual([false, true]);
    expect((await api.ask('GET', `/v1/goals/g${number}`)).body).toMatchObject({ archived: true });

    expect((await api.ask('POST', `/v1/goals/${number}/unarchive`)).body.archived).toBe(false);
    expect(await numbers('/v1/goals')).toContain(number);
    await api.ask('POST', `/v1/sessions/${sessionId}/archive`);
    expect(await numbers('/v1/goals?archived=true')).toEqual([number]);
    // A continued goal is no longer archived.
    expect((await api.ask('POST', `/v1/goals/${number}/continue`, { body: {} })).body.archived).toBe(false);
    expect(await numbers('/v1/goals')).toContain(number);
  });

  it('a chat can be archived and restored', async () => {
    const { number } = (await api.ask('POST', '/v1/sessions', { body: {} })).body;
    expect((await api.ask('POST', `/v1/sessions/c${number}/archive`)).body).toMatchObject({ archived: true });
    expect(await numbers('/v1/sessions?kind=chat')).not.toContain(number);
    expect(await numbers('/v1/sessions?kind=chat&archived=true')).toEqual([number]);
    expect((await api.ask('POST', `/v1/sessions/c${number}/unarchive`)).body.archived).toBe(false);
    expect(await numbers('/v1/sessions?kind=chat')).toContain(number);
  });

  it('the list of goals can be read page by page', async () => {
    const given = [await give('one'), await give('two'), await give('three')].map(({ number }) => number);
    const [, second, third] = given;
    expect((await numbers(`/v1/goals?before=${third! + 1}&limit=2`)).slice(0, 2)).toEqual([third, second]);
    expect((await numbers(`/v1/goals?before=${second}&limit=1`))[0]).toBe(given[0]);
  });

  it('deleting a goal deletes everything but the audit log, or nothing if its workspace cannot be deleted', async () => {
    const { number, id, sessionId } = await ended('be deleted');
    const reader = await api.tokenWith('observe');
    expect((await api.ask('DELETE', `/v1/goals/${number}`, { token: reader })).status).toBe(403);
    sandbox.fails = true;
    expect((await api.ask('DELETE', `/v1/goals/${number}`)).status).toBeGreaterThanOrEqual(500);
    expect((await api.ask('GET', `/v1/goals/${number}`)).status).toBe(200);
    sandbox.fails = false;
    expect((await api.ask('DELETE', `/v1/goals/${number}`)).status).toBe(204);
    expect(sandbox.deleted.join()).toContain(sessionId);
    expect((await api.ask('GET', `/v1/goals/${id}`)).status).toBe(404);
    for (const table of ['sessions', 'events', 'turns', 'steps', 'actions', 'decisions']) {
      const column = table === 'sessions' ? 'id' : 'session_id';
      const { rows } = await api.db.pool.query(`select 1 from ${table} where ${column} = $1`, [sessionId]);
      expect([table, rows]).toEqual([table, []]);
    }
    const { items } = (await api.ask('GET', '/v1/audit?action=goal.deleted')).body;
    expect(items[0]).toMatchObject({ subject: `g-${number}`, facts: { text: 'be deleted' } });
    expect((await api.ask('DELETE', `/v1/goals/${number}`)).status).toBe(404);
  });
});

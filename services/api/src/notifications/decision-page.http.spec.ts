import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signingKey } from '@aish/database/notifications.repository';
import { insertHalt } from '../testing/decisions.fixture.js';
import { TestApi } from '../testing/test-api.js';
import { LINK_KEY, readLink } from './decision-link.js';

interface Pushed {
  readonly message: string;
  readonly click: string;
  readonly actions: readonly { readonly action: string; readonly label: string; readonly url: string }[];
}

/** Simulates a phone that reads the topic but presses no button. */
class Phone {
  readonly pushed: Pushed[] = [];
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<Phone> {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        phone.pushed.push(JSON.parse(body));
        response.end('{}');
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const phone = new Phone(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/topic`);
    return phone;
  }

  /** Returns the notification that contains this text, once it arrives. */
  async notificationOf(text: string): Promise<Pushed> {
    for (let n = 0; n < 500; n += 1) {
      const found = this.pushed.find(({ message }) => message.includes(text));
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`the phone got no notification about ${text}`);
  }

  stop(): Promise<unknown> {
    return new Promise((resolve) => this.server.close(resolve));
  }
}

describe('a HALT on the phone', () => {
  let phone: Phone;
  let api: TestApi;
  let allowing: TestApi;
  beforeAll(async () => {
    phone = await Phone.start();
    const env = { NTFY_URL: phone.url, PUBLIC_URL: 'http://aish.example' };
    api = await TestApi.start(env);
    allowing = await TestApi.start({ ...env, NOTIFY_PROCEED: 'ntfy' });
  });
  afterAll(async () => {
    await api?.stop();
    await allowing?.stop();
    await phone?.stop();
  });

  const path = (url: string) => url.replace('http://aish.example', '');
  async function halted(at: TestApi, action: string): Promise<{ id: string; pushed: Pushed }> {
    const id = await insertHalt(at.db, action, at.bus);
    return { id, pushed: await phone.notificationOf(action.slice(0, 40)) };
  }
  const press = (at: TestApi, url: string, verdict: string) =>
    at.ask('POST', path(url).split('?')[0] ?? '', { body: new URLSearchParams({ verdict }), token: null });
  const stateOf = async (at: TestApi, id: string) => (await at.ask('GET', `/v1/decisions/${id}`)).body.state;

  it('a button of a HALT notification opens the page of the decision, and does not give a verdict itself', async () => {
    const { id, pushed } = await halted(allowing, 'rm -rf tapped');
    expect(pushed.actions.map(({ action, label }) => [action, label])).toEqual([
      ['view', 'Proceed'],
      ['view', 'Skip'],
      ['view', 'Abort goal'],
    ]);
    for (const { url } of pushed.actions) {
      const page = await allowing.ask('GET', path(url), { token: null });
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('rm -rf tapped')]);
      // This header keeps other pages from framing this page and tricking people into pressing its buttons.
      expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    }
    expect(await stateOf(allowing, id)).toBe('pending');
  }, 30_000);

  it('the holder of a decision link can skip and abort, but can proceed only if NOTIFY_PROCEED allows it', async () => {
    const { id, pushed } = await halted(api, 'rm -rf read-by-many');
    expect(pushed.actions.map(({ label }) => label)).toEqual(['Skip', 'Abort goal']);
    const page = await api.ask('GET', path(pushed.click), { token: null });
    expect(page.text).not.toContain('value="proceed"');
    const refused = await press(api, pushed.click, 'proceed');
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('NOTIFY_PROCEED')]);
    expect(await stateOf(api, id)).toBe('pending');
    expect((await press(api, pushed.click, 'skip')).status).toBe(200);
    expect(await stateOf(api, id)).toBe('decided');
    const kept = await halted(api, 'rm -rf with-variables');
    expect((await press(api, kept.pushed.click, 'carried')).status).toBe(403);
    const allowed = await halted(allowing, 'rm -rf allowed-one');
    expect((await press(allowing, allowed.pushed.click, 'proceed')).status).toBe(200);
    const carried = await halted(allowing, 'rm -rf carried-one');
    expect((await press(allowing, carried.pushed.click, 'carried')).status).toBe(200);
    const { body } = await allowing.ask('GET', `/v1/decisions/${carried.id}`);
    expect([body.verdict, body.carried]).toEqual(['proceed', true]);
  }, 30_000);

  it('a verdict from the page follows the change windows and approvals of the space', async () => {
    const day = new Date(Date.now() + 2 * 86_400_000).toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' });
    const windows = [{ days: [day.toLowerCase()], from: '00:00', to: '23:59', timezone: 'UTC' }];
    const change = (body: object) => allowing.ask('PATCH', '/v1/spaces/general', { body });
    await change({ windows });
    const { id, pushed } = await halted(allowing, 'rm -rf in-the-window');
    expect((await allowing.ask('GET', path(pushed.click), { token: null })).text).toContain('value="window"');
    const pressed = await press(allowing, pushed.click, 'window');
    expect([pressed.status, pressed.text]).toEqual([200, expect.stringContaining('runs when the change window opens')]);
    const { body } = await allowing.ask('GET', `/v1/decisions/${id}`);
    expect([body.state, body.approval.given[0].by, body.approval.given[0].inWindow]).toEqual([
      'pending',
      'link (ntfy)',
      true,
    ]);

    await change({ windows: [], approvals: [{ findings: ['*'], people: 2, notAuthor: false }] });
    const several = await halted(allowing, 'rm -rf of-two-people');
    expect((await press(allowing, several.pushed.click, 'proceed')).status).toBe(403);
    await change({ approvals: [] });
    const windowless = await halted(allowing, 'rm -rf without-window');
    expect((await press(allowing, windowless.pushed.click, 'window')).status).toBe(400);
    for (const each of [several, windowless]) expect(await stateOf(allowing, each.id)).toBe('pending');
    const { body: audit } = await allowing.ask('GET', '/v1/audit?action=verdict.approved');
    expect(audit.items).toMatchObject([{ actor: 'link (ntfy)', facts: { inWindow: true } }]);
  }, 30_000);

  it('the page of a decision shows all of an action that a notification cuts, and marks hidden characters', async () => {
    const long = `echo begins ${'# harmless '.repeat(100)}; rm -rf /workspace/\u202E*`;
    const { pushed } = await halted(allowing, long);
    expect(pushed.actions.map(({ label }) => label)).toEqual(['Skip', 'Abort goal']);
    const page = await allowing.ask('GET', path(pushed.click), { token: null });
    expect(page.text).toContain('rm -rf /workspace/⟨U+202E⟩*');
    expect(page.text).toContain('value="proceed"');
  }, 30_000);

  it('the link in a notification expires with its decision', async () => {
    const id = await insertHalt(api.db, 'rm -rf within-the-hour');
    const { rows } = await api.db.pool.query<{ session_id: string; goal_id: string }>(
      `update decisions set expires_at = now() + interval '1 hour', expiry_verdict = 'skip' where id = $1
       returning session_id, goal_id`,
      [id],
    );
    const { session_id: sessionId = '', goal_id: goalId = '' } = rows[0] ?? {};
    await api.bus.publish({ type: 'events', sessionId, seq: 1, goalId, types: ['goal.halted'] });
    const link =
      path((await phone.notificationOf('within-the-hour')).click)
        .split('/')
        .at(-1) ?? '';
    const key = await signingKey(api.db.statements, LINK_KEY, Buffer.alloc(32));
    const readIn = (hours: number) => readLink(key, link, new Date(Date.now() + hours * 3_600_000));
    expect(readIn(0.9).decisionId).toBe(id);
    expect(() => readIn(1.1)).toThrow('invalid or expired');
  }, 30_000);

  it('after the verdict, the link in a notification no longer shows the action', async () => {
    const { pushed } = await halted(api, 'rm -rf answered-long-ago');
    await press(api, pushed.click, 'skip');
    const page = await api.ask('GET', path(pushed.click), { token: null });
    expect(page.text).toContain('Answered: skip');
    expect(page.text).not.toContain('answered-long-ago');
  }, 30_000);
});

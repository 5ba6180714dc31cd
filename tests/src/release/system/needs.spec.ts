import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AuditList } from '@aish/contracts/audit';
import { Decision } from '@aish/contracts/decisions';
import { Goal } from '@aish/contracts/goals';
import { SecretList } from '@aish/contracts/secrets';
import { Space } from '@aish/contracts/spaces';
import { NewToken, type Scope } from '@aish/contracts/tokens';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { verifies } from '../../requirements.js';
import { aish } from '../../support/aish.command.js';
import { ApiClient } from '../../support/api.client.js';
import { ChatClient, bodiesOf } from '../../support/chat.client.js';
import { eventually } from '../../support/eventually.js';
import { plan, plans } from '../../support/plan.js';
import { scriptedStack } from '../../support/scripted-stack.js';
import { Terminal } from '../../support/terminal.js';
import { TUI_COMMAND, dialogListens } from '../../support/tui.stack.js';

const run = promisify(execFile);
const VALUE = `glsa_${randomBytes(18).toString('hex')}`;
const CHAT_VALUE = `glsa_${randomBytes(18).toString('hex')}`;
const TLS_VALUE = `glsa_${randomBytes(18).toString('hex')}`;
const DESK_VALUE = `glsa_${randomBytes(18).toString('hex')}`;

describe('access that a model requests', () => {
  const tokens: string[] = [];
  let folder = '';
  let server: Server;
  let at = '';
  /** The same server, over TLS with its own certificate. */
  let tls: Server;
  let atTls = '';

  const ask = () => `CMD: curl -sS -m 5 --noproxy '' -H "Authorization: Bearer $API_KEY" ${at}/x`;
  const running = scriptedStack(
    plans({
      'with a key': (messages, n) =>
        plan(
          `CMD: echo begin\nNEED: secret API_KEY for ${at}: to read the alerts`,
          ask(),
          'GOAL: complete',
        )(messages, n),
      'over TLS': (messages, n) =>
        plan(
          `NEED: secret TLS_KEY for ${atTls}: to read the alerts`,
          `CMD: curl -sS -m 5 --noproxy '' -H "Authorization: Bearer $TLS_KEY" ${atTls}/x`,
          'GOAL: complete',
        )(messages, n),
      'in the terminal': (messages, n) =>
        plan(`NEED: secret TUI_KEY for ${atTls}: to read the alerts`, 'GOAL: complete')(messages, n),
      'what begins later': (messages, n) => plan(ask(), 'GOAL: complete')(messages, n),
      'from a chat': (messages, n) =>
        plan(
          `I need a key.\nNEED: secret CHAT_KEY for ${at}: to read the alerts`,
          `CMD: curl -sS -m 5 --noproxy '' -H "Authorization: Bearer $CHAT_KEY" ${at}/x`,
          'It works.',
        )(messages, n),
      'at a terminal': (messages, n) =>
        plan(`NEED: secret DESK_KEY for ${at}: to read the alerts`, 'Now I can.')(messages, n),
      'one way more': plan('NEED: network api.example.org:443: to fetch', 'CMD: echo on', 'GOAL: complete'),
      'a host for a chat': plan('NEED: host attic: the backups are there', 'Well then.', 'And so on.'),
      'without it': plan('NEED: host nas: the backups are there', 'NEED: image ffmpeg', 'GOAL: complete'),
    }),
    { ownProcesses: true },
  );

  beforeAll(async () => {
    const listener: RequestListener = ({ headers }, response) => {
      tokens.push(headers.authorization ?? '');
      response.end(`you sent ${headers.authorization}\n`);
    };
    const portOf = async (each: Server): Promise<number> => {
      await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve));
      return (each.address() as AddressInfo).port;
    };
    folder = await mkdtemp(join(tmpdir(), 'aish-needs-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'own.pem')];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=grafana.lan'];
    await run('openssl', ['req', '-x509', '-days', '2', '-keyout', key, '-out', cert, ...kind]);
    server = createServer(listener);
    at = `http://127.0.0.1:${await portOf(server)}`;
    tls = createTlsServer({ key: await readFile(key), cert: await readFile(cert) }, listener);
    atTls = `https://127.0.0.1:${await portOf(tls)}`;
  });
  afterAll(async () => {
    for (const each of [server, tls]) {
      each?.closeAllConnections();
      each?.close();
    }
    await rm(folder, { recursive: true, force: true });
  });

  const as = async (name: string, ...scopes: readonly Scope[]) => {
    const { client } = running.stack;
    const { token } = await client.json(NewToken, 'POST', '/v1/tokens', { name, scopes });
    return new ApiClient(client.url, token);
  };
  const cli = (args: readonly string[], input?: string) => {
    const { stack } = running;
    return aish({ url: stack.client.url, tokenFile: join(stack.dir, 'token') }, args, input);
  };

  async function statement(sql: string): Promise<unknown[]> {
    const db = new pg.Client({ connectionString: running.stack.database.url });
    await db.connect();
    try {
      return (await db.query(sql)).rows;
    } finally {
      await db.end();
    }
  }

  /** Checks that the value is stored only with the secret, and is never shown to a model or logged. */
  async function expectUnseen(value: string, ...shown: readonly string[]): Promise<void> {
    const { services } = running.stack;
    const rows = await statement(
      `select row_to_json(d)::text from decisions d union all select row_to_json(e)::text from events e
       union all select row_to_json(t)::text from turns t union all select row_to_json(a)::text from audit a
       union all select row_to_json(s)::text from steps s union all select row_to_json(c)::text from chats c`,
    );
    expect(rows.length).toBeGreaterThan(10);
    const places = [
      JSON.stringify(rows),
      JSON.stringify(running.model.requests),
      services.map(({ log }) => log).join(),
      ...shown,
    ];
    expect(places.map((text) => text.includes(value))).toEqual(places.map(() => false));
  }

  it(
    verifies('goal.needs'),
    async () => {
      const { client, workers, api } = running.stack;
      await client.json(Space, 'PATCH', '/v1/spaces/home', { instructions: 'The home.' });
      const given = await client.json(Goal, 'POST', '/v1/goals', { text: 'with a key', space: 'home' });
      const { id, number } = await client.decisionOf(given.id);
      await Promise.all([api, ...workers].map((service) => service.kill('SIGKILL')));
      await Promise.all([api, ...workers].map((service) => service.start()));
      expect(await client.decisionOf(given.id)).toMatchObject({
        kind: 'need',
        action: `secret API_KEY for ${at}: to read the alerts`,
        request: { properties: { value: { format: 'password' }, local: { default: true } } },
      });
      expect((await cli(['show', `d${number}`])).stdout).toContain(`secret API_KEY for ${at}`);
      // A person with scope `decide` can refuse a request for access, but only an admin can grant it.
      const decider = await as('decider', 'decide');
      const verdict = { verdict: 'proceed', answer: { value: VALUE } };
      const refused = await decider.request('POST', `/v1/decisions/${id}/verdict`, verdict);
      expect([refused.status, await refused.text()]).toEqual([403, expect.not.stringContaining(VALUE)]);
      const empty = await cli(['decide', `d${number}`, 'give'], '\n');
      expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('Enter its value')]);
      const output = await cli(['decide', `d${number}`, 'give', '--space'], `${VALUE}\n`);
      expect(output.stdout).toContain('given to the goal and its space by admin');
      const goal = await client.until(given.id, 'done');
      expect(tokens).toEqual([`Bearer ${VALUE}`]);
      expect(goal.actions.at(-1)?.outcome?.output).toMatch(/^you sent Bearer aish-secret-/);
      // Goals that begin in the space later have the access, too.
      const later = await client.json(Goal, 'POST', '/v1/goals', { text: 'what begins later', space: 'home' });
      await client.until(later.id, 'done');
      expect(tokens).toHaveLength(2);

      const requestText = JSON.stringify(running.model.requests);
      expect(requestText).toContain(`The user gives you what you need: secret API_KEY for ${at}`);
      const { items } = await client.json(AuditList, 'GET', '/v1/audit');
      expect(items.map(({ action }) => action)).toEqual(
        expect.arrayContaining(['reach.given', 'secret.set', 'space.set', 'verdict.given']),
      );
      await expectUnseen(VALUE, output.stdout);
    },
    120_000,
  );

  it(
    verifies(
      'goal.needs',
      'an admin gives access with the certificate of a private authority, which is stored only with the secret',
    ),
    async () => {
      const { client } = running.stack;
      const goal = await client.createGoal('over TLS');
      const { id, number } = await client.decisionOf(goal.id);
      const [own, key] = [join(folder, 'own.pem'), join(folder, 'key.pem')];
      const wrong = await cli(['decide', `d${number}`, 'give', '--certificate', key], `${TLS_VALUE}\n`);
      expect([wrong.code, wrong.stderr]).toEqual([
        2,
        expect.stringContaining('must contain one to eight PEM certificates'),
      ]);
      const half = (await readFile(own, 'utf8')).replace(/\n[^\n]*\n-----END/, '\n-----END');
      const answer = { value: TLS_VALUE, certificate: half };
      const refused = await client.request('POST', `/v1/decisions/${id}/verdict`, { verdict: 'proceed', answer });
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('cannot be read')]);
      tokens.length = 0;
      const output = await cli(['decide', `d${number}`, 'give', '--certificate', own], `${TLS_VALUE}\n`);
      expect(output.code).toBe(0);
      await client.until(goal.id, 'done');
      expect(tokens).toEqual([`Bearer ${TLS_VALUE}`]);
      expect((await client.json(SecretList, 'GET', '/v1/secrets')).items).toContainEqual(
        expect.objectContaining({ name: 'TLS_KEY', certificate: await readFile(own, 'utf8') }),
      );
      expect(await client.json(Decision, 'GET', `/v1/decisions/${id}`)).toMatchObject({
        answer: { local: true, for: 'goal' },
        space: 'general',
      });
      await expectUnseen(TLS_VALUE, output.stdout);
    },
    60_000,
  );

  it(
    verifies(
      'goal.needs',
      'the terminal UI at 80 columns hides a value while it is typed, and accepts a pasted certificate',
    ),
    async () => {
      const { client, dir } = running.stack;
      const env = { AISH_URL: client.url, AISH_TOKEN_FILE: join(dir, 'token'), XDG_STATE_HOME: folder };
      const terminal = await Terminal.open(TUI_COMMAND, { env });
      try {
        await terminal.shows('write a message');
        const goal = await client.createGoal('in the terminal');
        await terminal.shows('NORRIS NEED');
        await dialogListens();
        await terminal.type('p');
        await terminal.shows('▸ value');
        await terminal.submit(TLS_VALUE);
        await terminal.shows('▸ certificate');
        const pem = await readFile(join(folder, 'own.pem'), 'utf8');
        await terminal.paste(pem);
        await terminal.shows('-----END CERTIFICATE-----');
        await terminal.press('Enter');
        await terminal.shows('▸ local network');
        expect(await terminal.screen()).not.toContain(TLS_VALUE);
        await terminal.press('Enter', 'Enter', 'Enter');
        await client.until(goal.id, 'done');
        expect((await client.json(SecretList, 'GET', '/v1/secrets')).items).toContainEqual(
          expect.objectContaining({ name: 'TUI_KEY', certificate: pem }),
        );
      } finally {
        await terminal.close();
      }
    },
    60_000,
  );

  it(
    verifies('goal.needs', 'a chat requests access like a goal, survives kill -9, and continues with the new access'),
    async () => {
      const { client, api } = running.stack;
      await client.json(Space, 'PATCH', '/v1/spaces/home', { instructions: 'The home.' });
      tokens.length = 0;
      const asked = await cli(['ask', '--space', 'home', '--continue', 'from a chat']);
      const decision = (await client.pendingDecisions()).find(({ goalId }) => goalId === null);
      if (decision === undefined) throw new Error('it asks for nothing');
      const { id, number, sessionId } = decision;
      expect(decision).toMatchObject({ kind: 'need', action: `secret CHAT_KEY for ${at}: to read the alerts` });
      expect([asked.code, asked.stderr]).toEqual([6, expect.stringContaining(`aish decide d${number} give`)]);
      await api.kill('SIGKILL');
      await api.start();
      const decider = await as('other-decider', 'decide');
      const verdict = { verdict: 'proceed', answer: { value: CHAT_VALUE } };
      expect((await decider.request('POST', `/v1/decisions/${id}/verdict`, verdict)).status).toBe(403);
      const output = await cli(['decide', `d${number}`, 'give', '--space'], `${CHAT_VALUE}\n`);
      expect(output.stdout).toContain('given to the chat and its space by admin');
      const command = await eventually('its next command is confirmed', async () =>
        (await client.pendingDecisions()).find((each) => each.sessionId === sessionId),
      );
      await client.decide(command.id, 'proceed');
      const chats = new ChatClient(client);
      const items = await chats.replay(sessionId, 0, 'exchange.ended');
      expect([tokens, bodiesOf(items, 'exchange.ended')]).toMatchObject([
        [`Bearer ${CHAT_VALUE}`],
        [{ end: 'answered' }],
      ]);
      expect(JSON.stringify(running.model.requests)).toContain(
        `The user gives you what you need: secret CHAT_KEY for ${at}`,
      );
      expect((await client.json(Space, 'GET', '/v1/spaces/home')).secrets).toContain('CHAT_KEY');
      await expectUnseen(CHAT_VALUE, JSON.stringify(items), output.stdout, asked.stdout);
    },
    120_000,
  );

  it(
    verifies('goal.needs', 'aish ask asks for requested values at the terminal, and does not show them'),
    async () => {
      const { client, dir } = running.stack;
      const env = { AISH_URL: client.url, AISH_TOKEN_FILE: join(dir, 'token') };
      const terminal = await Terminal.open(`${TUI_COMMAND} ask "at a terminal"`, { env });
      try {
        await terminal.shows('give / refuse / abort? [g/r/a]');
        await dialogListens();
        await terminal.submit('g');
        await terminal.shows('value (hidden');
        await terminal.submit(DESK_VALUE);
        await terminal.shows('local network');
        await terminal.submit('');
        await terminal.shows('this chat | its space, too');
        await terminal.submit('');
        const screen = await terminal.shows('ended with 0');
        expect([screen.includes('Now I can.'), screen.includes(DESK_VALUE)]).toEqual([true, false]);
      } finally {
        await terminal.close();
      }
      await expectUnseen(DESK_VALUE);
    },
    60_000,
  );

  it(
    verifies(
      'goal.needs',
      'another message in a chat refuses a request for access, and given access belongs only to that chat',
    ),
    async () => {
      const { client } = running.stack;
      const chats = new ChatClient(client);
      const chat = await chats.create();
      const needOf = async (id: string) => {
        for await (const { body } of chats.send(id, 'a host for a chat')) {
          if (body.type === 'decision.requested') return body;
        }
        throw new Error('it asks for nothing');
      };
      const { decisionId } = await needOf(chat.id);
      const missing = await client.request('POST', `/v1/decisions/${decisionId}/verdict`, { verdict: 'proceed' });
      expect([missing.status, await missing.text()]).toEqual([400, expect.stringContaining('There is no host attic')]);
      await chats.exchange(chat.id, 'never mind');
      expect(JSON.stringify(running.model.requests.at(-1)?.messages)).toMatch(
        /does not give you this: host attic.*never mind/,
      );
      await statement(
        `insert into hosts (name, address, port, "user", login, keys, created_by)
         values ('attic', 'attic.lan', 22, 'aish', 'certificate', '{ssh-ed25519 AAAA}', 'admin')`,
      );
      const other = await chats.create();
      const again = await needOf(other.id);
      await client.decide(again.decisionId, 'proceed');
      await chats.replay(other.id, 0, 'exchange.ended');
      expect((await chats.show(other.id)).hosts).toEqual(['attic']);
      expect(JSON.stringify(running.model.requests.at(-1)?.messages)).toMatch(/gives you what you need: host attic/);
    },
    60_000,
  );

  it(
    verifies('goal.needs', 'a person learns why there is no room for another network rule, and what to do'),
    async () => {
      const { client } = running.stack;
      const rules = Array.from({ length: 200 }, (_, n) => ({ host: `h${n}.example.org`, ports: [443] }));
      const network = { mode: 'allow', rules };
      await client.json(Space, 'PATCH', '/v1/spaces/full', { network });
      const goal = await client.json(Goal, 'POST', '/v1/goals', { text: 'one way more', space: 'full' });
      const { id, number, sessionId } = await client.decisionOf(goal.id);
      const reason = 'api.example.org:443 cannot be added';
      const whole = await cli(['decide', `d${number}`, 'give']);
      expect([whole.code, whole.stderr]).toEqual([1, expect.stringContaining(reason)]);
      // The goal has room again, but its space has none.
      const room = { mode: 'allow', rules: rules.slice(1) };
      expect((await client.request('PUT', `/v1/sessions/${sessionId}/network`, room)).status).toBe(200);
      const verdict = { verdict: 'proceed', answer: { for: 'space' } };
      const refused = await client.request('POST', `/v1/decisions/${id}/verdict`, verdict);
      expect([refused.status, await refused.json()]).toMatchObject([
        409,
        { code: 'network_full', detail: expect.stringContaining('*.example.org') },
      ]);
      await client.decide(id, 'proceed');
      await client.until(goal.id, 'done');
    },
    60_000,
  );

  it(
    verifies(
      'goal.needs',
      'access to a missing thing cannot be given, and after a refusal the model learns of it and the goal continues',
    ),
    async () => {
      const { client } = running.stack;
      const goal = await client.createGoal('without it');
      const first = await client.decisionOf(goal.id);
      expect(first).toMatchObject({ kind: 'need', action: 'host nas: the backups are there' });
      const missing = await client.request('POST', `/v1/decisions/${first.id}/verdict`, { verdict: 'proceed' });
      expect([missing.status, await missing.text()]).toEqual([400, expect.stringContaining('There is no host nas')]);
      await client.decide(first.id, 'skip', 'it is asleep');
      const second = await eventually('it asks for the next', async () =>
        (await client.pendingDecisions()).find(({ goalId, id }) => goalId === goal.id && id !== first.id),
      );
      const unbuilt = await client.request('POST', `/v1/decisions/${second.id}/verdict`, { verdict: 'proceed' });
      expect([unbuilt.status, await unbuilt.text()]).toEqual([
        400,
        expect.stringContaining('There is no image ffmpeg'),
      ]);
      await client.decide(second.id, 'skip');
      await client.until(goal.id, 'done');
      expect(JSON.stringify(running.model.requests)).toContain(
        'does not give you this: host nas\\nGo on without it.\\nit is asleep',
      );
    },
    60_000,
  );
});

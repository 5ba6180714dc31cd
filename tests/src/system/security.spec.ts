import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Problem } from '@aish/contracts/problem-document';
import { NewToken, Scope, allows } from '@aish/contracts/tokens';
import { verifies } from '../requirements.js';
import { ApiClient } from '../support/api.client.js';
import { apiReference, OpenApi } from '../support/api-reference.js';
import { plan } from '../support/plan.js';
import { HIDDEN, ROUTES } from '../support/route-table.js';
import { scriptedStack } from '../support/scripted-stack.js';
import { ROOT } from '../support/service.process.js';

const HAS_BODY = ['POST', 'PUT', 'PATCH'];
/** This is more than any JSON route accepts, but not enough to slow down a busy machine. */
const TOO_LARGE = JSON.stringify({ text: 'x'.repeat(5 * 1024 * 1024) });
const CUT_OFF = { status: 413, problem: null };
/** These routes take larger files and documents, and have their own limits. */
const TAKES_FILES = ['PUT /v1/sessions/{id}/files/{form}', 'POST /v1/restore'];

const HOSTILE_BODIES: Readonly<Record<string, string>> = {
  'broken JSON': '{"text": ',
  'no object': '[[[[]]]]',
  'a number': '1e999',
  'a prototype': '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}',
  'a NUL character': '{"text":"a\\u0000b","name":"a\\u0000b","content":"\\u0000"}',
  'half a character': '{"text":"\\ud800","name":"\\ud800"}',
  'deep nesting': `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  'SQL and shell': `{"text":"'; drop table goals; --","ref":"$(reboot)","name":"../../etc/passwd"}`,
};
const HOSTILE_PARAMETERS = [
  '..%2f..%2fetc%2fpasswd',
  '%00',
  "1'%20or%20'1'='1",
  '%ff',
  '-1',
  '9'.repeat(400),
  '__proto__',
];
const HOSTILE_QUERIES = [
  'limit=1e309&after=-1&before=%00&cursor=%00',
  'state[]=x&state[__proto__][admin]=1&limit[]=2',
  'path=..%2f..%2f..%2fetc%2fpasswd&query=%00&q=%00',
  `q=${'a'.repeat(8_000)}`,
];

describe('strangers who call the running api', () => {
  const running = scriptedStack(plan('GOAL: complete'), {
    ownProcesses: true,
    workers: 0,
    env: { WRONG_TOKENS_PER_MINUTE: '100000', REQUESTS_PER_MINUTE: '1000000' },
  });
  let routes: readonly [string, string, string][];

  beforeAll(async () => {
    const document = await running.stack.client.json(OpenApi, 'GET', '/openapi.json');
    routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method): [string, string, string] => [
        `${method.toUpperCase()} ${path}`,
        method.toUpperCase(),
        path,
      ]),
    );
  });

  const all = (): readonly [string, string, string][] => [
    ...routes,
    ...Object.keys(HIDDEN).map((name): [string, string, string] => {
      const [method = '', path = ''] = name.split(' ');
      return [name, method, path];
    }),
  ];
  const needed = (name: string) => ROUTES[name] ?? HIDDEN[name];
  const filled = (path: string, value = '1') => path.replaceAll(/\{\w+\}/g, value);
  /** Returns only the status, because a stream is not read. */
  const ask = async (client: ApiClient, method: string, path: string, body?: string, headers = {}) => {
    const sent = HAS_BODY.includes(method) ? (body ?? '{}') : undefined;
    const response = await client.request(method, path, sent, headers);
    const isProblem = response.headers.get('content-type')?.includes('problem+json') === true;
    const problem = isProblem ? Problem.parse(await response.json()) : null;
    await response.body?.cancel().catch(() => undefined);
    return { status: response.status, problem };
  };

  it(verifies('security.routes', 'the test finds a route that is missing from its table'), () => {
    expect(routes.map(([name]) => name).toSorted()).toEqual(Object.keys(ROUTES).toSorted());
  });

  it(
    verifies('security.scopes', 'routes refuse requests without a token, and with an unknown one'),
    async () => {
      for (const token of [null, 'aish_0123456789', `${running.stack.client.token}x`]) {
        const stranger = new ApiClient(running.stack.client.url, token);
        for (const [name, method, path] of all()) {
          const { status, problem } = await ask(stranger, method, filled(path));
          if (needed(name) === 'nothing') expect([name, status]).not.toEqual([name, 401]);
          else expect([name, status, problem?.code ?? 'unauthorized']).toEqual([name, 401, 'unauthorized']);
        }
      }
      // Tokens in other places are ignored.
      const nobody = new ApiClient(running.stack.client.url, null);
      expect(
        (
          await ask(
            nobody,
            'GET',
            `/v1/goals?token=${running.stack.client.token}&access_token=${running.stack.client.token}`,
          )
        ).status,
      ).toBe(401);
      expect(
        (await ask(nobody, 'GET', '/v1/goals', undefined, { cookie: `token=${running.stack.client.token}` })).status,
      ).toBe(401);
    },
    120_000,
  );

  it.each(Scope.options)(
    verifies('security.scopes', 'only permitted routes answer a token with scope %s'),
    async (scope) => {
      const { token } = await running.stack.client.json(NewToken, 'POST', '/v1/tokens', {
        name: `only-${scope}`,
        scopes: [scope],
      });
      const client = new ApiClient(running.stack.client.url, token);
      for (const [name, method, path] of all()) {
        const wanted = needed(name);
        // Other specs test the actions that the scope allows. This one tests those that it forbids.
        const { status, problem } = await ask(client, method, filled(path));
        expect([name, status]).not.toEqual([name, 401]);
        expect([name, status, status === 500]).toEqual([name, status, false]);
        if (wanted === 'nothing' || wanted === 'any token' || wanted === undefined) continue;
        const isRefused = status === 403 && problem?.code === 'forbidden' && 'needed' in problem;
        expect([name, isRefused]).toEqual([name, !allows([scope], wanted)]);
      }
    },
    120_000,
  );

  it(
    verifies('security.hostile'),
    async () => {
      const { pid } = running.stack.api;
      const found: unknown[] = [];
      const look = async (name: string, what: string, method: string, path: string, body?: string, headers = {}) => {
        const { status, problem } = await ask(running.stack.client, method, path, body, headers);
        const isLeak = /node_modules|\.[jt]s:\d|prisma|select |\/work\/|\/app\//i.test(JSON.stringify(problem));
        if (status === 500 || isLeak || (status >= 400 && problem === null)) found.push([name, what, status, problem]);
        return status;
      };
      for (const [name, method, path] of routes) {
        if (HAS_BODY.includes(method)) {
          for (const [what, body] of Object.entries(HOSTILE_BODIES)) await look(name, what, method, filled(path), body);
          await look(name, 'XML', method, filled(path), '<a/>', { 'content-type': 'text/xml' });
          await look(name, 'no type', method, filled(path), '{}', { 'content-type': '' });
          if (!TAKES_FILES.includes(name)) {
            // The api sends a response, or closes the connection before everything was sent.
            const { status } = await ask(running.stack.client, method, filled(path), TOO_LARGE).catch(() => CUT_OFF);
            if (status < 400 || status >= 500) found.push([name, '5 MB', status]);
          }
        }
        if (path.includes('{')) {
          for (const value of HOSTILE_PARAMETERS) await look(name, value.slice(0, 40), method, filled(path, value));
        }
        if (method === 'GET')
          for (const query of HOSTILE_QUERIES) await look(name, query.slice(0, 40), method, `${filled(path)}?${query}`);
      }
      expect(found).toEqual([]);
      expect((await running.stack.client.request('GET', '/v1/health')).status).toBe(200);
      expect([running.stack.api.isRunning, running.stack.api.pid]).toEqual([true, pid]);
    },
    180_000,
  );

  it(
    verifies('security.browsers'),
    async () => {
      const evil = { origin: 'https://evil.example' };
      for (const [name, method, path] of all()) {
        const response = await running.stack.client.request('OPTIONS', filled(path), undefined, {
          ...evil,
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization',
        });
        await response.body?.cancel();
        const cors = [...response.headers.keys()].filter((header) => header.startsWith('access-control-'));
        expect([name, cors, response.status >= 400]).toEqual([name, [], true]);
      }
      const read = await running.stack.client.request('GET', '/v1/goals', undefined, evil);
      expect(read.headers.get('access-control-allow-origin')).toBeNull();
      expect(read.headers.get('x-powered-by')).toBeNull();
    },
    60_000,
  );

  it(verifies('docs.api-reference'), async () => {
    const file = `${ROOT}docs/api.md`;
    const reference = apiReference(await running.stack.client.json(OpenApi, 'GET', '/openapi.json'));
    // To fix this: UPDATE_API_REFERENCE=1 npm test -- system/security
    if (process.env['UPDATE_API_REFERENCE'] === '1') writeFileSync(file, reference);
    expect(readFileSync(file, 'utf8')).toBe(reference);
  });
});

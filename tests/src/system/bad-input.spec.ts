import { describe, expect, it } from '@jest/globals';
import { Problem } from '@aish/contracts/problem-document';
import type { Scope } from '@aish/contracts/tokens';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import pg from 'pg';
import { z } from 'zod';
import { verifies } from '../requirements.js';
import { ApiClient } from '../support/api.client.js';
import { plan } from '../support/plan.js';
import { ROOT } from '../support/service.process.js';
import { scriptedStack } from '../support/scripted-stack.js';

const OpenApi = z.object({
  paths: z.record(z.string(), z.unknown()),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

/** Returns the paths of the declared endpoints, in OpenAPI's notation. */
function declaredRoutes(): string[] {
  const folder = `${ROOT}packages/contracts/src/endpoints/`;
  const text = readdirSync(folder).map((file) => readFileSync(folder + file, 'utf8'));
  const paths = text.flatMap((each) =>
    Array.from(each.matchAll(/endpoint\('[A-Z]+ ([^']+)'/g), ([, path]) => path ?? ''),
  );
  return [...new Set(paths.map((path) => path.replaceAll(/:(\w+)/g, '{$1}')))].toSorted();
}

describe('the api and bad input', () => {
  const running = scriptedStack(plan('GOAL: complete'), { ownProcesses: true });

  const nowhere = randomUUID();
  it.each([
    ['text of 0 characters', 'POST', '/v1/goals', { text: '' }, 400, 'invalid_body', 'text'],
    ['text of blanks', 'POST', '/v1/goals', { text: ' \n ' }, 400, 'invalid_body', 'text'],
    ['text of 1 MB', 'POST', '/v1/goals', { text: 'x'.repeat(1_000_000) }, 413, 'payload_too_large', null],
    ['text too long', 'POST', '/v1/goals', { text: 'x'.repeat(20_001) }, 400, 'invalid_body', 'text'],
    ['text that is no text', 'POST', '/v1/goals', { text: 7 }, 400, 'invalid_body', 'text'],
    ['no text', 'POST', '/v1/goals', {}, 400, 'invalid_body', 'text'],
    ['an unknown field', 'POST', '/v1/goals', { text: 'x', sudo: true }, 400, 'invalid_body', ''],
    ['a budget of 0', 'POST', '/v1/goals', { text: 'x', stepBudget: 0 }, 400, 'invalid_body', 'stepBudget'],
    ['an unknown preset', 'POST', '/v1/goals', { text: 'x', preset: 'huge' }, 400, 'invalid_body', 'preset'],
    ['broken JSON', 'POST', '/v1/goals', '{"text": ', 400, 'invalid_body', null],
    ['no body', 'POST', '/v1/goals', undefined, 400, 'invalid_body', null],
    ['an unknown goal', 'GET', '/v1/goals/999999', undefined, 404, 'not_found', null],
    ['an unknown goal by id', 'GET', `/v1/goals/${nowhere}`, undefined, 404, 'not_found', null],
    ['a goal that is no reference', 'GET', '/v1/goals/..%2f..%2fetc', undefined, 400, 'invalid_body', 'ref'],
    ['an unknown decision', 'POST', '/v1/decisions/424242/verdict', { verdict: 'skip' }, 404, 'not_found', null],
    ['an unknown verdict', 'POST', '/v1/decisions/1/verdict', { verdict: 'yes' }, 400, 'invalid_body', 'verdict'],
    ['an unknown session', 'GET', `/v1/sessions/${nowhere}/events`, undefined, 404, 'not_found', null],
    ['a session that is no id', 'GET', '/v1/sessions/no-id/events', undefined, 400, 'invalid_body', 'ref'],
    ['an unknown state', 'GET', '/v1/goals?state=lazy', undefined, 400, 'invalid_body', 'state'],
    ['an unknown route', 'GET', '/v1/nothing', undefined, 404, 'not_found', null],
  ])(verifies('api.bad-input', '%s'), async (_, method, path, body, status, code, where) => {
    const response = await running.stack.client.request(method, path, body);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    const problem = Problem.parse(await response.json());
    expect([response.status, problem.code, problem.status]).toEqual([status, code, status]);
    if (where !== null) expect(problem.errors?.[0]?.path).toBe(where);
    expect(JSON.stringify(problem)).not.toMatch(/node_modules|\.[jt]s:\d|prisma|select /i);
  });

  it(verifies('api.bad-input', 'bad input changes nothing in the database'), async () => {
    const response = await running.stack.client.request('GET', '/v1/goals');
    expect(await response.json()).toEqual({ items: [] });
  });

  const routes: readonly [string, string, unknown, Scope][] = [
    ['GET', '/v1/models', undefined, 'observe'],
    ['POST', '/v1/goals', { text: 'x' }, 'operate'],
    ['GET', '/v1/goals', undefined, 'observe'],
    ['GET', '/v1/goals/1', undefined, 'observe'],
    ['POST', '/v1/goals/1/cancel', undefined, 'operate'],
    ['GET', '/v1/decisions', undefined, 'observe'],
    ['GET', '/v1/decisions/1', undefined, 'observe'],
    ['POST', '/v1/decisions/1/verdict', { verdict: 'skip' }, 'decide'],
    ['GET', `/v1/sessions/${nowhere}/events`, undefined, 'observe'],
    ['GET', '/v1/notices', undefined, 'observe'],
    ['GET', '/v1/safety/patterns', undefined, 'observe'],
    ['POST', '/v1/safety/check', { command: 'ls' }, 'observe'],
    ['GET', '/openapi.json', undefined, 'observe'],
  ];

  it(verifies('api.tokens', 'only health answers without a token, or with a wrong one'), async () => {
    for (const token of [null, 'aish_wrong', '', `${running.stack.client.token}x`]) {
      const stranger = new ApiClient(running.stack.client.url, token);
      for (const [method, path, body] of routes) {
        const response = await stranger.request(method, path, body);
        expect([path, response.status, Problem.parse(await response.json()).code]).toEqual([path, 401, 'unauthorized']);
      }
      expect((await stranger.request('GET', '/v1/health')).status).toBe(200);
    }
  });

  it(verifies('api.tokens', 'a token allows only the actions of its scopes'), async () => {
    const may: Record<Scope, readonly Scope[]> = {
      admin: ['observe', 'operate', 'decide'],
      operate: ['observe', 'operate'],
      observe: ['observe'],
      decide: ['observe', 'decide'],
      app: [],
    };
    const db = new pg.Client({ connectionString: running.stack.database.url });
    await db.connect();
    try {
      for (const [scope, allowed] of Object.entries(may)) {
        const token = `aish_${scope}`;
        await db.query('insert into api_tokens (id, name, hash, scopes) values ($1, $2, $3, $4)', [
          randomUUID(),
          scope,
          createHash('sha256').update(token).digest('hex'),
          [scope],
        ]);
        const client = new ApiClient(running.stack.client.url, token);
        for (const [method, path, body, needed] of routes.filter(([, path]) => !path.endsWith('/notices'))) {
          const { status } = await client.request(method, path, body);
          expect([scope, path, status === 403]).toEqual([scope, path, !allowed.includes(needed)]);
        }
      }
      await db.query(`update api_tokens set revoked_at = now() where name = 'observe'`);
      expect((await new ApiClient(running.stack.client.url, 'aish_observe').request('GET', '/v1/goals')).status).toBe(
        401,
      );
    } finally {
      await db.end();
    }
  });

  it(verifies('api.openapi'), async () => {
    const document = OpenApi.parse(await (await running.stack.client.request('GET', '/openapi.json')).json());
    const routes = declaredRoutes();
    expect(routes.length).toBeGreaterThan(30);
    expect(Object.keys(document.paths).toSorted()).toEqual(routes);
    expect(document.components.schemas).toMatchObject({ Goal: expect.anything(), CreateGoal: expect.anything() });
  });

  it('the api stores only hashes of tokens, and logs no secret', async () => {
    const db = new pg.Client({ connectionString: running.stack.database.url });
    await db.connect();
    const { rows } = await db.query<{ line: string }>('select t::text as line from api_tokens t');
    await db.end();
    expect(rows.length).toBeGreaterThan(0);
    for (const { line } of rows) expect(line).not.toContain(running.stack.client.token);
    for (const service of running.stack.services)
      expect(service.log).not.toContain(String(running.stack.client.token).slice(5));
  });
});

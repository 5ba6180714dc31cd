import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditList } from '@aish/contracts/audit';
import { Problem } from '@aish/contracts/problem-document';
import { NewToken, TokenList, type Scope } from '@aish/contracts/tokens';
import { measured, startTelemetry } from '@aish/telemetry';
import { z } from 'zod';
import { verifies } from '../requirements.js';
import { ROUTES, type Needed } from '../support/route-table.js';
import { ApiClient } from '../support/api.client.js';
import { aish, startAish } from '../support/aish.command.js';
import { dashboardQueries, metricNames } from '../support/dashboard.js';
import { plan } from '../support/plan.js';
import { scriptedStack } from '../support/scripted-stack.js';

const METRICS_TOKEN = 'a-token-for-prometheus';
const WRONG_PER_MINUTE = 12;
const OpenApi = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

describe('tokens', () => {
  const running = scriptedStack(plan('CMD: rm -rf old', 'GOAL: complete'), {
    ownProcesses: true,
    env: { METRICS_TOKEN, WRONG_TOKENS_PER_MINUTE: String(WRONG_PER_MINUTE) },
  });
  let dir: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'aish-tokens-'));
  });

  afterAll(() => rm(dir, { recursive: true, force: true }));

  const run = (...args: string[]) =>
    aish({ url: running.stack.client.url, tokenFile: join(running.stack.dir, 'token') }, args);
  const bearing = async (name: string, ...scopes: Scope[]) => {
    const { token } = await running.stack.client.json(NewToken, 'POST', '/v1/tokens', { name, scopes });
    return new ApiClient(running.stack.client.url, token);
  };

  it(
    verifies('api.device-login', 'aish login shows a code, aish token approve accepts it, and aish finds its server'),
    async () => {
      const { url } = running.stack.client;
      const home = { HOME: join(dir, 'home') };
      const login = (...more: string[]) => startAish(null, ['login', url, '--as', 'cabin', ...more], home);
      const shown = async (begun: ReturnType<typeof login>) =>
        (await begun.says(/approve ([A-Z]{4}-[A-Z]{4})/))[1] ?? '';
      const refused = login();
      expect((await run('token', 'approve', await shown(refused), '--deny')).code).toBe(0);
      expect(await refused.ended()).toMatchObject({ code: 1, stderr: expect.stringContaining('access_denied') });

      const begun = login();
      const code = await shown(begun);
      expect((await run('token', 'approve', code)).stderr).toContain('Nothing was changed');
      expect((await run('token', 'approve', code.toLowerCase(), '--scope', 'observe', '--yes')).code).toBe(0);
      expect(await begun.ended()).toMatchObject({ code: 0, stdout: expect.stringContaining('(observe)') });
      const tokens = join(dir, 'home', '.local', 'share', 'aish', 'tokens');
      const [file = ''] = await readdir(tokens);
      expect((await stat(join(tokens, file))).mode & 0o777).toBe(0o600);
      const later = async (...args: string[]) => startAish(null, args, home).ended();
      expect(await later('goals')).toMatchObject({ code: 0 });
      expect(await later('--profile', 'cabin', 'upgrade', '--check')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('there is nothing to do'),
      });
      expect((await later('norris', 'tidy')).stderr).toContain('forbidden');
    },
    60_000,
  );

  it(
    verifies('api.tokens', 'aish creates, lists and revokes tokens, and a revoked one is refused at once'),
    async () => {
      const out = join(dir, 'phone');
      const made = await run('token', 'add', 'phone', '--scope', 'observe', '--days', '30', '--out', out);
      expect(made).toMatchObject({ code: 0, stdout: '' });
      expect((await stat(out)).mode & 0o777).toBe(0o600);
      const secret = (await readFile(out, 'utf8')).trim();
      const again = await run('token', 'add', 'phone', '--scope', 'observe', '--out', out);
      expect(again.code).not.toBe(0);
      const phone = new ApiClient(running.stack.client.url, secret);
      expect((await phone.request('GET', '/v1/goals')).status).toBe(200);
      expect((await phone.request('POST', '/v1/goals', { text: 'x' })).status).toBe(403);
      const list = TokenList.parse(JSON.parse((await run('token', 'list', '--json')).stdout));
      expect(list.items.find(({ name }) => name === 'phone')).toMatchObject({
        scopes: ['observe'],
        lastUsedAt: expect.any(String),
        expiresAt: expect.any(String),
      });
      expect((await run('token', 'remove', 'phone')).stdout).toBe('phone was revoked\n');
      expect((await phone.request('GET', '/v1/goals')).status).toBe(401);
      expect((await run('token', 'remove', 'admin')).stderr).toContain('is the only admin token');
      expect((await run('token', 'add', 'x', '--scope', 'root')).stderr).toContain('There is no scope root');
    },
    60_000,
  );

  it(
    verifies('api.audit'),
    async () => {
      const judge = await bearing('judge', 'decide');
      const { id } = await running.stack.client.createGoal('tidy');
      const decision = await running.stack.client.decisionOf(id);
      await judge.decide(decision.number, 'skip', 'keep them');
      await running.stack.client.until(id, 'done');
      const { items } = await running.stack.client.json(AuditList, 'GET', '/v1/audit');
      expect(items.map(({ action, actor, subject }) => [action, actor, subject])).toEqual(
        expect.arrayContaining([
          ['verdict.given', 'judge', `d${decision.number}`],
          ['token.created', 'admin', 'judge'],
        ]),
      );
      expect(items.find(({ action }) => action === 'verdict.given')?.facts).toMatchObject({
        verdict: 'skip',
        message: 'keep them',
        action: 'rm -rf old',
      });
      expect((await judge.request('GET', '/v1/audit')).status).toBe(403);
      expect((await run('audit', '--action', 'verdict.given')).stdout).toContain(
        `judge skipped d${decision.number}: \`rm -rf old\``,
      );
    },
    60_000,
  );

  it(
    verifies('api.metrics'),
    async () => {
      const read = (token: string | null) => new ApiClient(running.stack.client.url, token).request('GET', '/metrics');
      expect((await read(null)).status).toBe(401);
      expect((await read((await bearing('app', 'app')).token)).status).toBe(401);
      expect((await read((await bearing('eye', 'observe')).token)).status).toBe(200);
      const text = await (await read(METRICS_TOKEN)).text();
      expect(text).toMatch(/^http_server_request_duration_count\{[^}]*http_route="\/v1\/goals"/m);
      expect(text).toMatch(/^aish_decisions_pending\{[^}]*\} 0$/m);
      expect(text).toMatch(/^aish_errors_total\{code="unauthorized"/m);
      expect(text).not.toContain('tidy');
      const worker = running.stack.workers[0]?.healthUrl.replace('/v1/health', '/metrics') ?? '';
      expect((await fetch(worker)).status).toBe(401);
      const answer = await fetch(worker, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
      expect(await answer.text()).toMatch(/^aish_step_overhead_count\{preset="fast"/m);
    },
    60_000,
  );

  it(
    verifies('dashboard.metrics'),
    async () => {
      // No test here causes these metrics, so each instrument is used once, with the real exporter.
      const telemetry = await startTelemetry({ service: 'test', version: '0' });
      for (const instrument of Object.values(measured)) {
        if ('record' in instrument) instrument.record(1);
        else instrument.add(1);
      }
      const texts = [await telemetry.prometheus()];
      await telemetry.shutdown();
      // A gauge exists only while it has a value.
      const { id } = await running.stack.client.createGoal('tidy');
      await running.stack.client.decisionOf(id);
      const urls = [running.stack.api, running.stack.sandbox, ...running.stack.workers].map(
        ({ healthUrl }) => new URL('/metrics', healthUrl),
      );
      for (const url of urls) {
        const answer = await fetch(url, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
        expect([url.href, answer.status]).toEqual([url.href, 200]);
        texts.push(await answer.text());
      }
      const known = new Set(['up', ...texts.flatMap((text) => [...metricNames(text)])]);
      const unknown = dashboardQueries().flatMap(({ panel, metrics }) =>
        metrics.filter((name) => !known.has(name)).map((name) => `${panel}: ${name}`),
      );
      expect(unknown).toEqual([]);
      await running.stack.client.request('POST', `/v1/goals/${id}/cancel`);
    },
    60_000,
  );

  it(
    verifies('api.tokens', 'every route refuses requests without a token, or with one that lacks the scope'),
    async () => {
      const { paths } = await running.stack.client.json(OpenApi, 'GET', '/openapi.json');
      const routes = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method): [string, string, Needed | undefined] => [
          method.toUpperCase(),
          path.replaceAll(/\{\w+\}/g, '1'),
          ROUTES[`${method.toUpperCase()} ${path}`],
        ]),
      );
      expect(routes.length).toBeGreaterThan(15);
      const nobody = new ApiClient(running.stack.client.url, null);
      const app = await bearing('other-app', 'app');
      for (const [method, path, needed] of routes) {
        // Signing in is the way to get a token, and an event has the secret of its source.
        if (needed === 'nothing') continue;
        const without = await nobody.request(method, path);
        expect([method, path, without.status]).toEqual([method, path, 401]);
        expect(Problem.parse(await without.json()).code).toBe('unauthorized');
        // These routes check the browser's session themselves.
        if (path.startsWith('/v1/web/')) continue;
        const wrong = await app.request(method, path);
        // Apps have their own memory, and these requests are invalid for them.
        const refusals = /^\/v1\/(memory|recall)/.test(path) ? [403, 400, 404] : [403];
        expect([method, path, refusals.includes(wrong.status), wrong.status]).toEqual([
          method,
          path,
          true,
          wrong.status,
        ]);
        await wrong.body?.cancel();
      }
    },
    60_000,
  );

  it(
    verifies('api.limits'),
    async () => {
      const guess = new ApiClient(running.stack.client.url, 'aish_not-a-token');
      const statuses: number[] = [];
      for (let n = 0; n <= WRONG_PER_MINUTE; n += 1) statuses.push((await guess.request('GET', '/v1/goals')).status);
      expect(statuses[0]).toBe(401);
      const refused = await guess.request('GET', '/v1/goals');
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Problem.parse(await refused.json()).code).toBe('too_many');
    },
    60_000,
  );

  it(verifies('api.proxies', 'a forged client address is ignored, because no proxy is trusted'), async () => {
    const guess = new ApiClient(running.stack.client.url, 'aish_not-a-token');
    const statuses: number[] = [];
    for (let n = 0; n <= WRONG_PER_MINUTE; n += 1) {
      const elsewhere = { 'x-forwarded-for': `192.0.2.${n + 1}` };
      statuses.push((await guess.request('GET', '/v1/goals', undefined, elsewhere)).status);
    }
    expect(statuses.at(-1)).toBe(429);
  });
});

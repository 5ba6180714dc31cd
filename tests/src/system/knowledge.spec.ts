import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  KnowledgeDoctorReport,
  KnowledgeHits,
  KnowledgeNode,
  KnowledgePlan,
  KnowledgePushResult,
  KnowledgeStatusReport,
  KnowledgeWrite,
  NewToken,
} from '@aish/contracts';
import { verifies } from '../requirements.js';
import { aish, type CommandResult } from '../support/aish.command.js';
import { ApiClient } from '../support/api.client.js';
import { Stack } from '../support/stack.js';

let root: string;
let dir: string;
let stack: Stack;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'aish-knowledge-'));
  dir = join(root, 'kb');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', join(root, 'remote.git')]);
  stack = await Stack.start({
    modelUrl: 'http://127.0.0.1:9',
    workers: 0,
    env: { KNOWLEDGE_DIR: dir, KNOWLEDGE_REMOTE: join(root, 'remote.git') },
  });
}, 120_000);
afterAll(async () => {
  await stack.stop();
  rmSync(root, { recursive: true, force: true });
}, 60_000);

/** `aish kb …` against the server; with `--repo` it would need none. */
const kb = (...args: string[]): Promise<CommandResult> =>
  aish({ url: stack.client.url, tokenFile: join(stack.dir, 'token') }, ['kb', ...args]);
const alone = (...args: string[]): Promise<CommandResult> =>
  aish({ url: 'http://127.0.0.1:9', tokenFile: '/nowhere' }, ['kb', ...args, '--repo', dir]);

describe('the knowledge base', () => {
  it(
    verifies('knowledge.api'),
    async () => {
      const { client } = stack;
      const remember = (body: object): Promise<KnowledgeWrite> =>
        client.json(KnowledgeWrite, 'POST', '/v1/knowledge/nodes', body);
      const first = await remember({
        title: 'Reload nginx',
        summary: 'A restart drops connections.',
        types: ['procedure'],
        projects: ['homelab'],
      });
      await remember({
        title: 'Restart policy',
        visibility: 'private',
        links: [{ relation: 'CONTRADICTS', id: first.id }],
      });
      const refused = await client.request('POST', '/v1/knowledge/nodes', {
        title: 'Broken',
        body: '#+begin_src sh\nls',
      });
      expect([refused.status, await refused.json()]).toMatchObject([
        422,
        { code: 'knowledge_lint', findings: [{ code: 'org-invalid' }] },
      ]);

      // The same question to the server, through the command and on the clone.
      const hits = await client.json(KnowledgeHits, 'GET', '/v1/knowledge/nodes?text=restart');
      expect(hits.items.map(({ title }) => title)).toEqual(['Restart policy', 'Reload nginx']);
      const [online, offline] = [await kb('query', 'restart', '--json'), await alone('query', 'restart', '--json')];
      expect([JSON.parse(online.stdout), JSON.parse(offline.stdout), online.code]).toEqual([hits, hits, 0]);
      expect((await alone('query', 'nothing', 'of', 'the', 'kind')).code).toBe(1);
      expect(
        (await aish({ url: 'http://127.0.0.1:9', tokenFile: '/nowhere' }, ['kb', 'query', 'x', '--repo', root])).code,
      ).toBe(2);
      expect(
        (await alone('remember', 'Token', '-s', ['ghp', 'aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789'].join('_'))).code,
      ).toBe(3);

      // A token that is bound to a project sees that one, and what is shared with everyone.
      const { token } = await client.json(NewToken, 'POST', '/v1/tokens', {
        name: 'emacs',
        scopes: ['operate', 'decide'],
        projects: ['emacs'],
      });
      const bound = new ApiClient(client.url, token);
      expect((await bound.json(KnowledgeHits, 'GET', '/v1/knowledge/nodes')).items).toEqual([]);
      expect((await bound.request('GET', `/v1/knowledge/nodes/${first.id}`)).status).toBe(404);
      expect((await bound.request('GET', '/v1/knowledge/doctor')).status).toBe(403);
      expect((await bound.request('POST', '/v1/knowledge/nodes', { title: 'x', projects: ['homelab'] })).status).toBe(
        403,
      );

      // Planned by anyone, done by a person.
      const operation = { kind: 'delete', id: first.id };
      const plan = await client.json(KnowledgePlan, 'POST', '/v1/knowledge/plans', operation);
      expect((await client.request('POST', '/v1/knowledge/plans/apply', { planId: 'other', operation })).status).toBe(
        409,
      );
      await client.json(KnowledgeWrite, 'POST', '/v1/knowledge/plans/apply', { planId: plan.planId, operation });
      const left = await client.json(KnowledgeHits, 'GET', '/v1/knowledge/nodes');
      expect((await client.json(KnowledgeNode, 'GET', `/v1/knowledge/nodes/${left.items[0]?.id}`)).links).toEqual([]);

      // A push that fails is said at the start of a client and by doctor; it goes when the remote is back.
      renameSync(join(root, 'remote.git'), join(root, 'away.git'));
      const push = () => client.json(KnowledgePushResult, 'POST', '/v1/knowledge/push', {});
      expect((await push()).outcome).toBe('unreachable');
      const status = await client.json(KnowledgeStatusReport, 'GET', '/v1/knowledge/status');
      expect(status.notice).toMatch(/push unreachable/);
      const doctor = await client.json(KnowledgeDoctorReport, 'GET', '/v1/knowledge/doctor');
      expect(doctor.checks.filter(({ state }) => state === 'failed').map(({ name }) => name)).toEqual([
        'remote',
        'push',
      ]);
      expect(stack.api.log).toContain('the knowledge base was not pushed');
      renameSync(join(root, 'away.git'), join(root, 'remote.git'));
      expect((await push()).outcome).toBe('pushed');
      expect(await kb('doctor')).toMatchObject({ code: 0 });
      expect(execFileSync('git', ['status', '--porcelain'], { cwd: dir, encoding: 'utf8' })).toBe('');
    },
    180_000,
  );
});

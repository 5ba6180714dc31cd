import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditList } from '@aish/contracts/audit';
import { KnowledgeGraph, KnowledgeHits, KnowledgeNode, KnowledgeWrite } from '@aish/contracts/knowledge';
import {
  KnowledgeDoctorReport,
  KnowledgePlan,
  KnowledgePushResult,
  KnowledgeStatusReport,
} from '@aish/contracts/knowledge-upkeep';
import { NewToken } from '@aish/contracts/tokens';
import { verifies } from '../requirements.js';
import { aish, type CommandResult } from '../support/aish.command.js';
import { ApiClient } from '../support/api.client.js';
import { Stack } from '../support/stack.js';
import { Terminal } from '../support/terminal.js';
import { TUI_COMMAND } from '../support/tui.stack.js';

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

/** Runs `aish kb …` with the server. With `--repo` the command needs no server. */
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

      // The same query runs over HTTP, on the command line and on the clone.
      const hits = await client.json(KnowledgeHits, 'GET', '/v1/knowledge/nodes?text=restart');
      expect(hits.items.map(({ title }) => title)).toEqual(['Restart policy', 'Reload nginx']);
      const [online, offline] = [await kb('query', 'restart', '--json'), await alone('query', 'restart', '--json')];
      expect([JSON.parse(online.stdout), JSON.parse(offline.stdout), online.code]).toEqual([hits, hits, 0]);
      expect((await alone('query', 'nothing', 'of', 'the', 'kind')).code).toBe(1);
      expect(
        (await aish({ url: 'http://127.0.0.1:9', tokenFile: '/nowhere' }, ['kb', 'list', 'x', '--repo', root])).code,
      ).toBe(2);
      expect(
        (await alone('remember', 'Token', '-s', ['ghp', 'aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789'].join('_'))).code,
      ).toBe(3);

      // The text looks like a secret. A person allows it, and the audit log records that.
      const key = {
        title: 'How a key looks',
        visibility: 'private',
        body: ['ghp', 'aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789'].join('_'),
      };
      const helper = await client.json(NewToken, 'POST', '/v1/tokens', { name: 'helper', scopes: ['operate'] });
      const allowing = { ...key, allowSecrets: true };
      const asked = await new ApiClient(client.url, helper.token).request('POST', '/v1/knowledge/nodes', allowing);
      expect([asked.status, (await client.request('POST', '/v1/knowledge/nodes', key)).status]).toEqual([403, 422]);
      const allowed = await remember(allowing);
      const { items: noted } = await client.json(AuditList, 'GET', '/v1/audit?action=knowledge.secret_allowed');
      expect(noted).toMatchObject([{ subject: allowed.id, facts: { commit: allowed.commit } }]);
      expect(JSON.stringify(noted)).not.toContain('aBcDeFgH');

      // A token that is bound to a project sees that project, and shared nodes.
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

      // Anyone may plan the operation, but only a decider may carry it out.
      const operation = { kind: 'delete', id: first.id };
      const plan = await client.json(KnowledgePlan, 'POST', '/v1/knowledge/plans', operation);
      expect(plan).toMatchObject({ moves: [{ id: first.id, to: null }], pointers: [] });
      expect((await client.request('POST', '/v1/knowledge/plans/apply', { planId: 'other', operation })).status).toBe(
        409,
      );
      await client.json(KnowledgeWrite, 'POST', '/v1/knowledge/plans/apply', { planId: plan.planId, operation });
      const left = await client.json(KnowledgeHits, 'GET', '/v1/knowledge/nodes');
      const policy = left.items.find(({ title }) => title === 'Restart policy');
      expect((await client.json(KnowledgeNode, 'GET', `/v1/knowledge/nodes/${policy?.id}`)).links).toEqual([]);

      expect(execFileSync('git', ['status', '--porcelain'], { cwd: dir, encoding: 'utf8' })).toBe('');
    },
    180_000,
  );

  it(
    verifies('knowledge.push-failure'),
    async () => {
      const { client } = stack;
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
      const env = { AISH_URL: client.url, AISH_TOKEN_FILE: join(stack.dir, 'token'), XDG_STATE_HOME: stack.dir };
      const ui = await Terminal.open(TUI_COMMAND, { env });
      try {
        expect(await ui.shows('knowledge base: push unreachable')).toMatch(/commits not pushed; aish kb doctor/);
      } finally {
        await ui.close();
      }
      renameSync(join(root, 'away.git'), join(root, 'remote.git'));
      // The api's scheduled push may have been faster.
      expect(['pushed', 'nothing']).toContain((await push()).outcome);
      const headOf = (cwd: string) => execFileSync('git', ['rev-parse', 'main'], { cwd, encoding: 'utf8' });
      expect(headOf(join(root, 'remote.git'))).toBe(headOf(dir));
      expect((await client.json(KnowledgeStatusReport, 'GET', '/v1/knowledge/status')).notice).toBe(null);
      expect(await kb('doctor')).toMatchObject({ code: 0 });
      expect(execFileSync('git', ['status', '--porcelain'], { cwd: dir, encoding: 'utf8' })).toBe('');
    },
    180_000,
  );

  it(
    verifies('knowledge.graph'),
    async () => {
      const { client } = stack;
      const remember = (body: object): Promise<KnowledgeWrite> =>
        client.json(KnowledgeWrite, 'POST', '/v1/knowledge/nodes', { projects: ['garden'], ...body });
      const { id } = await remember({ title: 'Compost <heap> & "bin"' });
      await remember({ title: 'Turn it monthly', links: [{ relation: 'IMPLEMENTS', id }] });
      const dot = await client.json(KnowledgeGraph, 'GET', '/v1/knowledge/graph?project=garden');
      expect(dot).toMatchObject({ format: 'dot', nodes: 2, links: 1 });
      expect(dot.text).toContain(`-> "${id}" [label="IMPLEMENTS"]`);
      const file = join(root, 'kb.svg');
      expect(await kb('graph', '--svg', '--project', 'garden', '--out', file)).toMatchObject({ code: 0 });
      const svg = readFileSync(file, 'utf8');
      // The SVG has two boxes, an arrow with its label, and titles that cannot inject markup.
      expect(svg).toMatch(/<svg [\s\S]*<\/svg>\s*$/);
      expect(svg.match(/<g id="node\d+" class="node">/g)).toHaveLength(2);
      expect(svg.match(/<g id="edge\d+" class="edge">/g)).toHaveLength(1);
      expect(svg).toContain('>IMPLEMENTS</text>');
      expect(svg).toContain('Compost &lt;heap&gt; &amp; &quot;bin&quot;');
      // The graph of the clone is the same, without the nodes that a bound token may not see.
      expect((await alone('graph', '--svg', '--project', 'garden')).stdout).toContain('>IMPLEMENTS</text>');
      const { token } = await client.json(NewToken, 'POST', '/v1/tokens', {
        name: 'no-garden',
        scopes: ['observe'],
        projects: ['emacs'],
      });
      const bound = await new ApiClient(client.url, token).json(KnowledgeGraph, 'GET', '/v1/knowledge/graph');
      expect(bound.text).not.toMatch(/Compost|Turn it/);
    },
    60_000,
  );

  it(
    verifies('knowledge.mcp'),
    async () => {
      const { client } = stack;
      const idOf: Record<string, string> = {};
      for (const [title, projects, visibility] of [
        ['Shelf of homelab', ['homelab'], 'shared'],
        ['Shelf of emacs', ['emacs'], 'private'],
        ['Shelf for all', ['general'], 'shared'],
        ['Shelf of mine', ['general'], 'private'],
        ['Shelf of two', ['emacs', 'homelab'], 'private'],
      ] as const) {
        const { id } = await client.json(KnowledgeWrite, 'POST', '/v1/knowledge/nodes', {
          title,
          projects,
          visibility,
        });
        idOf[title] = String(id);
      }
      const all = Object.keys(idOf).toSorted();
      const me = (await client.json(KnowledgeNode, 'GET', `/v1/knowledge/nodes/${idOf['Shelf of mine']}`)).createdBy;
      const tokens: readonly (readonly [object, readonly string[], readonly string[]])[] = [
        [{ name: 'mcp-owner', scopes: ['operate'], owner: me }, all, ['emacs', 'homelab', 'general']],
        [
          { name: 'mcp-other', scopes: ['operate'] },
          ['Shelf for all', 'Shelf of homelab'],
          ['emacs', 'homelab', 'general'],
        ],
        [
          { name: 'mcp-emacs', scopes: ['operate'], projects: ['emacs'] },
          ['Shelf for all', 'Shelf of emacs', 'Shelf of two'],
          ['emacs'],
        ],
        [{ name: 'mcp-watcher', scopes: ['observe'], projects: [] }, ['Shelf for all'], []],
        [{ name: 'mcp-app', scopes: ['app'], app: { space: 'home', name: 'watcher' } }, [], []],
      ];
      for (const [wanted, sees, writes] of tokens) {
        const { token } = await client.json(NewToken, 'POST', '/v1/tokens', wanted);
        const api = new ApiClient(client.url, token);
        const mcp = new Client({ name: 'test', version: '1' });
        const requestInit = { headers: { authorization: `Bearer ${token}` } };
        await mcp.connect(new StreamableHTTPClientTransport(new URL(`${client.url}/mcp`), { requestInit }));
        const offered = (await mcp.listTools()).tools.map(({ name }) => name).filter((name) => name.startsWith('kb_'));
        const call = async (name: string, args: Record<string, unknown>): Promise<string | null> => {
          if (!offered.includes(name)) return null;
          const { content, isError } = await mcp.callTool({ name, arguments: args });
          const [block] = content;
          return isError === true || block?.type !== 'text' ? null : block.text;
        };
        const found = (await call('kb_query', { text: 'shelf', limit: 50 })) ?? '';
        const asked = await api.request('GET', '/v1/knowledge/nodes?text=shelf&limit=50');
        const listed = asked.status === 200 ? KnowledgeHits.parse(await asked.json()).items : [];
        const read = [];
        for (const title of all) if ((await call('kb_read', { id: idOf[title] }))?.includes(title)) read.push(title);
        const written = [];
        for (const project of ['emacs', 'homelab', 'general']) {
          const text = await call('kb_remember', {
            title: `Written by ${JSON.stringify(wanted)}`,
            projects: [project],
          });
          if (text?.startsWith('Written: ') === true) written.push(project);
        }
        const linted = await call('kb_lint', {});
        await mcp.close();
        expect({
          wanted,
          found: all.filter((title) => found.includes(`- ${title} (`)),
          listed: listed.map(({ title }) => title).toSorted(),
          read,
          written,
          lints: linted?.startsWith('Nothing fatal') === true,
        }).toEqual({
          wanted,
          found: sees,
          listed: sees,
          read: sees,
          written: writes,
          lints: writes.length === 3,
        });
      }
    },
    60_000,
  );
});

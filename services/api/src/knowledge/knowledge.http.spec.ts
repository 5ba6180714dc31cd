import { mkdtempSync, rmSync } from 'node:fs';
import { KINDS } from '@aish/secrets/testing';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TestApi } from '../testing/test-api.js';

let api: TestApi;
let root: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'aish-allowed-secrets-'));
  api = await TestApi.start({ KNOWLEDGE_DIR: join(root, 'kb') });
}, 120_000);
afterAll(async () => {
  await api?.stop();
  rmSync(root, { recursive: true, force: true });
});

const key = (mark: string) => ['ghp', `a1B2c3D4e5${mark}6`.repeat(3)].join('_');
const write = (token: string, body: object) => api.ask('POST', '/v1/knowledge/nodes', { body, token });

it('only a person who may decide can accept a suspected secret, and the audit log records who did', async () => {
  const operator = await api.tokenWith('observe', 'operate');
  const decider = await api.tokenWith('observe', 'operate', 'decide');
  const audit = async () => {
    const { body } = await api.ask('GET', '/v1/audit?action=knowledge.secret_allowed');
    return (
      body.items as { subject: string; actor: string; facts: { secrets: string[]; commit: string } }[]
    ).toReversed();
  };
  const allowing = { title: 'How keys look', body: `As in ${key('F')}.`, allowSecrets: true };
  expect((await write(decider, { ...allowing, allowSecrets: undefined })).status).toBe(422);
  expect((await write(operator, allowing)).body.code).toBe('forbidden');
  // An app may not accept a suspected secret with any token.
  const app = {
    name: 'watcher',
    scopes: ['app', 'operate', 'decide'],
    app: { space: 'home', name: 'watcher' },
    projects: ['web'],
  };
  const ofApp = await api.ask('POST', '/v1/tokens', { body: app });
  expect([ofApp.status, (await write(ofApp.body.token, { ...allowing, projects: ['web'] })).body.code]).toEqual([
    201,
    'forbidden',
  ]);
  expect(await audit()).toEqual([]);

  const first = (await write(decider, allowing)).body;
  const second = (await write(decider, { title: 'Old router', body: 'password: s3cr3tP4ss', allowSecrets: true })).body;
  // Nobody has to accept anything if a write adds no suspected secret.
  const changes = [
    { id: first.id, status: 'contested', allowSecrets: true },
    { title: 'Plain', body: 'No secret.', allowSecrets: true },
  ];
  for (const change of changes) expect((await write(decider, change)).status).toBe(200);
  // Another suspected secret in the same node needs a new confirmation.
  expect((await write(decider, { id: first.id, body: `Now ${key('G')}.` })).status).toBe(422);
  const third = (await write(decider, { id: first.id, body: `Now ${key('G')}.`, allowSecrets: true })).body;

  const noted = await audit();
  const who = expect.stringMatching(/^observe-operate-decide-/);
  expect(noted.map(({ subject, actor, facts }) => [subject, actor, facts.commit, facts.secrets])).toEqual([
    [first.id, who, first.commit, [expect.stringContaining('(github)')]],
    [second.id, who, second.commit, ['a password (password)']],
    [first.id, who, third.commit, [expect.stringContaining('(github)')]],
  ]);
  expect(JSON.stringify(noted)).not.toMatch(/a1B2c3D4|s3cr3t/);
}, 120_000);

it("a merge lists and rewrites the pointers in the person's own memory, and the old ID still resolves", async () => {
  const person = await api.tokenWith('observe', 'operate', 'decide');
  const node = async (title: string) => String((await write(person, { title })).body.id);
  const [old, next] = [await node('Old'), await node('Next')];
  const ask = async (method: 'GET' | 'POST', url: string, body?: object, token = person) => {
    const answer = await api.ask(method, url, { token, ...(body === undefined ? {} : { body }) });
    expect([url, answer.status < 300]).toEqual([url, true]);
    return answer.body;
  };
  const { item } = await ask('POST', '/v1/memory/items', { content: `kb: Old (${old})` });
  await ask('POST', '/v1/memory/documents/user', { mode: 'replace', content: `See kb: Old (${old}).` });
  await ask('POST', '/v1/memory/items', { content: `it was ${old}` });
  const operation = { kind: 'merge', into: next, from: [old] };
  const plan = await ask('POST', '/v1/knowledge/plans', operation);
  expect(plan.pointers).toEqual([
    { where: `item ${item.number} of memory`, rewritten: true },
    { where: `item ${item.number + 1} of memory`, rewritten: false },
    { where: expect.stringMatching(/^memory document user\//), rewritten: true },
  ]);
  // The memory of other people is not searched.
  expect((await ask('POST', '/v1/knowledge/plans', operation, api.token)).pointers).toEqual([]);
  const done = await ask('POST', '/v1/knowledge/plans/apply', { planId: plan.planId, operation });
  expect(done.notes).toEqual([`item ${item.number + 1} of memory still names the removed node`]);
  const { items } = await ask('GET', '/v1/memory/items');
  expect(items.map(({ content }: { content: string }) => content)).toContain(`kb: Next (${next})`);
  expect((await ask('GET', '/v1/memory/documents/user')).text).toBe(`See kb: Next (${next}).`);
  expect(await ask('GET', `/v1/knowledge/nodes/${old}`)).toMatchObject({ id: next, movedFrom: { id: old } });
}, 120_000);

it('a memory item that looks like a secret is reported and stored, and similar texts are not reported', async () => {
  const token = await api.tokenWith('observe', 'operate');
  const titles = async (content: string) => {
    const { body } = await api.ask('POST', '/v1/memory/items', { token, body: { content } });
    return (body.secrets as { title: string }[]).map(({ title }) => title);
  };
  for (const { secrets, harmless } of KINDS) {
    for (const secret of secrets) expect([secret, await titles(secret)]).not.toEqual([secret, []]);
    for (const text of harmless) expect([text, await titles(text)]).toEqual([text, []]);
  }
});

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Classification } from '@aish/contracts/safety';
import type { Scope } from '@aish/contracts/tokens';
import { TASKS_EXTENSION } from '@aish/mcp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import { resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import { haltGoal } from '../testing/decisions.fixture.js';
import { connectClient, taskSession } from '../testing/mcp.clients.js';
import { TestApi } from '../testing/test-api.js';

const MANY = 60;
const GONE = { code: -32_602 };

describe('aish with third-party MCP clients', () => {
  let api: TestApi;
  let root: string;
  let open: Client[] = [];
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'aish-mcp-'));
    api = await TestApi.start({ KNOWLEDGE_DIR: join(root, 'kb') });
  }, 120_000);
  afterEach(async () => {
    await Promise.all(open.map((client) => client.close()));
    open = [];
  });
  afterAll(async () => {
    await api?.stop();
    rmSync(root, { recursive: true, force: true });
  });

  async function tokenOf(owner: string, ...scopes: readonly Scope[]): Promise<string> {
    const body = { name: `${owner}-${randomUUID().slice(0, 8)}`, scopes, owner };
    return (await api.ask('POST', '/v1/tokens', { body })).body.token;
  }

  async function connect(token: string, capabilities?: object) {
    const connected = await connectClient(api.url, token, capabilities);
    open.push(connected.client);
    return connected;
  }

  it('a goal is a task for an MCP client that supports tasks, and a plain result for any other client', async () => {
    const token = await tokenOf('ann', 'operate');
    const [knows, knowsNot] = await Promise.all([connect(token), connect(token, {})]);
    expect(knows.client.getServerCapabilities()?.extensions).toEqual({ [TASKS_EXTENSION]: {} });
    const created = await knows.start('tidy up');
    expect(created).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: expect.any(Number) });
    expect(created.ttlMs).toBeGreaterThan(7 * 86_400_000);
    const { body: goal } = await api.ask('GET', `/v1/goals/${created.taskId}`);
    expect(goal).toMatchObject({ text: 'tidy up', state: 'queued' });
    const polled = await knows.get(created.taskId);
    expect(polled).toMatchObject({ taskId: goal.id, status: 'working', createdAt: goal.createdAt });
    expect(polled.statusMessage).toContain('queued');

    const plain = await knowsNot.start('tidy up, too');
    expect([plain.resultType, plain.taskId]).toEqual(['complete', undefined]);
    expect(plain.content[0].text).toContain('tidy up, too');
    await expect(knowsNot.get(created.taskId)).rejects.toMatchObject({ code: -32_021 });
  });

  it('an MCP client gets a HALT as a form with the whole action, and only a valid verdict continues the goal', async () => {
    const asker = await connect(await tokenOf('bob', 'operate'));
    const { taskId } = await asker.start('clean the disk');
    const action = `rm -rf /srv/${'deep/'.repeat(300)}\u202Eend`;
    const classification: Classification = {
      verdict: 'destructive',
      reason: 'it deletes',
      ruleId: 'files.rm',
      span: [0, 2],
      by: 'rule',
      others: [{ verdict: 'destructive', reason: 'it crosses the volume', ruleId: 'disks.x', span: null }],
    };
    const decisionId = await haltGoal(api.db, taskId, action, { classification });
    const stateOf = async () => (await api.ask('GET', `/v1/decisions/${decisionId}`)).body;
    const { number, version } = await stateOf();

    const asked = await asker.get(taskId);
    expect(asked.status).toBe('input_required');
    const key = `d${number}.${version}`;
    expect(Object.keys(asked.inputRequests)).toEqual([key]);
    const { method, params } = asked.inputRequests[key];
    expect([method, params.mode, params.requestedSchema.required]).toEqual(['elicitation/create', 'form', ['verdict']]);
    for (const part of ['clean the disk', 'it deletes', 'it crosses the volume', 'deep/'.repeat(300), '⟨U+202E⟩end'])
      expect(params.message).toContain(part);
    expect(params.message).toContain(`aish decide d${number}`);

    const proceed = { action: 'accept', content: { verdict: 'proceed' } };
    await expect(asker.update(taskId, { [key]: proceed })).rejects.toMatchObject({
      code: -32_600,
      message: expect.stringContaining(`aish decide d${number}`),
      data: { code: 'forbidden', needed: 'decide', decision: `d${number}` },
    });
    expect((await stateOf()).state).toBe('pending');

    const decider = await connect(await tokenOf('bob', 'decide'));
    expect((await decider.get(taskId)).inputRequests[key].params.message).not.toContain('aish decide');
    const missed = { [`d${number}.other`]: proceed, [key]: { action: 'cancel' } };
    expect(await decider.update(taskId, missed)).not.toHaveProperty('status');
    expect((await stateOf()).state).toBe('pending');
    await expect(
      decider.update(taskId, { [key]: { action: 'accept', content: { verdict: 'perhaps' } } }),
    ).rejects.toMatchObject({ code: -32_602 });
    await decider.update(taskId, { [key]: proceed });
    expect(await stateOf()).toMatchObject({
      state: 'decided',
      verdict: 'proceed',
      decidedBy: expect.stringMatching(/^bob-/),
    });
    expect(await asker.get(taskId)).toMatchObject({ status: 'working' });
    await decider.update(taskId, { [key]: { action: 'decline' } });
    expect((await stateOf()).verdict).toBe('proceed');
  });

  it('the reference client of the tasks extension can follow a goal through a HALT to its end, and cancel a goal', async () => {
    const token = await tokenOf('bea', 'operate', 'decide');
    const { client } = await connect(token);
    const asked: string[] = [];
    const session = taskSession(api.url, token, client, ({ message }) => {
      asked.push(message);
      return { verdict: 'skip' };
    });
    const execution = await session.callTool('start_goal', { text: 'wait for this' });
    const { body: goals } = await api.ask('GET', '/v1/goals?limit=1');
    const [goal] = goals.items as { id: string; text: string }[];
    expect(goal?.text).toBe('wait for this');
    const decisionId = await haltGoal(api.db, goal?.id ?? '', 'rm -rf everything');
    const settled = execution.settle();
    const isSkipped = async () => (await api.ask('GET', `/v1/decisions/${decisionId}`)).body.verdict === 'skip';
    for (let n = 0; n < 200 && !(await isSkipped()); n += 1) await new Promise((resolve) => setTimeout(resolve, 100));
    expect([asked.length, asked[0]]).toEqual([1, expect.stringContaining('rm -rf everything')]);
    await api.db.pool.query(`update goals set state = 'done', summary = 'it is tidy' where id = $1`, [goal?.id]);
    const result = resultFromTaskOutcome((await settled).outcome) as { content: { text: string }[] };
    expect(result.content[0]?.text).toContain('it is tidy');

    const other = await session.callTool('start_goal', { text: 'never mind' });
    await other.cancel();
    const { body: after } = await api.ask('GET', '/v1/goals?limit=1');
    expect(after.items[0]).toMatchObject({ text: 'never mind', state: 'aborted' });
    await session.close();
  }, 60_000);

  it('declining the form of a HALT skips the action', async () => {
    const both = await connect(await tokenOf('cid', 'operate', 'decide'));
    const { taskId } = await both.start('clean the disk');
    const decisionId = await haltGoal(api.db, taskId, 'rm -rf x');
    const [key = ''] = Object.keys((await both.get(taskId)).inputRequests);
    await both.update(taskId, { [key]: { action: 'decline' } });
    expect((await api.ask('GET', `/v1/decisions/${decisionId}`)).body).toMatchObject({ verdict: 'skip' });
  });

  it('an MCP client without forms gets the decision as text that says where to answer it', async () => {
    const mute = await connect(await tokenOf('dot', 'operate', 'decide'), { extensions: { [TASKS_EXTENSION]: {} } });
    const { taskId } = await mute.start('clean the disk');
    await haltGoal(api.db, taskId, 'rm -rf seen');
    const { status, statusMessage, inputRequests } = await mute.get(taskId);
    expect([status, inputRequests]).toEqual(['input_required', {}]);
    expect(statusMessage).toMatch(/rm -rf seen[^]*aish decide d\d/);
  });

  it('a person who may not decide in the space cannot decide over MCP, even with the scope decide', async () => {
    expect((await api.ask('PATCH', '/v1/spaces/vault', { body: { deciders: ['someone'] } })).status).toBeLessThan(300);
    const both = await connect(await tokenOf('eve', 'operate', 'decide'));
    const call = { name: 'start_goal', arguments: { text: 'clean', space: 'vault' } };
    await both.client.callTool(call).catch(() => undefined);
    const [goal] = (await api.ask('GET', '/v1/goals?limit=1')).body.items;
    const decisionId = await haltGoal(api.db, goal.id, 'rm -rf x');
    const [key = ''] = Object.keys((await both.get(goal.id)).inputRequests);
    const proceed = { action: 'accept', content: { verdict: 'proceed' } };
    await expect(both.update(goal.id, { [key]: proceed })).rejects.toMatchObject({ data: { code: 'forbidden' } });
    expect((await api.ask('GET', `/v1/decisions/${decisionId}`)).body.state).toBe('pending');
  });

  it('cancelling an MCP task ends its goal and needs the scope operate', async () => {
    const both = await connect(await tokenOf('fay', 'operate'));
    const observer = await connect(await tokenOf('fay', 'observe'));
    const { taskId } = await both.start('run for hours');
    await expect(observer.cancel(taskId)).rejects.toMatchObject({ data: { needed: 'operate' } });
    expect((await both.get(taskId)).status).toBe('working');
    for (const _ of [1, 2]) {
      expect(await both.cancel(taskId)).not.toHaveProperty('status');
      expect((await both.get(taskId)).status).toBe('cancelled');
    }
    expect((await api.ask('GET', `/v1/goals/${taskId}`)).body.state).toBe('aborted');
  });

  it.each([
    ['done', { status: 'completed', result: { content: [{ type: 'text' }] } }],
    ['blocked', { status: 'completed', result: { isError: true } }],
    ['exhausted', { status: 'completed', result: { isError: true } }],
    ['failed', { status: 'failed', error: { code: -32_603, message: 'why' } }],
  ])('polling an MCP task returns the result of a goal that is %s', async (state, expected) => {
    const both = await connect(await tokenOf('gil', 'operate'));
    const { taskId } = await both.start('end somehow');
    await api.db.pool.query(`update goals set state = $2, reason = 'why', summary = 'so it went' where id = $1`, [
      taskId,
      state,
    ]);
    const polled = await both.get(taskId);
    expect(polled).toMatchObject(expected);
    if ('result' in expected) expect(polled.result.content[0].text).toContain('so it went');
  });

  it("another person's task looks the same as a task that does not exist", async () => {
    const [mine, theirs] = await Promise.all([
      connect(await tokenOf('hal', 'operate')),
      connect(await tokenOf('ivy', 'operate', 'decide')),
    ]);
    const { taskId } = await mine.start('mine alone');
    await haltGoal(api.db, taskId, 'rm -rf x');
    const answers = await Promise.all(
      [taskId, randomUUID(), 'no-id', '7'].flatMap((id) =>
        [theirs.get(id), theirs.update(id, {}), theirs.cancel(id)].map((each) => each.catch((error: Error) => error)),
      ),
    );
    for (const each of answers) expect(each).toMatchObject(GONE);
    expect(new Set(answers.map((each) => (each as Error).message)).size).toBe(1);
    expect((await mine.get(taskId)).status).toBe('input_required');
  });

  it('goals are MCP resources, listed in pages, and a token that may not read them sees none', async () => {
    const token = await tokenOf('jon', 'operate');
    const texts = Array.from({ length: MANY }, (_, n) => `goal for the list ${n}`);
    for (const text of texts) await api.ask('POST', '/v1/goals', { body: { text }, token });
    const { client } = await connect(token);
    const first = await client.request({ method: 'resources/list', params: {} });
    expect(first.resources.length).toBeLessThan(MANY);
    const second = await client.request({ method: 'resources/list', params: { cursor: first.nextCursor ?? '' } });
    const uris = [...first.resources, ...second.resources].map(({ uri }) => uri);
    expect(new Set(uris).size).toBe(uris.length);
    expect(uris.length).toBeGreaterThan(MANY);
    const [newest] = first.resources;
    expect(newest?.title).toContain(`goal for the list ${MANY - 1}`);
    const { contents } = await client.readResource({ uri: newest?.uri ?? '' });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({
      state: 'queued',
      steps: [],
      waitsForPerson: [],
    });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(
      expect.arrayContaining(['aish://goals/{number}', 'aish://recall/{query}']),
    );
    for (const uri of ['aish://goals/999999', 'aish://goals/%00', 'aish://tokens/1', 'file:///etc/passwd'])
      await expect(client.readResource({ uri })).rejects.toMatchObject(GONE);
    await expect(client.request({ method: 'resources/list', params: { cursor: 'mine' } })).rejects.toMatchObject(GONE);

    const { body } = await api.ask('POST', '/v1/tokens', {
      body: { name: 'an-app', scopes: ['app'], app: { space: 'general', name: 'notes' } },
    });
    const app = await connect(body.token);
    expect((await app.client.listResources()).resources).toEqual([]);
    await expect(app.client.readResource({ uri: newest?.uri ?? '' })).rejects.toMatchObject(GONE);
  });

  it('runbooks are MCP resources with a description, and only tokens that may read can see them', async () => {
    const text = '---\nname: restart-nas\ndescription: What to do when the NAS hangs.\n---\nPull the plug.\n';
    const files = [{ path: 'SKILL.md', content: Buffer.from(text).toString('base64') }];
    expect((await api.ask('POST', '/v1/knowledge/init', { body: {} })).status).toBeLessThan(300);
    const put = await api.ask('PUT', '/v1/runbooks/restart-nas', { body: { files } });
    expect(put.status).toBe(200);
    const { client } = await connect(await tokenOf('lee', 'observe'));
    const listed = [];
    for (let cursor: string | undefined, n = 0; n === 0 || (cursor !== undefined && n < 9); n += 1) {
      const page = await client.request({ method: 'resources/list', params: cursor === undefined ? {} : { cursor } });
      listed.push(...page.resources);
      cursor = page.nextCursor;
    }
    const uri = 'aish://runbooks/restart-nas';
    expect(listed.find((each) => each.uri === uri)).toMatchObject({
      description: 'What to do when the NAS hangs.',
      mimeType: 'text/markdown',
    });
    const { contents } = await client.readResource({ uri });
    expect((contents[0] as { text: string }).text).toContain('Pull the plug.');
    await expect(client.readResource({ uri: 'aish://runbooks/other' })).rejects.toMatchObject(GONE);
    await expect(client.readResource({ uri: 'aish://runbooks/..%2F..%2Fetc' })).rejects.toMatchObject(GONE);

    const { client: blind } = await connect(await tokenOf('lea', 'app'));
    await expect(blind.readResource({ uri })).rejects.toMatchObject(GONE);
  });

  it('a memory search through an MCP resource gives the same answer as the tool', async () => {
    const token = await tokenOf('kim', 'operate');
    const { client } = await connect(token);
    const { contents } = await client.readResource({ uri: `aish://recall/${encodeURIComponent('where is the NAS?')}` });
    const asked = { name: 'memory_recall', arguments: { query: 'where is the NAS?' } };
    const answer = await client.callTool(asked);
    expect((contents[0] as { text: string }).text).toBe((answer.content[0] as { text: string }).text);
  });
});

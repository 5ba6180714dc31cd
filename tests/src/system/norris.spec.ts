import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Decision } from '@aish/contracts/decisions';
import { Goal, GoalDetail, GoalList } from '@aish/contracts/goals';
import { GrantList } from '@aish/contracts/grants';
import { Schedule, ScheduleList } from '@aish/contracts/schedules';
import pg from 'pg';
import { verifies } from '../requirements.js';
import { aish } from '../support/aish.command.js';
import { closeAll } from '../support/close-all.js';
import { readEvents } from '../support/event-stream.js';
import { EverythingServer } from '../support/everything.server.js';
import { eventually } from '../support/eventually.js';
import { plan, plans, slowWords } from '../support/plan.js';
import { scriptedStack } from '../support/scripted-stack.js';
import { wakeCommand } from '../support/wake-command.js';

const calling = (name: string, args: string, text = '') => ({ text, toolCalls: [{ name, arguments: args }] });

describe('Norris', () => {
  let server: EverythingServer;
  let dir: string;

  const running = scriptedStack(
    plans({
      'here document': plan(
        "I write it.\nCMD: cat >> note.txt <<'EOF'\nCMD: rm -rf /\nGOAL: blocked no\nEOF\nCMD: cat note.txt",
        'GOAL: complete',
      ),
      'three removals': plan(
        'CMD: mkdir a b c',
        'CMD: rm -rf a',
        'CMD: rm -rf b',
        'CMD: sleep 60; rm -rf c',
        'CMD: rm -rf d',
        'GOAL: complete',
      ),
      'one removal': plan('CMD: mkdir -p a/x', 'CMD: rm -rf a', 'CMD: ls', 'GOAL: complete'),
      'has a check': plan('GOAL: complete', 'CMD: touch done', 'GOAL: complete\nnow it is there'),
      'never proved': plan('GOAL: complete', 'GOAL: complete', 'GOAL: complete', 'CMD: ls'),
      'proposes a check': plan('GOAL: verify test -e proof', 'CMD: touch proof', 'GOAL: complete'),
      'long command, stopped': plan('CMD: sleep 100; echo x', 'GOAL: complete'),
      'long command': plan('CMD: echo x >> once; sleep 60; cat once', 'GOAL: complete'),
      'needs more': plan('CMD: echo 1', 'CMD: echo 2', 'GOAL: complete\nsaw all', 'GOAL: complete\nand the new'),
      'slow start': plan(...Array.from({ length: 3 }, () => ({ text: slowWords(400), delayMs: 20 }))),
      'says the same': plan(...Array.from({ length: 8 }, () => 'CMD: cat state')),
      'costs tokens': plan(...Array.from({ length: 8 }, (_, n) => `CMD: echo ${n}`)),
      'takes time': plan(...Array.from({ length: 8 }, (_, n) => `CMD: sleep 0.6; echo ${n}`)),
      scheduled: plan('CMD: sleep 2', 'GOAL: complete'),
      'uses tools': plan(
        calling('every__echo', '{"message":"hello tool"}', 'CMD: echo first'),
        calling('every__echo', '{"wrong":1}'),
        calling('nobody__knows', '{}'),
        calling('every__get-sum', '{"a":2,"b":3}'),
        'GOAL: complete',
      ),
      'only wrong calls': plan(...Array.from({ length: 6 }, () => calling('nobody__knows', '{}'))),
      'quiet one': plan('CMD: sleep 0.2', 'GOAL: complete'),
      'one that lasts': plan('CMD: sleep 60', 'GOAL: complete'),
    }),
    async () => {
      dir = await mkdtemp(join(tmpdir(), 'aish-norris-'));
      server = await EverythingServer.start('streamableHttp');
      const servers = { every: { url: server.url, auto_approve: ['echo'], trusted: true } };
      return { env: { MCP_SERVERS: JSON.stringify(servers) } };
    },
  );

  afterAll(
    () =>
      closeAll(
        () => server?.stop(),
        () => rm(dir, { recursive: true, force: true }),
      ),
    60_000,
  );

  const give = (text: string, more: object = {}): Promise<Goal> =>
    running.stack.client.json(Goal, 'POST', '/v1/goals', { text, ...more });
  const post = (path: string, body: object = {}): Promise<Response> => running.stack.client.request('POST', path, body);
  const verdict = async (decision: Decision, body: object): Promise<void> => {
    const answer = await post(`/v1/decisions/${decision.id}/verdict`, body);
    if (!answer.ok) throw new Error(await answer.text());
  };
  /** Returns the model's last prompt for a goal. */
  const lastPrompt = (text: string): string =>
    running.model.requests
      // The general prompt may contain the same words.
      .filter(({ messages }) => messages.some(({ role, content }) => role !== 'system' && content.includes(text)))
      .at(-1)
      ?.messages.map(({ role, content }) => `${role}: ${content}`)
      .join('\n\n') ?? '';
  const online = (...args: string[]) =>
    aish({ url: running.stack.client.url, tokenFile: join(running.stack.dir, 'token') }, args);

  it(
    verifies('goal.multi-line'),
    async () => {
      const { id } = await give('here document');
      const goal = await running.stack.client.until(id, 'done');
      expect(goal.actions).toHaveLength(2);
      expect(goal.actions[1]?.outcome?.output).toBe('CMD: rm -rf /\nGOAL: blocked no\n');
    },
    60_000,
  );

  it(
    verifies('halt.edit'),
    async () => {
      const { id } = await give('one removal, edit');
      const decision = await running.stack.client.decisionOf(id);
      const nothing = await post(`/v1/decisions/${decision.id}/verdict`, { verdict: 'edit' });
      expect(nothing.status).toBe(400);
      // The replacement is judged like any other command, and halts again.
      await verdict(decision, { verdict: 'edit', command: 'rm -rf a/x' });
      const again = await running.stack.client.decisionOf(id);
      expect(again).toMatchObject({ action: 'rm -rf a/x', actionId: decision.actionId });
      await verdict(again, { verdict: 'edit', command: 'ls a', message: 'look first' });
      const goal = await running.stack.client.until(id, 'done');
      expect(goal.actions.map((action) => action.outcome?.output)).toEqual(['', 'x\n', 'a\n']);
      expect(goal.decisions.map(({ verdict, edited }) => [verdict, edited])).toEqual([
        ['edit', 'rm -rf a/x'],
        ['edit', 'ls a'],
      ]);
      expect(lastPrompt('one removal, edit')).toContain(
        '[aish] action changed by user: ls a\ninstead of: rm -rf a/x\nlook first',
      );
    },
    60_000,
  );

  it(
    verifies('halt.grants'),
    async () => {
      const { id, sessionId } = await give('three removals');
      const first = await running.stack.client.decisionOf(id);
      await verdict(first, { verdict: 'proceed', grant: 'rule' });
      // The command for b runs under the grant, which is removed while the command before the next removal sleeps.
      await eventually('the second removal ran', async () => (await running.stack.client.goal(id)).actions.length >= 4);
      const { items } = await running.stack.client.json(GrantList, 'GET', `/v1/goals/${id}/grants`);
      expect(items).toMatchObject([
        { scope: 'rule', ruleId: first.classification?.ruleId, createdBy: 'admin', revokedAt: null },
      ]);
      expect(items[0]?.uses).toBeGreaterThanOrEqual(1);
      const listed = await online('grant', 'list', id);
      expect(listed.stdout).toContain(String(items[0]?.ruleId));
      expect((await online('grant', 'remove', id, String(items[0]?.id))).code).toBe(0);
      await wakeCommand(sessionId);
      const next = await running.stack.client.decisionOf(id);
      expect(next.action).toBe('rm -rf d');
      await verdict(next, { verdict: 'skip' });
      await running.stack.client.until(id, 'done');
      const { events } = await readEvents(running.stack.client, sessionId, ({ events: seen }) =>
        seen.some(({ body }) => body.type === 'goal.changed' && body.state === 'done'),
      );
      expect(events.map(({ body }) => body.type)).toEqual(expect.arrayContaining(['grant.used', 'grant.revoked']));
    },
    60_000,
  );

  it(
    verifies('halt.expiry'),
    async () => {
      const skipped = await give('one removal, skipped by nobody', { haltExpiry: { afterMs: 1_000, verdict: 'skip' } });
      const aborted = await give('one removal, ended by nobody', { haltExpiry: { afterMs: 1_000, verdict: 'abort' } });
      const proceed = await post('/v1/goals', { text: 'x', haltExpiry: { afterMs: 1_000, verdict: 'proceed' } });
      expect(proceed.status).toBe(400);
      const goal = await running.stack.client.until(skipped.id, 'done');
      expect(goal.decisions[0]).toMatchObject({ verdict: 'skip', decidedBy: 'expiry' });
      expect(goal.actions[2]?.outcome?.output).toBe('a\n');
      expect(await running.stack.client.until(aborted.id, 'aborted')).toMatchObject({ reason: 'aborted by expiry' });
    },
    60_000,
  );

  it(
    verifies('goal.check'),
    async () => {
      const proved = await give('has a check', { verify: 'test -e done && echo proved' });
      const goal = await running.stack.client.until(proved.id, 'done');
      expect(goal).toMatchObject({ verified: true, checksFailed: 1, summary: 'now it is there' });
      const checks = goal.actions.filter((action) => action.kind === 'command' && action.isCheck === true);
      expect(checks.map((check) => [check.outcome?.exitCode, check.outcome?.output])).toEqual([
        [1, ''],
        [0, 'proved\n'],
      ]);
      expect(lastPrompt('has a check')).toContain('its check failed (1 of at most 3 times)');

      const never = await give('never proved', { verify: 'false' });
      expect(await running.stack.client.until(never.id, 'blocked')).toMatchObject({
        reason: 'its check failed 3 times: false',
        verified: false,
      });
      const plain = await give('quiet one, unproved');
      expect(await running.stack.client.until(plain.id, 'done')).toMatchObject({ verify: null, verified: false });
      expect((await online('show', plain.id)).stdout).toContain('done, unverified');
    },
    60_000,
  );

  it(
    verifies('goal.check-proposed'),
    async () => {
      const { id } = await give('proposes a check', { proposeCheck: true });
      const decision = await running.stack.client.decisionOf(id);
      expect(decision).toMatchObject({ kind: 'check', action: 'test -e proof', actionId: null });
      await verdict(decision, { verdict: 'proceed' });
      const goal = await running.stack.client.until(id, 'done');
      expect(goal).toMatchObject({ verify: 'test -e proof', verified: true });
      expect(lastPrompt('proposes a check')).toContain('[aish] The goal has a check now: test -e proof');
    },
    60_000,
  );

  it(
    verifies('goal.pause'),
    async () => {
      const { id, sessionId } = await give('long command');
      await eventually('its command runs', () => running.stack.client.firstCommandRuns(id));
      const askedAt = Date.now();
      expect((await online('pause', id)).stdout).toContain('paused');
      expect(await running.stack.client.goal(id)).toMatchObject({ state: 'paused', reason: 'paused by admin' });
      expect(Date.now() - askedAt).toBeLessThan(10_000);
      // The command ends by itself. The sweeper does not start the paused goal in several rounds.
      await wakeCommand(sessionId);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      expect((await running.stack.client.goal(id)).state).toBe('paused');
      expect((await online('resume', id)).code).toBe(0);
      const goal = await running.stack.client.until(id, 'done');
      expect(goal.actions[0]).toMatchObject({ state: 'finished', outcome: { output: 'x\n' } });
    },
    60_000,
  );

  it(
    verifies(
      'goal.pause',
      'pausing a goal with --stop kills its command, and the model learns of it when the goal resumes',
    ),
    async () => {
      const { id } = await give('long command, stopped');
      await eventually('its command runs', () => running.stack.client.firstCommandRuns(id));
      expect((await online('pause', id, '--stop')).stdout).toContain('paused');
      expect((await online('resume', id)).code).toBe(0);
      const goal = await running.stack.client.until(id, 'done');
      expect(goal.actions[0]?.outcome).toMatchObject({ output: '', cancelled: true });
    },
    60_000,
  );

  it('a goal can pause in the middle of an answer, and requests the answer again when it resumes', async () => {
    const { id } = await give('slow start, paused');
    const asked = () =>
      running.model.requests.filter(({ messages }) => messages.some((m) => m.content === 'slow start, paused'));
    await eventually('the model talks', async () => asked().some(({ state }) => state === 'open'));
    expect((await post(`/v1/goals/${id}/pause`)).ok).toBe(true);
    expect((await running.stack.client.goal(id)).state).toBe('paused');
    await eventually('the model is let go', async () => asked().every(({ state }) => state !== 'open'));
    expect(asked()).toHaveLength(1);
    expect((await post(`/v1/goals/${id}/resume`)).ok).toBe(true);
    await eventually('the model talks again', async () => asked().some(({ state }) => state === 'open'));
    expect(asked()).toHaveLength(2);
    await post(`/v1/goals/${id}/cancel`);
  }, 60_000);

  it('a stopped answer is stored and sent to the model, and it is stored even if the goal is cancelled', async () => {
    const { id } = await give('slow start, kept');
    const asked = () =>
      running.model.requests.filter(({ messages }) => messages.some((m) => m.content === 'slow start, kept'));
    const stepOf = async (n: number) => (await running.stack.client.goal(id)).steps.find((step) => step.n === n);
    await eventually('the model talks', async () => asked().some(({ state }) => state === 'open'));
    await sleep(1_000);
    await post(`/v1/goals/${id}/pause`);
    await eventually('it is kept', async () => (await stepOf(1))?.text?.startsWith('word word ') === true);
    expect(await running.stack.client.goal(id)).toMatchObject({ state: 'paused', stepsTaken: 1 });
    expect((await online('show', id)).stdout).toContain('word word ');
    await post(`/v1/goals/${id}/resume`);
    await eventually('the model talks again', async () => asked().length === 2);
    expect(lastPrompt('slow start, kept')).toMatch(/assistant: word word [^]*A person stopped your answer there/);
    await sleep(1_000);
    await post(`/v1/goals/${id}/cancel`);
    await eventually('it is kept, too', async () => (await stepOf(2))?.text?.startsWith('word word ') === true);
    expect((await running.stack.client.goal(id)).state).toBe('aborted');
  }, 60_000);

  it(
    verifies('goal.continue'),
    async () => {
      const { id } = await give('needs more', { stepBudget: 1 });
      await running.stack.client.until(id, 'exhausted');
      const early = await give('quiet one, continued too early');
      expect(await (await post(`/v1/goals/${early.id}/continue`)).json()).toMatchObject({ code: 'goal_not_ended' });
      expect((await online('resume', id, '--steps', '4', '-m', 'take your time')).code).toBe(0);
      const goal = await running.stack.client.until(id, 'done');
      expect(goal).toMatchObject({ stepsTaken: 3, stepBudget: 5, summary: 'saw all' });
      expect(lastPrompt('needs more')).toContain('with at most 4 more steps.\ntake your time');
      // A done goal continues only with new work.
      expect(await (await post(`/v1/goals/${id}/continue`)).json()).toMatchObject({ code: 'goal_done' });
      expect((await online('resume', id, 'now', 'the new one')).code).toBe(0);
      expect(await running.stack.client.until(id, 'done')).toMatchObject({ summary: 'and the new' });
      expect(lastPrompt('needs more')).toContain('more steps.\nnow the new one');
    },
    60_000,
  );

  it(
    verifies('goal.archive'),
    async () => {
      const { id, number, sessionId } = await give('one that lasts, to be archived');
      expect((await online('delete', id)).stderr).toMatch(/Cancel it first/);
      await wakeCommand(sessionId);
      await running.stack.client.until(id, 'done');
      expect((await online('archive', id)).code).toBe(0);
      const listed = async (...args: string[]) =>
        GoalList.parse(JSON.parse((await online('goals', '--json', ...args)).stdout)).items.map((goal) => goal.number);
      expect(await listed()).not.toContain(number);
      expect(await listed('--archived', '--before', String(number + 1))).toEqual([number]);
      expect((await online('unarchive', id)).code).toBe(0);
      expect(await listed()).toContain(number);
      expect((await online('delete', id)).code).toBe(0);
      expect((await online('show', id)).stderr).toMatch(/no goal/);
    },
    60_000,
  );

  it(
    verifies('goal.edit'),
    async () => {
      const { id } = await give('slow start');
      await eventually('the model talks', async () =>
        running.model.requests.some(
          ({ messages, state }) => state === 'open' && messages.some((m) => m.content === 'slow start'),
        ),
      );
      expect((await online('edit', id, '--text', 'something quicker')).code).toBe(0);
      await eventually('the model gets the new text', async () =>
        lastPrompt('slow start').includes('From now on it is:\nsomething quicker'),
      );
      expect((await running.stack.client.goal(id)).text).toBe('something quicker');
      await post(`/v1/goals/${id}/cancel`);
    },
    60_000,
  );

  it(
    verifies('goal.budgets'),
    async () => {
      const tokens = await give('costs tokens', { tokenBudget: 10 });
      const time = await give('takes time', { timeBudgetMs: 1_000 });
      const byTokens = await running.stack.client.until(tokens.id, 'exhausted');
      expect(byTokens.reason).toBe('the budget of 10 tokens is used up');
      expect(byTokens.stepsTaken).toBeLessThan(8);
      const byTime = await running.stack.client.until(time.id, 'exhausted');
      expect(byTime.reason).toBe('the budget of 1 s is used up');
      expect(byTime.activeMs).toBeGreaterThan(1_000);
      expect(byTime.stepsTaken).toBeLessThan(8);
    },
    60_000,
  );

  it(
    verifies('goal.repeats'),
    async () => {
      const { id } = await give('says the same');
      const decision = await running.stack.client.decisionOf(id);
      expect(decision.reason).toBe('the model asks for this for the 5th time');
      expect((await running.stack.client.goal(id)).actions.map(({ state }) => state)).toEqual([
        ...Array.from({ length: 4 }, () => 'finished'),
        'halted',
      ]);
      expect(lastPrompt('says the same')).toContain('You have asked for this 3 times: cat state');
      await verdict(decision, { verdict: 'abort' });
    },
    60_000,
  );

  it(
    verifies('goal.schedules'),
    async () => {
      const made = await online('norris', '--every', '* * * * * *', 'scheduled', '--json');
      const schedule = Schedule.parse(JSON.parse(made.stdout));
      const never = await post('/v1/schedules', { cron: 'now and then', goal: { text: 'x' } });
      expect(await never.json()).toMatchObject({ code: 'invalid_body' });
      const goals = async () =>
        (await running.stack.client.json(GoalList, 'GET', '/v1/goals')).items.filter(
          ({ text }) => text === 'scheduled',
        );
      await eventually('two of its goals are done', async () => {
        const ended = (await goals()).filter(({ state }) => state === 'done');
        return ended.length >= 2;
      });
      // A goal takes longer than a second, so the schedule skipped some times.
      const [listed] = (await running.stack.client.json(ScheduleList, 'GET', '/v1/schedules')).items;
      expect(listed).toMatchObject({ id: schedule.id, overlap: 'skip', nextAt: expect.any(String) });
      expect(listed?.skipped).toBeGreaterThan(0);
      for (const goal of await goals()) expect(goal.scheduleId).toBe(schedule.id);
      expect((await online('schedule', 'remove', `s-${schedule.number}`)).code).toBe(0);
      await eventually('the last one is over', async () => (await goals()).every(({ state }) => state === 'done'));
      const count = (await goals()).length;
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      expect(await goals()).toHaveLength(count);
    },
    60_000,
  );

  it('the next goal of a schedule with overlap queue waits for the previous one', async () => {
    const schedule = await running.stack.client.json(Schedule, 'POST', '/v1/schedules', {
      cron: '* * * * * *',
      overlap: 'queue',
      goal: { text: 'scheduled in a row' },
    });
    const goals = async () =>
      (await running.stack.client.json(GoalList, 'GET', '/v1/goals')).items.filter(
        ({ scheduleId }) => scheduleId === schedule.id,
      );
    await eventually('one waits for its turn', async () =>
      (await goals()).some(({ state, waitingFor }) => state === 'waiting' && waitingFor === 'turn'),
    );
    await running.stack.client.request('DELETE', `/v1/schedules/${schedule.id}`);
    await eventually('all are done, one after the other', async () =>
      (await goals()).every(({ state }) => state === 'done'),
    );
    const ended = (await Promise.all((await goals()).map(({ id }) => running.stack.client.goal(id)))).toSorted(
      (a, b) => a.number - b.number,
    );
    for (const [n, goal] of ended.entries()) {
      const before = ended[n - 1];
      if (before === undefined) continue;
      expect(Date.parse(String(goal.steps[0]?.startedAt))).toBeGreaterThanOrEqual(Date.parse(String(before.endedAt)));
    }
  }, 90_000);

  it(
    verifies('goal.tools'),
    async () => {
      const { id } = await give('uses tools');
      // A tool that nobody approved needs a verdict.
      const decision = await running.stack.client.decisionOf(id);
      expect(decision).toMatchObject({ kind: 'halt', action: 'every.get-sum {"a":2,"b":3}' });
      await verdict(decision, { verdict: 'proceed' });
      const goal = await running.stack.client.until(id, 'done');
      expect(goal.actions.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
        'command finished',
        'tool finished',
        'tool skipped',
        'tool skipped',
        'tool finished',
      ]);
      expect(goal.actions[1]).toMatchObject({
        label: 'every.echo',
        result: { text: 'Echo: hello tool', isError: false },
      });
      expect(goal.actions[4]?.result?.text).toContain('5');
      const prompt = lastPrompt('uses tools');
      // Results of calls directly follow the answer that requested them, and everything else comes after them.
      expect(prompt).toMatch(/Echo: hello tool[\s\S]*\[exec\] \$ echo first/);
      expect(prompt).toContain('do not fit the schema');
      expect(prompt).toContain('There is no tool nobody__knows');

      const wrong = await give('only wrong calls');
      expect(await running.stack.client.until(wrong.id, 'stalled')).toMatchObject({
        reason: 'its tool calls could not be made 4 times in a row',
      });
    },
    60_000,
  );

  it(
    verifies('goal.export'),
    async () => {
      const { id, number } = await give('quiet one, exported', { verify: 'true' });
      await running.stack.client.until(id, 'done');
      const markdown = await online('export', String(number));
      expect(markdown.stdout).toMatch(/^# Goal \d+ · fast · up to 16 steps\n\n> quiet one, exported\n/);
      expect(markdown.stdout).toMatch(/```\n\$ true\n```\n\n[^]*- exit 0 · [^]*## ✓ done\n\n[^]*- done, verified/);
      const json = await online('export', String(number), '--format', 'json');
      expect(GoalDetail.parse(JSON.parse(json.stdout))).toMatchObject({ id, state: 'done', verified: true });
    },
    60_000,
  );

  it(
    verifies('goal.breaks'),
    async () => {
      const { id } = await give('quiet one, broken');
      await running.stack.client.until(id, 'done');
      // Unreadable rows simulate unexpected errors.
      const database = new pg.Client({ connectionString: running.stack.database.url });
      await database.connect();
      await database.query(`update goals set offered = '{"x":1}', state = 'queued', ended_at = null where id = $1`, [
        id,
      ]);
      await database.end();
      const goal = await running.stack.client.until(id, 'failed');
      expect(goal.reason).toBe('something went wrong; the log says more');
    },
    90_000,
  );
});

import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { plan, plans } from '../support/plan.js';
import { verifies } from '../requirements.js';
import { scriptedStack } from '../support/scripted-stack.js';

describe('a command that destroys what was there, though its words do not say so', () => {
  const running = scriptedStack(
    plans({
      tidy: plan('CMD: rm none', 'CMD: cp /etc/passwd old; cd /tmp', 'CMD: pwd; cat /workspace/old', 'GOAL: complete'),
      report: plan(
        'CMD: echo hi > new.txt',
        'CMD: cat > report.md <<EOF\nall is well\nEOF',
        'CMD: ls | tee list',
        'CMD: mv new.txt newer.txt && cp -f report.md newer.txt',
        'CMD: echo again > report.md; sort -o list list; cat newer.txt report.md',
        'GOAL: complete',
      ),
      over: plan('CMD: rm none', 'CMD: echo mine > old', 'CMD: cat old', 'GOAL: complete'),
    }),
    { env: { SANDBOX_LAYERS: 'on' } },
  );

  it(verifies('halt.depends', 'nothing was there'), async () => {
    const { client } = running.stack;
    const { id } = await client.createGoal('report: write what is new');
    const goal = await client.until(id, 'done');
    expect(goal.decisions).toEqual([]);
    expect(goal.actions.map(({ classification }) => classification?.held)).toEqual([true, true, true, true, true]);
    expect(goal.actions.at(-1)?.outcome?.output).toBe('all is well\nagain\n');
  });

  it(verifies('halt.depends', 'something was there'), async () => {
    const { client } = running.stack;
    const { id, sessionId } = await client.createGoal('over: write what is old');
    const first = await client.decisionOf(id);
    const path = `/v1/sessions/${sessionId}/files/file?path=old`;
    await client.request('PUT', path, 'precious', { 'content-type': 'application/octet-stream' });
    await client.decide(first.number, 'skip');
    const { number, difference } = await client.decisionOf(id);
    expect(difference).toMatchObject({ effects: { changed: { paths: ['old'] } }, held: { overwritten: { files: 1 } } });
    await client.decide(number, 'skip');
    expect((await client.until(id, 'done')).actions.at(-1)?.outcome?.output).toBe('precious');
  });

  it.each([
    ['proceed', /^\/tmp\nroot:/, /looked at it and kept it/],
    ['skip', /^\/workspace\nprecious$/, /rolled back by user[^]*mind the file[^]*rolled back: ~1 file/],
    ['abort', null, null],
  ] as const)(verifies('halt.held', '%s'), async (verdict, printed, told) => {
    const { stack, model } = running;
    const { client } = stack;
    const { id, sessionId } = await client.createGoal(`tidy: then ${verdict}`);
    const first = await client.decisionOf(id);
    const path = `/v1/sessions/${sessionId}/files/file?path=old`;
    const asFile = { 'content-type': 'application/octet-stream' };
    expect((await client.request('PUT', path, 'precious', asFile)).status).toBe(204);
    await client.decide(first.number, 'skip');

    const question = await client.decisionOf(id);
    expect(question).toMatchObject({
      kind: 'halt',
      action: 'cp /etc/passwd old; cd /tmp',
      reason: 'it overwrote 1 file (8 B) that were there before',
      difference: { held: { verdict: 'waiting' }, effects: { changed: { files: 1, paths: ['old'] } } },
    });
    expect((await client.request('PUT', path, 'x', asFile)).status).toBe(409);
    const refused = await client.request('POST', `/v1/decisions/${question.number}/verdict`, {
      verdict: 'edit',
      command: 'ls',
    });
    expect(refused.status).toBe(400);
    const services = [stack.sandbox, stack.api, ...stack.workers];
    await Promise.all(services.map((service) => service.kill('SIGKILL')));
    await Promise.all(services.map((service) => service.start()));

    await client.decide(question.number, verdict, verdict === 'skip' ? 'mind the file' : undefined);
    if (printed === null) {
      await client.until(id, 'aborted');
      // Until the worker has seen to it.
      await eventually(
        'it is rolled back',
        async () => (await (await client.request('GET', path)).text()) === 'precious',
      );
      return;
    }
    const goal = await client.until(id, 'done');
    expect(goal.actions.at(-1)?.outcome?.output).toMatch(printed);
    expect(goal.actions).toHaveLength(3);
    const heard = model.requests.findLast(({ messages }) => messages[1]?.content === goal.text)?.messages ?? [];
    expect(heard.map(({ content }) => content).join('\n')).toMatch(told);
  });
});

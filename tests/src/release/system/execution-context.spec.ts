import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { DecisionList, type Decision } from '@aish/contracts/decisions';
import { Goal } from '@aish/contracts/goals';
import { NewToken } from '@aish/contracts/tokens';
import { verifies } from '../../requirements.js';
import { aish } from '../../support/aish.command.js';
import { ApiClient } from '../../support/api.client.js';
import { ChatClient, bodiesOf } from '../../support/chat.client.js';
import { eventually } from '../../support/eventually.js';
import { plan, plans } from '../../support/plan.js';
import { scriptedStack } from '../../support/scripted-stack.js';

const SANDBOX_TOKEN = 'a-token-of-this-suite-that-is-long-enough';
const TRAP =
  'mkdir -p bin build; for name in rm ls grep; do echo "touch /workspace/pwned; echo fake" >> bin/$name; done; ' +
  'chmod +x bin/rm bin/ls bin/grep';
const SPRING = 'export PATH=/workspace/bin:$PATH';

describe('the execution context of commands', () => {
  let chat: ChatClient;
  let helper: ApiClient;

  const running = scriptedStack(
    plans({
      'a trap': plan(
        `CMD: ${TRAP}`,
        `CMD: ${SPRING}`,
        'CMD: rm -r build',
        'CMD: ls',
        'CMD: ls',
        'CMD: unset PATH',
        'CMD: ls',
        'GOAL: complete',
      ),
      'a proof': plan(`CMD: ${TRAP}`, `CMD: ${SPRING}`, 'GOAL: complete', 'GOAL: blocked it is not proved'),
      'another folder': plan(
        'CMD: mkdir -p a/x b/x; cd a',
        'CMD: rm -rf x',
        'CMD: rm -rf x',
        'CMD: cd ../b',
        'CMD: rm -rf x',
        'GOAL: complete',
      ),
      'changed while waiting': plan('CMD: mkdir x', 'CMD: rm -r x', 'GOAL: complete'),
      'a destructive check': plan(
        'CMD: mkdir keep other',
        'GOAL: complete',
        'GOAL: complete',
        'CMD: ls',
        'GOAL: blocked',
      ),
      // The person's message is the command that the model runs.
      'run: ': (messages) => {
        const lastMessage = messages.at(-1)?.content ?? '';
        return {
          text: lastMessage.includes('run: ') ? `CMD: ${lastMessage.slice(lastMessage.indexOf('run: ') + 5)}` : 'Well.',
        };
      },
    }),
    { env: { CONFIRM_CMD: 'false', SANDBOX_TOKEN } },
  );
  beforeAll(async () => {
    const { client } = running.stack;
    chat = new ChatClient(client);
    const made = await client.json(NewToken, 'POST', '/v1/tokens', { name: 'helper', scopes: ['operate'] });
    helper = new ApiClient(client.url, made.token);
  });

  const cli = (...args: string[]) =>
    aish({ url: running.stack.client.url, tokenFile: join(running.stack.dir, 'token') }, args);
  const give = (text: string, more: object = {}): Promise<Goal> =>
    running.stack.client.json(Goal, 'POST', '/v1/goals', { text, ...more });
  const verdict = async ({ id }: Decision, body: object): Promise<void> => {
    const answer = await running.stack.client.request('POST', `/v1/decisions/${id}/verdict`, body);
    if (!answer.ok) throw new Error(await answer.text());
  };
  const pathOf = ({ executionContext }: Decision) =>
    executionContext?.variables.find(({ name }) => name === 'PATH')?.value;

  it(
    verifies('halt.execution-context', 'a changed PATH is shown, makes all later commands unknown, and is not used'),
    async () => {
      const { client } = running.stack;
      const { id, number } = await give('a trap');
      const removal = await client.decisionOf(id);
      expect(removal).toMatchObject({ action: 'rm -r build', executionContext: { folder: '/workspace' } });
      expect(pathOf(removal)).toMatch(/^\/workspace\/bin:\/usr/);
      const shown = await cli('show', `d${removal.number}`);
      expect(shown.stdout).toContain('  in /workspace\n  earlier commands set PATH=/workspace/bin:/usr');
      expect(JSON.parse((await cli('show', `d${removal.number}`, '--json')).stdout)).toMatchObject({
        executionContext: removal.executionContext,
      });
      await verdict(removal, { verdict: 'proceed' });
      const listing = await client.decisionOf(id);
      expect(listing).toMatchObject({ action: 'ls', classification: { verdict: 'unknown' } });
      await verdict(listing, { verdict: 'proceed' });
      const again = await client.decisionOf(id);
      const decided = await cli('decide', `d${again.number}`, 'proceed', '--carried');
      expect(decided.stdout).toContain('proceed by admin, with the variables of earlier commands');
      await verdict(await client.decisionOf(id), { verdict: 'proceed', carried: true });
      const goal = await client.until(id, 'done');
      const outputs = goal.actions.slice(3).map(({ outcome }) => outcome?.output);
      expect(outputs).toEqual(['bin\n', 'fake\n', '', 'bin\npwned\n']);
      expect((await cli('watch', String(number))).stdout).toContain(
        '    earlier commands set PATH=/workspace/bin:/usr',
      );
    },
    120_000,
  );

  it(
    verifies('halt.execution-context', 'the check of a goal uses the programs of the image'),
    async () => {
      const { id } = await give('a proof', { verify: 'grep -q passed result.txt' });
      const goal = await running.stack.client.until(id, 'blocked');
      const check = goal.actions.find((action) => action.kind === 'command' && action.isCheck === true);
      expect(check).toMatchObject({ state: 'finished', outcome: { exitCode: 2 } });
    },
    120_000,
  );

  it(
    verifies(
      'halt.execution-context',
      'a change of the execution context between the question and the start makes aish ask again',
    ),
    async () => {
      const { client } = running.stack;
      const { id, sessionId } = await give('changed while waiting');
      const asked = await client.decisionOf(id);
      expect(asked.executionContext?.variables).toEqual([]);
      const elsewhere = await fetch(new URL('/v1/runs', running.stack.sandbox.healthUrl), {
        method: 'POST',
        headers: { authorization: `Bearer ${SANDBOX_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ runId: randomUUID(), workspaceId: sessionId, command: SPRING, hostFolders: [] }),
      });
      expect(await elsewhere.text()).toContain('"exitCode":0');
      await verdict(asked, { verdict: 'proceed' });
      const again = await client.decisionOf(id);
      expect(again.reason).toMatch(
        /^the folder, the variables or the files changed since you were asked: deletes files/,
      );
      expect(pathOf(again)).toMatch(/^\/workspace\/bin:/);
      await verdict(again, { verdict: 'proceed' });
      const goal = await client.until(id, 'done');
      expect(goal.actions.at(-1)).toMatchObject({ command: 'rm -r x', state: 'finished', outcome: { exitCode: 0 } });
    },
    120_000,
  );

  it(
    verifies('halt.execution-context', 'a grant does not cover another folder'),
    async () => {
      const { client } = running.stack;
      const { id } = await give('another folder');
      const first = await client.decisionOf(id);
      expect(first.executionContext).toMatchObject({ folder: '/workspace/a' });
      await verdict(first, { verdict: 'proceed', grant: 'command' });
      const second = await client.decisionOf(id);
      expect(second).toMatchObject({ action: 'rm -rf x', executionContext: { folder: '/workspace/b' } });
      await verdict(second, { verdict: 'proceed' });
      const { grants, actions } = await client.until(id, 'done');
      expect([grants.map(({ uses }) => uses), actions.length]).toEqual([[1], 5]);
    },
    120_000,
  );

  it(
    verifies('halt.execution-context', 'a chat shows the execution context, and asks again if it has changed'),
    async () => {
      const { client } = running.stack;
      const { id } = await chat.create();
      const questionOf = (): Promise<Decision> =>
        eventually('a question', async () => {
          const { items } = await client.json(DecisionList, 'GET', '/v1/decisions');
          return items.find(({ sessionId }) => sessionId === id);
        });
      const outputOf = async (command: string, more: object): Promise<string | undefined> => {
        const exchange = chat.exchange(id, `run: ${command}`);
        const asked = await questionOf();
        expect(pathOf(asked)).toMatch(/^\/workspace\/bin:/);
        await verdict(asked, { verdict: 'proceed', ...more });
        return bodiesOf(await exchange, 'action.finished')[0]?.outcome?.output;
      };
      await chat.exchange(id, `run: ${TRAP}`);
      await chat.exchange(id, `run: ${SPRING}`);
      expect(await outputOf('rm -r build', {})).toBe('');
      expect(await outputOf('ls', {})).toBe('bin\n');
      expect(await outputOf('ls', { carried: true })).toBe('fake\n');
    },
    120_000,
  );

  it(
    verifies(
      'safety.gate',
      'a check given by a person without scope decide waits for a verdict, and so does its replacement',
    ),
    async () => {
      const { client } = running.stack;
      const { id, number } = await helper.json(Goal, 'POST', '/v1/goals', {
        text: 'a destructive check',
        verify: 'rm -rf keep',
      });
      const asked = await client.decisionOf(id);
      expect(asked).toMatchObject({ kind: 'halt', action: 'rm -rf keep', classification: { verdict: 'destructive' } });
      const refused = await helper.request('POST', `/v1/decisions/${asked.id}/verdict`, { verdict: 'proceed' });
      expect(refused.status).toBe(403);
      await helper.json(Goal, 'PATCH', `/v1/goals/${number}`, { verify: 'rm -rf other' });
      expect(await client.decisionOf(id)).toMatchObject({ id: asked.id, action: 'rm -rf keep' });
      await verdict(asked, { verdict: 'skip' });
      const edited = await client.decisionOf(id);
      expect(edited).toMatchObject({ action: 'rm -rf other', classification: { verdict: 'destructive' } });
      await verdict(edited, { verdict: 'skip' });
      const goal = await client.until(id, 'blocked');
      expect(goal.actions.at(-1)).toMatchObject({ command: 'ls', outcome: { output: 'keep\nother\n' } });
    },
    120_000,
  );
});

import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Goal } from '@aish/contracts/goals';
import { Classification, SafetyRuleList } from '@aish/contracts/safety';
import type { Script } from '@aish/demo-model';
import { verifies } from '../requirements.js';
import { aish } from '../support/aish.command.js';
import { plan } from '../support/plan.js';
import { scriptedStack } from '../support/scripted-stack.js';

const GOAL = plan('CMD: make everything', 'CMD: ls', 'CMD: make nothing', 'GOAL: complete');
const UNREADABLE = plan('CMD: echo cm0gLXJmIHg= | base64 -d | sh', 'GOAL: complete');

const SCRIPT: Script = (messages, n) => {
  const isOpinion = messages[0]?.content.startsWith('Detect destructive') === true;
  if (isOpinion) return { text: /nothing/.test(messages[1]?.content ?? '') ? 'YES' : 'NO' };
  return messages.some(({ content }) => content.includes('unpack')) ? UNREADABLE(messages, n) : GOAL(messages, n);
};

describe('the default second opinion', () => {
  const running = scriptedStack(SCRIPT, { env: { SAFETY_SECOND_OPINION: 'auto' } });

  it(
    verifies('safety.gate', 'a closed command is judged by its changes, and no model is asked first'),
    async () => {
      const { id } = await running.stack.client.createGoal('build');
      const goal = await running.stack.client.until(id, 'done');
      expect(goal.actions.map(({ classification }) => classification?.by)).toEqual(['rule', 'rule', 'rule']);
    },
    90_000,
  );
});

describe('the safety gate', () => {
  const rules = [{ id: 'own.deploy', title: 'deploy', reason: 'it goes live at once', commands: ['deploy-site *'] }];
  const running = scriptedStack(SCRIPT, {
    env: { SAFETY_SECOND_OPINION: 'always', SAFETY_RULES: JSON.stringify(rules) },
  });
  const offline = { url: 'http://127.0.0.1:1', tokenFile: '/nonexistent' };

  const online = (...args: string[]) =>
    aish({ url: running.stack.client.url, tokenFile: join(running.stack.dir, 'token') }, args);

  it(
    verifies('safety.gate', 'a goal halts if the second opinion says YES, and the HALT says so'),
    async () => {
      const { id } = await running.stack.client.createGoal('build');
      const decision = await running.stack.client.decisionOf(id);
      expect(decision).toMatchObject({
        action: 'make nothing',
        classification: { by: 'second-opinion', verdict: 'destructive' },
      });
      await running.stack.client.decide(decision.number, 'skip');
      const goal = await running.stack.client.until(id, 'done');
      expect(goal.actions.map(({ classification }) => classification?.by)).toEqual([
        'second-opinion',
        'second-opinion',
        'second-opinion',
      ]);
    },
    90_000,
  );

  it(
    verifies('safety.gate', 'an unreadable command runs in its layer, and its goal halts after it destroyed something'),
    async () => {
      const { client } = running.stack;
      const { id, sessionId } = await client.json(Goal, 'POST', '/v1/goals', { text: 'unpack', paused: true });
      const file = `${client.url}/v1/sessions/${sessionId}/files/file?path=x`;
      const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/octet-stream' };
      expect((await fetch(file, { method: 'PUT', headers, body: 'mine' })).status).toBe(204);
      await client.request('POST', `/v1/goals/${id}/resume`);
      const decision = await client.decisionOf(id);
      expect(decision).toMatchObject({
        action: 'echo cm0gLXJmIHg= | base64 -d | sh',
        reason: expect.stringContaining('deleted 1 file'),
      });
      await client.decide(decision.number, 'skip');
      await client.until(id, 'done');
      expect(await (await fetch(file, { headers })).text()).toBe('mine');
    },
    90_000,
  );

  it(
    verifies('safety.probe', "aish safety check prints the gate's verdict, with its exit codes"),
    async () => {
      expect(await online('safety', 'check', 'ls', '-la')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('safe'),
      });
      expect(await online('safety', 'check', 'rm -rf /srv')).toMatchObject({
        code: 3,
        stdout: expect.stringContaining('destructive'),
      });
      expect((await online('safety', 'check', 'deploy-site now')).code).toBe(3);
      // The model also judges tool calls.
      const calls = ['everything', 'nothing'].map((what, id) =>
        JSON.stringify({ id, name: 'lab__frob', args: { what } }),
      );
      const asked = await aish(
        { url: running.stack.client.url, tokenFile: join(running.stack.dir, 'token') },
        ['safety', 'check', '--stdin', '--json'],
        `${calls.join('\n')}\n`,
      );
      expect(
        asked.stdout
          .trim()
          .split('\n')
          .map((line) => (JSON.parse(line) as { verdict: string }).verdict),
      ).toEqual(['unknown', 'destructive']);
      const json = await online('safety', 'check', '--json', 'bash -c "rm -rf x"');
      expect(Classification.parse(JSON.parse(json.stdout))).toMatchObject({ verdict: 'destructive', by: 'rule' });
      const patterns = SafetyRuleList.parse(JSON.parse((await online('safety', 'list', '--json')).stdout));
      expect(patterns.items.map(({ id }) => id)).toContain('own.deploy');
    },
    60_000,
  );

  it(
    verifies('safety.probe', 'aish safety check judges many commands and tool calls offline, as JSON lines'),
    async () => {
      const lines = [
        { id: 1, cmd: 'rm -rf x' },
        { id: 'b', cmd: 'ls' },
        { id: 3, cmd: '"$what" -rf x' },
        { id: 4, name: 'files__write_file', args: { path: 'a' } },
      ];
      const input = `${lines.map((line) => JSON.stringify(line)).join('\n')}\nnot json\n`;
      const { code, stdout, stderr } = await aish(
        offline,
        ['safety', 'check', '--stdin', '--json', '--offline'],
        input,
      );
      expect([code, stderr]).toEqual([0, '']);
      const answers = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(answers.map(({ id, verdict }) => [id, verdict])).toEqual([
        [1, 'destructive'],
        ['b', 'safe'],
        [3, 'unknown'],
        [4, 'destructive'],
        [null, 'unknown'],
      ]);
      expect(answers[0]).toMatchObject({ reason: expect.any(String), ruleId: expect.any(String) });
      expect((await aish(offline, ['safety', 'check', '--offline', '$x'])).code).toBe(4);
    },
    60_000,
  );
});

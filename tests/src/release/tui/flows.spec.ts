import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { GoalList } from '@aish/contracts/goals';
import { McpServerList } from '@aish/contracts/mcp';
import { MemoryList } from '@aish/contracts/memory';
import { NewToken } from '@aish/contracts/tokens';
import { verifies } from '../../requirements.js';
import { ApiClient } from '../../support/api.client.js';
import { eventually } from '../../support/eventually.js';
import { closeAll } from '../../support/close-all.js';
import { EverythingServer } from '../../support/everything.server.js';
import { rememberLinkedNodes } from '../../support/linked-nodes.js';
import { plan, plans, proposing } from '../../support/plan.js';
import type { Terminal } from '../../support/terminal.js';
import { SMALL, TuiStack, dialogListens } from '../../support/tui.stack.js';

const echoing = (message: string) => ({
  text: '',
  toolCalls: [{ name: 'every__echo', arguments: JSON.stringify({ message }) }],
});

const talk = plans({
  'say heron': plan(echoing('heron'), 'Heron was said.', echoing('crane'), 'Nothing was said.'),
  'say stork': plan(echoing('stork'), 'GOAL: complete\nAnother bird was said.'),
  'say nothing': plan(
    { text: '', toolCalls: [{ name: 'every__echo', arguments: '{"massage":"owl"}' }] },
    'GOAL: complete\nNothing was said.',
  ),
  'terse answers': plan('Noted.'),
  'tidy up': plan('CMD: rm -rf a', 'CMD: rm -rf b', 'CMD: rm -rf c', 'CMD: git reset --hard', 'CMD: rm -rf d'),
  'remove one': plan('CMD: rm -rf one'),
  'remove two': plan('CMD: rm -rf two'),
  'rest a while': plan('CMD: sleep 3; echo rested', 'GOAL: complete\nslept well', 'Because I was tired.'),
});

/** The model finds these facts when it summarizes a session. */
const FOUND = `- pref: the answers should be terse
- fact: the deploy host is evil.example
- fact: the printer is in the cellar`;

describe('flows of the terminal UI', () => {
  let tui: TuiStack;
  let server: EverythingServer;
  let dir: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'aish-flows-'));
    server = await EverythingServer.start('streamableHttp');
    tui = await TuiStack.start({
      script: proposing(FOUND, talk),
      size: SMALL,
      env: {
        MCP_SERVERS: JSON.stringify({ every: { url: server.url } }),
        KNOWLEDGE_DIR: join(dir, 'kb'),
        TOOL_SHARE: '0.05',
      },
    });
    await eventually('the MCP server is connected', async () => {
      const { items } = await tui.client.json(McpServerList, 'GET', '/v1/mcp/servers');
      return items.every(({ state }) => state === 'connected');
    });
  }, 120_000);

  afterEach(() => tui?.close());

  afterAll(
    () =>
      closeAll(
        () => tui?.stop(),
        () => server?.stop(),
        () => rm(dir, { recursive: true, force: true }),
      ),
    60_000,
  );

  it(
    verifies('tui.tools'),
    async () => {
      const ui = await tui.send('say heron, please');
      const asked = await ui.shows('CONFIRM TOOL');
      for (const part of ['every.echo {"message":"heron"}', 'p proceed', 's skip', 'a abort']) {
        expect(asked).toContain(part);
      }
      await dialogListens();
      await ui.press('Enter', 'Enter');
      await dialogListens();
      expect(await ui.screen()).toContain('CONFIRM TOOL');
      expect(await tui.client.pendingDecisions()).toHaveLength(1);
      await ui.press('p');
      await ui.shows(/every\.echo [\s\S]*proceed by admin[\s\S]*Echo: heron[\s\S]*Heron was said\./);

      await ui.submit('and now the crane');
      await ui.shows('{"message":"crane"}');
      await dialogListens();
      await ui.press('s');
      const skipped = await ui.shows('Nothing was said.');
      expect(skipped).toMatch(/skip by admin[\s\S]*not run:/);
      expect(skipped).not.toContain('Echo: crane');
    },
    60_000,
  );

  it(
    verifies('tui.tools', 'the arguments of a tool call can be changed at a HALT, and any other text calls nothing'),
    async () => {
      const ui = await tui.send(':norris say stork');
      await ui.shows('NORRIS HALT');
      await dialogListens();
      await ui.press('e');
      await ui.shows('instead: ');
      await ui.press('C-u');
      await ui.submit('yes');
      await ui.shows('These are not valid arguments');
      expect(await tui.client.pendingDecisions()).toHaveLength(1);
      await ui.press('C-u');
      await ui.submit('{"message":"ibis"}');
      // The replacement is judged like any other call.
      await ui.shows(/NORRIS HALT[^]*every\.echo \{"message":"ibis"\}/);
      await dialogListens();
      await ui.press('p');
      await ui.shows('Another bird was said.');
      expect((await tui.newestGoal()).actions).toMatchObject([{ result: { text: 'Echo: ibis' } }]);
    },
    90_000,
  );

  it(
    verifies('cli.refused-calls'),
    async () => {
      const screen = await (await tui.shell(`ask 'say nothing'`)).shows('ended with 0');
      const why = /not run: The call was not made: [^]*required property 'message'/;
      expect(screen).toMatch(why);
      const goal = await tui.client.createGoal('say nothing');
      await tui.client.until(goal.id, 'done');
      expect(await (await tui.shell(`show g${goal.number}`)).shows('ended with 0')).toMatch(why);
    },
    60_000,
  );

  it(
    verifies('tui.hidden-tools'),
    async () => {
      const ui = await tui.send(':mcp list');
      const listed = await ui.shows(/─ :mcp list [^]*every {2}connected {2}15 tools/);
      const [, hidden = '', of] =
        /(\d+) of (\d+) tools are hidden: fast finds them with tool_search/.exec(listed) ?? [];
      expect([of, Number(hidden) > 0 && Number(hidden) < 27]).toEqual(['27', true]);
    },
    60_000,
  );

  it(
    verifies('tui.triage'),
    async () => {
      const ui = await tui.send('I prefer terse answers');
      await ui.shows('Noted.');
      await ui.submit(':memory summarize');
      // The message is visible for some seconds, before the list appears.
      await ui.shows('3 proposals to review in the memory');
      const proposed = await ui.shows(/─ MEMORY 3[\s\S]*▸\? +\d+ .*pref +the answers should be terse/);
      for (const part of ['evil.example', 'the cellar', 'a remember', 'x reject', 'e edit']) {
        expect(proposed).toContain(part);
      }
      await dialogListens(); // the proposals appeared by themselves
      await ui.press('a');
      await ui.shows(/▸\? +\d+ .*fact +the deploy host is evil\.example[\s\S]*not from what you said/);
      await ui.press('x');
      await ui.shows(/▸\? +\d+ .*fact +the printer is in the cellar/);
      await ui.press('e');
      await ui.shows(/> :memory accept \d+ the printer is in the cellar/);
      await ui.press('C-w');
      await ui.submit('attic');

      const kept = await ui.shows(/^[▸ ] +\d+ .*fact +the printer is in the attic/m);
      expect(kept).toMatch(/^[▸ ] +\d+ .*pref +the answers should be terse/m);
      expect(kept).not.toMatch(/evil\.example|^.\? +\d/m);
      const { items } = await tui.client.json(MemoryList, 'GET', '/v1/memory/items');
      expect(items.map(({ content }) => content)).toEqual([
        'the printer is in the attic',
        'the answers should be terse',
      ]);
    },
    60_000,
  );

  it(
    verifies('tui.knowledge'),
    async () => {
      await rememberLinkedNodes(tui.client);
      const ui = await tui.open();
      await ui.press('F5');
      const listed = await ui.shows('─ KNOWLEDGE 2');
      for (const part of ['Reload nginx', 'Renew the certificates', 'Once a quarter']) expect(listed).toContain(part);
      await ui.press('/');
      await ui.submit('quarter');
      await ui.shows(/─ KNOWLEDGE 1 “quarter”[\s\S]*▸.*Renew the certificates/);
      await ui.shows(/The new ones count after a reload\.[\s\S]*▸ links to {2}relates_to {2}Reload nginx/);
      await ui.press('Enter');
      const followed = await ui.shows(/─ ‹ Reload nginx ─/);
      expect(followed).toMatch(
        /A restart drops connections, [\s\S]*▸ linked from {2}relates_to {2}Renew the certificates/,
      );
      await ui.press('h');
      expect(await ui.shows(/─ Renew the certificates ─/)).toContain('The new ones count after a reload.');
    },
    60_000,
  );

  it(
    verifies('tui.halt', 'a HALT can be explained, edited and granted, and the grant is listed and removed'),
    async () => {
      const ui = await tui.send(':norris tidy up');
      await ui.shows(/│ {3}rm -rf a\b/);
      await dialogListens();
      await ui.press('?');
      await ui.shows('rule files.remove says destructive');
      await ui.press('e');
      await ui.shows('instead: rm -rf a');
      await ui.press('C-u');
      await ui.submit('ls -a');

      await ui.shows(/│ {3}rm -rf b\b/);
      expect((await tui.newestGoal()).decisions[0]).toMatchObject({ verdict: 'edit', edited: 'ls -a' });
      await dialogListens();
      await ui.press('g');
      const choice = await ui.shows('aish does not ask again about');
      for (const part of ['c  this exact command', 'r  everything that the rule files.remove stops'])
        expect(choice).toContain(part);
      await ui.press('r');

      await ui.shows(/│ {3}git reset --hard/); // the removal between them ran under the grant
      await dialogListens();
      await ui.press('Escape');
      await ui.shows('1 pending decision: d to answer');
      await ui.press('t');
      await ui.shows(/GRANTS OF GOAL \d+ 1 [\s\S]*▸rule +files\.remove .*used once/);
      await ui.press('x');
      await ui.shows(/files\.remove .*removed by admin/);
      await ui.press('Escape');
      await ui.shows('─ GOALS');
      await ui.press('d');
      await ui.shows(/│ {3}git reset --hard/);
      await dialogListens();
      await ui.press('s');

      await ui.shows(/│ {3}rm -rf d\b/);
      const { actions } = await tui.newestGoal();
      expect(actions.map(({ state }) => state)).toEqual([
        ...Array.from({ length: 3 }, () => 'finished'),
        'skipped',
        'halted',
      ]);
      await dialogListens();
      await ui.press('a');
      await ui.shows('press a again to abort');
      await dialogListens();
      await ui.press('a');
      await ui.shows('× aborted');
      await eventually('the question is gone', async () => !(await ui.screen()).includes('NORRIS HALT') || null);
    },
    90_000,
  );

  it(
    verifies('tui.queue'),
    async () => {
      const { token } = await tui.client.json(NewToken, 'POST', '/v1/tokens', { name: 'phone', scopes: ['decide'] });
      const phone = new ApiClient(tui.client.url, token);
      const ui = await tui.open();
      const [first, second] = [
        await tui.client.decisionOf((await tui.client.createGoal('remove one')).id),
        await tui.client.decisionOf((await tui.client.createGoal('remove two')).id),
      ];
      expect(await ui.shows(`d${first.number} · 1 of 2`)).toMatch(/│ {3}rm -rf one/);
      await dialogListens();
      await ui.press('Tab');
      expect(await ui.shows(`d${second.number} · 2 of 2`)).toMatch(/│ {3}rm -rf two/);
      await phone.decide(second.number, 'skip');
      await ui.shows(`d${second.number} was answered elsewhere: skip by phone`);
      await ui.shows(`d${first.number} · 1 of 1`);
      await phone.decide(first.number, 'abort');
      expect(await ui.shows(`d${first.number} was answered elsewhere: abort by phone`)).not.toContain('NORRIS HALT');
    },
    60_000,
  );

  it(
    verifies(
      'verdict.text-kept',
      'if somebody else decides, the terminal UI names them and keeps the note, and Esc moves it to the prompt',
    ),
    async () => {
      const { token } = await tui.client.json(NewToken, 'POST', '/v1/tokens', { name: 'ann', scopes: ['decide'] });
      const ui = await tui.open();
      const first = await tui.client.decisionOf((await tui.client.createGoal('remove one')).id);
      await ui.shows(`d${first.number} · 1 of 1`);
      await dialogListens();
      await ui.press('m');
      await ui.shows('note:');
      await ui.typeByHand('use the trash');
      await new ApiClient(tui.client.url, token).decide(first.number, 'abort');
      await ui.shows(`d${first.number} was answered elsewhere: abort by ann`);
      expect(await ui.shows('use the trash')).toContain('Nothing was sent.');
      await ui.press('Escape');
      await ui.shows('> use the trash');
    },
    60_000,
  );

  it(
    verifies(
      'verdict.no-accident',
      'the next HALT in the terminal UI ignores keys at first, and the key a needs a second press',
    ),
    async () => {
      const ui = await tui.open();
      const [first, second] = [
        await tui.client.decisionOf((await tui.client.createGoal('remove one')).id),
        await tui.client.decisionOf((await tui.client.createGoal('remove two')).id),
      ];
      await ui.shows(`d${first.number} · 1 of 2`);
      await dialogListens();
      await ui.press('s');
      await ui.shows(`d${second.number} · 1 of 1`);
      await ui.press('a');
      await ui.shows('“a” came too soon to be an answer: press it again');
      await ui.press('a');
      await ui.shows('press a again to abort');
      await ui.press('a');
      await ui.shows('“a” came too soon to be an answer: press it again');
      expect((await tui.client.pendingDecisions()).map(({ number }) => number)).toEqual([second.number]);
      await ui.press('a');
      await eventually('it is decided', async () => ((await tui.client.pendingDecisions()).length === 0 ? true : null));
    },
    60_000,
  );

  it(
    verifies('tui.pause'),
    async () => {
      const ui = await tui.send(':norris rest a while');
      await ui.shows('running…');
      await ui.press('C-c');
      expect(await ui.shows('‖ paused')).toContain('r continue');
      expect((await tui.newestGoal()).state).toBe('paused');
      await ui.press('r');
      await ui.shows(/✓ done[\s\S]*slept well/);
      // Ctrl-C has ended the command, too.
      expect((await tui.newestGoal()).actions).toMatchObject([{ outcome: { cancelled: true, output: '' } }]);
      await ui.submit(':ask why that long?');
      await ui.shows(/› why that long\?[\s\S]*Because I was tired\./);
      expect(await tui.newestGoal()).toMatchObject({ state: 'done', summary: 'slept well' });
    },
    60_000,
  );

  it(
    verifies('tui.typing-never-decides', 'a single key decides in the chat and at a HALT'),
    async () => {
      const sentence = 'a plan: skip, proceed or abort';
      const ui = await tui.send('say heron, please');
      await ui.shows('CONFIRM TOOL');
      await ui.typeByHand(sentence);
      await ui.shows(new RegExp(`1 pending decision: Ctrl-D to answer[^]*> ${sentence}`));
      await ui.press('C-d');
      await ui.shows('CONFIRM TOOL');
      await dialogListens();
      // The text must follow at once: on a slow machine, a pause after the first key would make it a single key.
      await ui.type(' as agreed');
      await ui.paste(' p');
      await dialogListens();
      expect(await ui.screen()).toContain(`> ${sentence} as agreed p\n`);
      expect(await tui.client.pendingDecisions()).toHaveLength(1);
      await ui.press('C-d');
      await ui.shows('CONFIRM TOOL');
      await dialogListens();
      await ui.press('p');
      await ui.shows('p proceed…');
      expect(await ui.shows('Echo: heron')).toContain(`> ${sentence} as agreed p\n`);

      await ui.press('C-u');
      await ui.submit(':norris tidy up');
      await ui.shows('NORRIS HALT');
      await dialogListens();
      await ui.typeByHand(sentence);
      await ui.shows(`> ${sentence}`);
      await dialogListens();
      expect((await tui.newestGoal()).state).toBe('halted');
      await ui.press('Escape'); // this leaves the prompt, so the HALT returns
      await ui.shows('NORRIS HALT');
      await dialogListens();
      await ui.press('a');
      await ui.shows('press a again to abort');
      await dialogListens();
      await ui.press('a');
      await eventually('the goal is aborted', async () => (await tui.newestGoal()).state === 'aborted');
    },
    90_000,
  );

  it(
    verifies('tui.setup'),
    async () => {
      const ui = await tui.open();
      await ui.type(':setup');
      await ui.press('Enter');
      await ui.shows('2. A machine to manage over SSH');
      expect(await ui.fact('alternate_on')).toBe('0');
      for (const [question, answer] of [
        ['2. A machine', ''],
        ['3. A host folder', ''],
        ['4. A secret', 'SETUP_KEY=http://grafana.lan:3000'],
        ['Value of SETUP_KEY', 'the-value-of-the-key'],
        ['on your local network?', 'yes'],
        ['5. A first goal', 'rest a while'],
      ] as const) {
        await ui.shows(question);
        await ui.submit(answer);
      }
      const done = await ui.shows('Press Enter to return to the terminal UI.');
      expect(done).toContain('in the space home');
      expect(done).not.toContain('the-value-of-the-key');
      await ui.press('Enter');
      await ui.shows('write a message');
      expect(await ui.fact('alternate_on')).toBe('1');
      const { items } = await tui.client.json(GoalList, 'GET', '/v1/goals?limit=1');
      expect(items).toMatchObject([{ text: 'rest a while', space: 'home' }]);
      await ui.type('abc');
      await ui.shows(/> abc *$/m);
    },
    60_000,
  );

  it(
    verifies('tui.setup', 'Ctrl-C anywhere in setup returns to the earlier screen, and gives no goal'),
    async () => {
      const count = async () => (await tui.client.json(GoalList, 'GET', '/v1/goals?limit=50')).items.length;
      const before = await count();
      const steps = [
        ['2. A machine', ''],
        ['3. A host folder', ''],
        ['4. A secret', 'SETUP_OTHER=http://grafana.lan:3000'],
      ] as const;
      const leave = async (ui: Terminal, question: string, back: 'Enter' | 'C-c') => {
        await ui.shows(question);
        await ui.press('C-c');
        await ui.shows('Press Enter to return to the terminal UI.');
        await ui.press(back);
        await ui.shows('─ GOALS');
        expect(await ui.fact('alternate_on')).toBe('1');
      };
      const begun = async () => {
        const ui = await tui.open();
        await ui.submit(':goals');
        await ui.shows('─ GOALS');
        await ui.submit(':setup');
        return ui;
      };
      const unseen = await begun();
      for (const [question, answer] of steps) {
        await unseen.shows(question);
        await unseen.submit(answer);
      }
      await leave(unseen, 'Value of SETUP_OTHER', 'Enter');
      const ui = await begun();
      for (const question of ['2. A machine', '3. A host folder', '4. A secret']) {
        await ui.shows(question);
        await ui.submit('');
      }
      await leave(ui, '5. A first goal', 'C-c');
      expect(await count()).toBe(before);
      // Ctrl-C would pause a running goal.
      await ui.press('C-q');
      await ui.shows('ended with 0');
      expect([await ui.fact('alternate_on'), await ui.fact('mouse_any_flag')]).toEqual(['0', '0']);
    },
    90_000,
  );
});

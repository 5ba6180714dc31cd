import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SessionList } from '@aish/contracts/chat';
import { Decision } from '@aish/contracts/decisions';
import { GoalList } from '@aish/contracts/goals';
import { NetworkPolicy } from '@aish/contracts/network';
import { ScheduleList } from '@aish/contracts/schedules';
import { verifies } from '../../requirements.js';
import { aish } from '../../support/aish.command.js';
import { eventually } from '../../support/eventually.js';
import { plan, plans } from '../../support/plan.js';
import type { Terminal } from '../../support/terminal.js';
import { SMALL, TuiStack, dialogListens } from '../../support/tui.stack.js';

/** The output has ten megabytes, much more than the goal keeps. */
const FORMAT = 'line %.0f of a hundred thousand, as long as the lines of a log are: abcdefghijklmnopqrstuvwxyz';
const LONG = `seq -f '${FORMAT}' 1 100000; printf '\\033[31mred\\033[0m \\033[44;5mplain\\033[0m \\033[2Jend'`;

/** This matches a row of the list that is reversed from its marker on, including its text. */
const ESC = String.fromCharCode(27);
const REVERSED_ROW = new RegExp(
  `^${ESC}\\[7m(?:${ESC}\\[[\\d;]*m)*▸.*${ESC}\\[(?:\\d+;)*7m(?:${ESC}\\[[\\d;]*m)*[^${ESC}]*clean up`,
);

const script = plans({
  'count far': plan(`CMD: ${LONG}`, 'GOAL: complete\ncounted'),
  'clean up': plan('CMD: rm -rf build', 'GOAL: complete\nit was kept'),
  // This answer comes before the chat in which the goal is given, because the goal's prompt contains the chat.
  'paint it': plan('GOAL: ask Which colour?', 'GOAL: complete\nIt is green.', 'GOAL: complete\nIt is green twice.'),
  'two words': plan('Two words, then.'),
  'read along': plan('CMD: ls -a', 'CMD: cat /etc/debian_version', 'All is read.'),
  'look twice': plan('CMD: echo one heron', 'CMD: echo two herons', 'GOAL: complete\nBoth were seen.'),
  'clear both': plan('CMD: rm -rf left', 'CMD: rm -rf right'),
  'sweep up': plan('CMD: rm -rf dust\nGOAL: complete\nIt is gone.', 'GOAL: complete\nIt stays.'),
});

/** A day's work of people who know lazygit, k9s and Claude Code. */
describe('a day in the terminal UI', () => {
  let tui: TuiStack;

  beforeAll(async () => {
    tui = await TuiStack.start({ script, size: SMALL });
  }, 120_000);

  afterEach(async () => {
    await tui?.close();
    for (const { number } of (await tui?.client.pendingDecisions()) ?? []) await tui.client.decide(number, 'abort');
  });

  /** Closes a page with Esc, and waits: a key right after it would count as Alt and that key. */
  async function closePage(ui: Terminal): Promise<void> {
    await ui.press('Escape');
    await eventually('the page is closed', async () => !(await ui.screen()).includes('─ :'));
  }

  afterAll(() => tui?.stop(), 60_000);

  it(
    verifies('tui.output'),
    async () => {
      const ui = await tui.send(':norris count far');
      await ui.shows('✓ done');
      expect(await ui.screenWithColours()).toMatch(/\[(?:\d+;)*31mred\b/);
      expect(await ui.screen()).toContain('red plain end');
      await ui.press('o');
      await ui.shows(/1\/100001 · \/ looks/);
      await ui.press('G');
      expect(await ui.shows('line 99999 ')).toContain('red plain end');
      await ui.press('PageUp');
      await eventually('the end is out of sight', async () => !(await ui.screen()).includes('red plain end'));
      await ui.press('/');
      await ui.type('line 77777 ');
      await ui.shows(/77777\/100001/);
      await ui.press('Enter');
      await ui.press('N');
      expect(await ui.screen()).toContain('line 77777 of a hundred');
      await ui.press('g');
      await ui.shows('line 1 of');
      await ui.press('Escape');
      await ui.shows('✓ done');
    },
    90_000,
  );

  it(
    verifies('tui.menus'),
    async () => {
      const ui = await tui.open();
      await ui.press('F2');
      await ui.shows(/▸ +1 ✓ done/);
      await ui.press('Enter');
      const menu = await ui.shows('ACTIONS FOR g1');
      for (const each of ['the full history of a goal', 'archive it', 'delete it']) expect(menu).toContain(each);
      await ui.type('archive it');
      await ui.shows(/▸A /);
      await ui.press('Enter');
      await ui.shows('No goals yet');
      await ui.press('C-p');
      await ui.type('list goals');
      await ui.shows(':goals  ');
      await ui.press('Escape');
      await ui.submit(':goals --archived');
      await ui.shows('count far');
      await ui.submit(':restore g1');
      await ui.shows(/▸ +1 ✓ done/);
      await ui.press('?');
      await ui.shows('KEYS IN GOALS');
      await ui.press('F2');
      await ui.press('D');
      await ui.shows('delete goal g1');
      await dialogListens();
      await ui.press('y');
      await ui.shows('No goals yet');
      expect((await tui.client.json(GoalList, 'GET', '/v1/goals')).items).toEqual([]);
    },
    90_000,
  );

  it(
    verifies('tui.menus', 'a chat can be renamed, forked and deleted with keys'),
    async () => {
      const ui = await tui.send('two words, please');
      await ui.shows('Two words, then.');
      await ui.press('F6');
      await ui.shows(/▸c\d+ .*two words, please/);
      await ui.press('R');
      await ui.shows(/:rename c\d+/);
      await ui.submit('the heron');
      await ui.shows(/▸c\d+ .*the heron/);
      await ui.press('f');
      const chats = async () => (await tui.client.json(SessionList, 'GET', '/v1/sessions?kind=chat')).items;
      await eventually('there are two', async () => (await chats()).length === 2);
      const [, chosen] = /▸(c\d+) /.exec(await ui.shows('the heron (fork)')) ?? [];
      await ui.press('D');
      await ui.shows(`delete chat ${chosen} and its files`);
      await dialogListens();
      await ui.press('y');
      const [left, ...others] = await eventually('there is one', async () => {
        const items = await chats();
        return items.length === 1 ? items : null;
      });
      expect([`c${left?.number}` === chosen, left?.title, others]).toEqual([
        false,
        expect.stringContaining('the heron'),
        [],
      ]);
    },
    90_000,
  );

  it(
    verifies('tui.skip-says-why'),
    async () => {
      const ui = await tui.send(':norris clean up');
      await ui.shows('NORRIS HALT');
      await dialogListens();
      await ui.press('m');
      await ui.shows('note:');
      await ui.submit('the build is wanted');
      await ui.shows('your note: “the build is wanted”');
      await dialogListens();
      await ui.press('s');
      await ui.shows('✓ done');
      const { decisions } = await tui.newestGoal();
      expect(decisions.map((each) => Decision.parse(each).message)).toEqual(['the build is wanted']);
    },
    90_000,
  );

  it(
    verifies('tui.one-conversation'),
    async () => {
      const ui = await tui.send('two words, please');
      await ui.shows('Two words, then.');
      await ui.submit(':norris');
      await ui.shows('what is the goal?');
      await ui.submit('--steps 5 paint it');
      await ui.shows(/NORRIS QUESTION[^]*Which colour\?/);
      await dialogListens();
      await ui.press('p');
      await ui.shows(/^ *answer:/m);
      await ui.submit('green');
      await ui.press('Enter');
      await ui.shows('✓ done');
      const { number, stepBudget } = await tui.newestGoal();
      expect(stepBudget).toBe(5);
      await ui.press('F1');
      await ui.shows(/two words, please[^]*It is green\./);
      await ui.submit(`:continue g${number} a second coat`);
      await ui.press('F2');
      await ui.shows('It is green twice.');
    },
    90_000,
  );

  it(
    verifies('tui.reads'),
    async () => {
      const ui = await tui.send('read along');
      const read = await ui.shows('All is read.');
      expect(read).toMatch(/\$ ls -a[^]*\$ cat \/etc\/debian_version/);
      expect(read).not.toContain('proceed by');
    },
    60_000,
  );

  it(
    verifies('tui.not-complete'),
    async () => {
      const ui = await tui.send(':norris sweep up');
      await ui.shows('NORRIS HALT');
      await dialogListens();
      await ui.press('s');
      await ui.shows('It stays.');
      const { number, state, stepsTaken, decisions } = await tui.newestGoal();
      expect([state, stepsTaken]).toEqual(['done', 2]);
      // The commands accept names of things, and older names if they are unambiguous.
      const asked = Decision.parse(decisions[0]).number;
      for (const name of [`g${number}`, `d${asked}`, `d-${asked}`]) {
        await ui.submit(`:show ${name}`);
        await ui.shows(new RegExp(`─ :show ${name} [^]*rm -rf dust`));
        await closePage(ui);
      }
    },
    90_000,
  );

  it(
    verifies('tui.picked-up'),
    async () => {
      const ui = await tui.open();
      await ui.press('F2');
      await ui.press('n');
      await ui.shows('> :norris');
      await ui.type('half a goal');
      await ui.shows('half a goal');
      await ui.signal('SIGHUP');
      await ui.shows('ended with 129');
      const again = await tui.reopen();
      expect(await again.shows(':norris half a goal')).toContain('GOALS');
      await again.press('C-c', 'C-q');
      await again.shows('ended with 0');
      expect(await (await tui.reopen()).screen()).not.toContain('half a goal');
    },
    60_000,
  );

  it(
    verifies('tui.names'),
    async () => {
      const ui = await tui.send('two words, please');
      await ui.shows('Two words, then.');
      const [chat] = (await tui.client.json(SessionList, 'GET', '/v1/sessions?kind=chat&limit=1')).items;
      const goal = await tui.client.createGoal('look twice');
      await tui.client.until(goal.id, 'done');
      for (const name of [`${goal.number}.2`, `g${goal.number}.2`]) {
        await ui.submit(`:show ${name}`);
        expect(await ui.shows(new RegExp(`─ :show ${name} [^]*echo two herons`))).not.toContain('one heron');
        await closePage(ui);
      }
      await ui.submit(':clear');
      await eventually('the chat is gone', async () => !(await ui.screen()).includes('Two words, then.'));
      await ui.submit(`:rename c${chat?.number} the crane`);
      await eventually('it is renamed', async () => {
        const { items } = await tui.client.json(SessionList, 'GET', '/v1/sessions?kind=chat');
        return items.some(({ number, title }) => number === chat?.number && title === 'the crane');
      });
      await closePage(ui);
      await ui.submit(`:resume c${chat?.number}`);
      await ui.shows('Two words, then.');
    },
    90_000,
  );

  it(
    verifies('tui.keys-of-goals'),
    async () => {
      const ui = await tui.send(':norris clean up');
      await ui.shows('NORRIS HALT');
      await dialogListens();
      await ui.press('Escape');
      const { id, number, sessionId } = await tui.newestGoal();
      await ui.press('P');
      await ui.shows('it is normal: high, normal or low?');
      await ui.shows(`> :set g${number} --priority`);
      await ui.submit('high');
      await eventually('it is first', async () => (await tui.client.goal(id)).priority === 'high');
      await ui.press('N');
      await ui.shows(`> :set g${number} --network`);
      await ui.submit('wiki.example.org:443');
      const reached = () => tui.client.json(NetworkPolicy, 'GET', `/v1/sessions/${sessionId}/network`);
      await eventually('it is reached', async () => (await reached()).mode !== 'none');
      expect(await reached()).toMatchObject({ rules: [{ host: 'wiki.example.org', ports: [443] }] });
      await ui.press('Enter');
      await ui.type('in another space');
      await ui.shows('run the same goal again, or in another space');
      await ui.press('Enter');
      await ui.shows(`> :norris --priority high clean up`);
      await ui.press('C-c');
      const hasSchedules = (count: number) =>
        eventually(`${count} schedules`, async () => {
          const { items } = await tui.client.json(ScheduleList, 'GET', '/v1/schedules');
          return items.length === count;
        });
      await ui.submit(':schedule add "0 3 * * *" look twice');
      await hasSchedules(1);
      // A list of one line is shown as a message, not as a page.
      await ui.submit(':schedule add "0 4 * * *" two words');
      await hasSchedules(2);
      await ui.press('C-p');
      await ui.type('schedule list');
      await ui.shows(/▸:schedule list {2}/);
      await ui.press('Enter');
      await ui.shows(/─ :schedule list[^]*\b0 3 \* \* \*[^]*look twice/);
    },
    90_000,
  );

  it(
    verifies('tui.not-asked-again'),
    async () => {
      const ui = await tui.send('clear both, please');
      await ui.shows(/CONFIRM COMMAND[^]*rm -rf left/);
      await ui.shows('g don’t ask');
      await dialogListens();
      await ui.press('g');
      expect(await ui.shows('aish does not ask again about')).toMatch(
        /For the rest of this chat[^]*r {2}everything that the rule files\.remove stops/,
      );
      await ui.press('r');
      await ui.shows(/granted for this rule[^]*exit 0/);
      await ui.submit('and the right one');
      expect(await ui.shows(/\$ rm -rf right[^]*exit 0/)).not.toContain('CONFIRM');
      expect(await tui.client.pendingDecisions()).toEqual([]);
      // In this step, another chat asks.
      await ui.submit(':clear');
      await ui.submit('clear both, please');
      await ui.shows(/CONFIRM COMMAND[^]*rm -rf left/);
      await dialogListens();
      await ui.press('s');
    },
    90_000,
  );

  it(
    verifies('tui.lit'),
    async () => {
      const ui = await tui.send(':norris clean up');
      await ui.shows('NORRIS HALT');
      await dialogListens();
      await ui.press('v');
      const screen = await ui.shows('preview:');
      const dialog = screen.slice(screen.indexOf('NORRIS HALT')).split('\n');
      const rowsOf = (part: string) => dialog.flatMap((each, row) => (each.includes(part) ? [row] : []));
      expect([rowsOf('rm -rf build').length, rowsOf('p proceed').length, rowsOf('exit code').length]).toEqual([
        1, 1, 1,
      ]);
      await ui.press('Escape');
      await ui.shows('1 pending decision');
      const [row, ...others] = (await ui.screenWithColours()).split('\n').filter((each) => each.includes('▸'));
      expect([others, row]).toEqual([[], expect.stringMatching(REVERSED_ROW)]);
    },
    90_000,
  );

  it(
    verifies('cli.unattended'),
    async () => {
      const ui = await tui.shell(`norris 'clean up' --halt-after 5s --halt-verdict skip -w </dev/null`);
      const history = await ui.shows('ended with 0');
      expect(history).toMatch(/not run: skipped by expiry/);
      const { number, decisions } = await tui.newestGoal();
      expect(decisions).toMatchObject([{ verdict: 'skip', decidedBy: 'expiry' }]);
      const shown = await (await tui.shell(`show g${number}`)).shows('ended with 0');
      expect(shown).toContain('skip by expiry: “nobody answered in time”');
    },
    90_000,
  );

  it(
    verifies('cli.login'),
    async () => {
      const home = await mkdtemp(join(tmpdir(), 'aish-login-'));
      try {
        const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config') };
        const ui = await tui.shell(`login ${tui.client.url} --as cabin`, env);
        const shown = await ui.shows(/aish token approve [A-Z-]+\n/);
        const [, code = ''] = /aish token approve ([A-Z-]+)/.exec(shown) ?? [];
        const admin = { url: tui.client.url, tokenFile: join(tui.stack.dir, 'token') };
        expect((await aish(admin, ['token', 'approve', code, '--yes'])).code).toBe(0);
        await ui.shows(/Signed in as [^]*ended with 0/);
        const goals = await tui.shell('--profile cabin goals', env);
        await goals.shows('ended with 0');
      } finally {
        await rm(home, { recursive: true, maxRetries: 10 });
      }
    },
    90_000,
  );
});

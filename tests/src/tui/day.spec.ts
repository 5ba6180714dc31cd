import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SessionList } from '@aish/contracts/chat';
import { Decision } from '@aish/contracts/decisions';
import { GoalList } from '@aish/contracts/goals';
import { verifies } from '../requirements.js';
import { eventually } from '../support/eventually.js';
import { plan, plans } from '../support/plan.js';
import { TERMINAL_SIZES, TuiStack, dialogListens } from '../support/tui.stack.js';

/** Ten megabytes: much more than goes with the goal. */
const FORMAT = 'line %.0f of a hundred thousand, as long as the lines of a log are: abcdefghijklmnopqrstuvwxyz';
const LONG = `seq -f '${FORMAT}' 1 100000; printf '\\033[31mred\\033[0m \\033[44;5mplain\\033[0m \\033[2Jend'`;

const script = plans({
  'count far': plan(`CMD: ${LONG}`, 'GOAL: complete\ncounted'),
  'clean up': plan('CMD: rm -rf build', 'GOAL: complete\nit was kept'),
  // Before the chat that it is given in: the goal has that as its background.
  'paint it': plan('GOAL: ask Which colour?', 'GOAL: complete\nIt is green.', 'GOAL: complete\nIt is green twice.'),
  'two words': plan('Two words, then.'),
  'read along': plan('CMD: ls -a', 'CMD: cat /etc/debian_version', 'All is read.'),
  'sweep up': plan('CMD: rm -rf dust\nGOAL: complete\nIt is gone.', 'GOAL: complete\nIt stays.'),
});

/** What people do all day who came from lazygit, k9s and Claude Code. */
describe.each(TERMINAL_SIZES)('a day in the terminal UI at $width×$height', (size) => {
  let tui: TuiStack;

  beforeAll(async () => {
    tui = await TuiStack.start({ script, size });
  }, 120_000);

  afterEach(() => tui?.close());

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
      const menu = await ui.shows('WHAT TO DO WITH g1');
      for (const each of ['the whole story of a goal', 'leave it out of the lists', 'delete it'])
        expect(menu).toContain(each);
      await ui.type('lists');
      await ui.shows(/▸A /);
      await ui.press('Enter');
      await ui.shows('No goals yet');
      await ui.press('C-p');
      await ui.type('goals archived');
      await ui.shows('▸:goals archived');
      await ui.press('Enter');
      await ui.shows('count far');
      await ui.submit(':unarchive g1');
      await ui.shows(/▸ +1 ✓ done/);
      await ui.press('?');
      await ui.shows('WHAT WORKS IN GOALS');
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
    verifies('tui.menus', 'a chat is renamed, forked and deleted by its keys'),
    async () => {
      const ui = await tui.send('two words, please');
      await ui.shows('Two words, then.');
      await ui.press('F6');
      await ui.shows(/▸c\d+ .*two words, please/);
      await ui.press('R');
      await ui.shows(/:sessions rename c\d+/);
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
      await ui.shows('skip, because:');
      await ui.submit('the build is wanted');
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
      // One way to name a thing, and the older ways where they are clear.
      const asked = Decision.parse(decisions[0]).number;
      for (const name of [`g${number}`, `d${asked}`, `d-${asked}`]) {
        await ui.submit(`:show ${name}`);
        await ui.shows(new RegExp(`─ :show ${name} [^]*rm -rf dust`));
        await ui.press('Escape');
        // A key right behind Escape is Alt and that key.
        await eventually('the page is closed', async () => !(await ui.screen()).includes('─ :show'));
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
});

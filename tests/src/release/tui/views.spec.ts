import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Space } from '@aish/contracts/spaces';
import { DEMO_MODEL } from '@aish/contracts/models';
import { demoScript } from '@aish/demo-model';
import { verifies } from '../../requirements.js';
import { eventually } from '../../support/eventually.js';
import { TERMINAL_SIZES, TuiStack, dialogListens } from '../../support/tui.stack.js';

describe.each(TERMINAL_SIZES)('the views of the terminal UI at $width×$height', (size) => {
  let tui: TuiStack;

  beforeAll(async () => {
    tui = await TuiStack.start({
      script: demoScript,
      model: DEMO_MODEL,
      size,
      ownProcesses: true,
      env: { CONFIRM_READS: 'true' },
    });
  }, 120_000);

  afterEach(() => tui?.close());

  afterAll(() => tui?.stop(), 60_000);

  it(
    verifies('tui.views', 'each view of the terminal UI is one key away, and names itself'),
    async () => {
      const ui = await tui.open();
      for (const [key, text] of [
        ['F2', '─ GOALS'],
        ['F3', '─ DECISIONS'],
        ['F4', '─ MEMORY'],
        ['F5', '─ KNOWLEDGE'],
        ['F6', '─ SESSIONS'],
        ['F7', '─ HELP'],
        ['F1', 'write a message'],
      ] as const) {
        await ui.press(key);
        expect(await ui.shows(text)).toContain('? help'.slice(key === 'F7' ? 6 : 0));
      }
      await ui.submit(':desisions');
      await ui.shows('did you mean :decisions?');
    },
    60_000,
  );

  it(
    verifies('spaces.reach', 'the terminal UI changes the access of a space'),
    async () => {
      const ui = await tui.open();
      await ui.submit(':space edit home');
      await ui.shows(':space set home --network none');
      await ui.type(' --steps 7');
      await ui.press('Enter');
      await ui.shows(/changed by +admin/);
      expect(await tui.client.json(Space, 'GET', '/v1/spaces/home')).toMatchObject({ stepBudget: 7, users: null });
    },
    60_000,
  );

  it(
    verifies('tui.chat', 'a chat in the terminal UI streams, asks before a command runs, runs it, and can be resumed'),
    async () => {
      const ui = await tui.send('look around, please');
      await ui.shows('CONFIRM');
      await dialogListens();
      await ui.press('Enter'); // this is not an answer
      await ui.press('p');
      const ran = await ui.shows(/exit 0 · \d/);
      expect(ran).toContain('proceed by admin');
      await dialogListens();
      if ((await ui.screen()).includes('CONFIRM')) await ui.press('s');
      await eventually('nothing is asked', async () => !(await ui.screen()).includes('CONFIRM'));
      await ui.press('F6');
      await ui.shows(/▸c\d+ .*look around, please/);
      await ui.press('Enter');
      await ui.shows(/› look around, please[\s\S]*]> write a message/);
      await ui.press('Up'); // this returns the text that was typed before
      await ui.shows(/]> look around, please/);
    },
    90_000,
  );

  it(
    verifies('tui.memory', 'the terminal UI lists, shows and deletes memory items'),
    async () => {
      const ui = await tui.send(':remember the nas is at 10.0.0.5');
      await ui.press('F4');
      await ui.shows(/▸ +\d+ .*fact +the nas is at 10\.0\.0\.5/);
      await ui.press('x');
      await ui.shows(/forget item \d+\? y\/N/);
      await ui.press('y');
      expect(await ui.shows('Nothing is remembered yet')).not.toContain('10.0.0.5');
    },
    60_000,
  );

  it(
    verifies('tui.reconnects', 'the terminal UI says that it is offline, and continues when the api is back'),
    async () => {
      const ui = await tui.open();
      await tui.stack.api.kill('SIGKILL');
      await ui.shows('offline, retrying');
      await ui.type('half a sen'); // typing still works
      await tui.stack.api.start();
      await ui.shows('· online ·');
      expect(await ui.screen()).toContain('half a sen');
    },
    90_000,
  );

  it(
    verifies('tui.sane-terminal', 'SIGTERM restores the terminal'),
    async () => {
      const ui = await tui.open();
      await ui.signal('SIGTERM');
      expect(await ui.shows('ended with')).toContain('ended with 143');
      await ui.type('stty is here'); // the terminal echoes the text, because it is no longer raw
      await ui.shows('stty is here');
    },
    60_000,
  );

  it(
    verifies('tui.colours', 'the terminal UI writes nothing in white or black with NO_COLOR or a light background'),
    async () => {
      const ui = await tui.open({ NO_COLOR: '1' });
      await ui.press('F7');
      await ui.shows('─ HELP');
      expect(await ui.screenWithColours()).not.toMatch(/\[(?:\d;)*(?:3[0-7]|4[0-7]|9[0-7])m/);
    },
    60_000,
  );
});

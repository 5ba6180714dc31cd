import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { REHEARSAL_MODEL } from '@aish/contracts';
import { rehearsalScript, startScriptedModel, type ScriptedModel } from '@aish/rehearsal';
import { closeAll } from '../support/close-all.js';
import { verifies } from '../requirements.js';
import { eventually } from '../support/eventually.js';
import { ROOT } from '../support/service.process.js';
import { Stack } from '../support/stack.js';
import { Terminal } from '../support/terminal.js';

const COMMAND = `${process.execPath} ${ROOT}clients/tui/bin/aish.mjs`;
/** Keys are ignored for a moment after a dialog pops up. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 600));

describe.each([
  { width: 80, height: 24 },
  { width: 200, height: 50 },
])('the views at $width×$height', ({ width, height }) => {
  let model: ScriptedModel;
  let stack: Stack;
  let terminal: Terminal | null = null;

  beforeAll(async () => {
    model = await startScriptedModel({ script: rehearsalScript, model: REHEARSAL_MODEL, tokensPerSecond: 2_000 });
    stack = await Stack.start({ modelUrl: model.url, model: REHEARSAL_MODEL });
  }, 120_000);

  afterEach(async () => {
    await terminal?.close();
    terminal = null;
  });

  afterAll(
    () =>
      closeAll(
        () => stack?.stop(),
        () => model?.close(),
      ),
    60_000,
  );

  async function open(env: Record<string, string> = {}): Promise<Terminal> {
    const settings = {
      AISH_URL: stack.client.url,
      AISH_TOKEN_FILE: join(stack.dir, 'token'),
      XDG_STATE_HOME: stack.dir,
    };
    terminal = await Terminal.open(COMMAND, { width, height, env: { ...settings, ...env } });
    await terminal.shows('[aish:rehearsal]>');
    return terminal;
  }

  it(
    verifies('tui.views', 'each view is one key away, and says what it is'),
    async () => {
      const ui = await open();
      for (const [key, text] of [
        ['F2', '─ GOALS'],
        ['F3', '─ DECISIONS'],
        ['F4', '─ MEMORY'],
        ['F5', '─ KNOWLEDGE'],
        ['F6', '─ SESSIONS'],
        ['F7', '─ HELP'],
        ['F1', 'say something'],
      ] as const) {
        await ui.press(key);
        expect(await ui.shows(text)).toContain('? help'.slice(key === 'F7' ? 6 : 0));
      }
      await ui.type(':sesions');
      await ui.press('Enter');
      await ui.shows('did you mean :sessions?');
    },
    60_000,
  );

  it(
    verifies('tui.chat', 'a chat streams, asks before a command runs, runs it, and is resumed'),
    async () => {
      const ui = await open();
      await ui.type('look around, please');
      await ui.press('Enter');
      await ui.shows('CONFIRM');
      await settled();
      await ui.press('Enter'); // is no answer
      await ui.press('p');
      const ran = await ui.shows(/exit 0 · \d/);
      expect(ran).toContain('proceed by admin');
      await settled();
      if ((await ui.screen()).includes('CONFIRM')) await ui.press('s');
      await eventually('nothing is asked', async () => !(await ui.screen()).includes('CONFIRM'));
      await ui.press('F6');
      await ui.shows(/▸s\d+ .*look around, please/);
      await ui.press('Enter');
      await ui.shows(/› look around, please[\s\S]*]> say something/);
      await ui.press('Up'); // what was typed before
      await ui.shows(/]> look around, please/);
    },
    90_000,
  );

  it(
    verifies('tui.memory', 'what is remembered is listed, shown and forgotten'),
    async () => {
      const ui = await open();
      await ui.type(':remember the nas is at 10.0.0.5');
      await ui.press('Enter');
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
    verifies('tui.reconnects', 'says that it is offline, and goes on by itself when the api is back'),
    async () => {
      const ui = await open();
      await stack.api.kill('SIGKILL');
      await ui.shows('offline, retrying');
      await ui.type('half a sen'); // typing goes on meanwhile
      await stack.api.start();
      await ui.shows('· online ·');
      expect(await ui.screen()).toContain('half a sen');
    },
    90_000,
  );

  it(
    verifies('tui.sane-terminal', 'SIGTERM leaves the terminal as it was'),
    async () => {
      const ui = await open();
      await ui.signal('SIGTERM');
      expect(await ui.shows('ended with')).toContain('ended with 143');
      await ui.type('stty is here'); // echoed: the terminal is no longer raw
      await ui.shows('stty is here');
    },
    60_000,
  );

  it(
    verifies('tui.colours', 'NO_COLOR and a light background: nothing is written in white or black'),
    async () => {
      const ui = await open({ NO_COLOR: '1' });
      await ui.press('F7');
      await ui.shows('─ HELP');
      expect(await ui.screenWithColours()).not.toMatch(/\[(?:\d;)*(?:3[0-7]|4[0-7]|9[0-7])m/);
    },
    60_000,
  );
});

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

describe.each([
  { width: 80, height: 24 },
  { width: 200, height: 50 },
])('the terminal UI at $width×$height', ({ width, height }) => {
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

  async function open(): Promise<Terminal> {
    const env = { AISH_URL: stack.client.url, AISH_TOKEN_FILE: join(stack.dir, 'token') };
    terminal = await Terminal.open(COMMAND, { width, height, env });
    await terminal.shows('[aish:rehearsal]>');
    return terminal;
  }

  async function startGoal(text: string): Promise<Terminal> {
    const ui = await open();
    await ui.type(`:norris ${text}`);
    await ui.press('Enter');
    return ui;
  }

  const newest = async () => {
    const { items } = (await (await stack.client.request('GET', '/v1/goals?limit=1')).json()) as {
      items: { id: string }[];
    };
    return stack.client.goal(String(items[0]?.id));
  };

  it(
    verifies('tui.goal', 'a goal is started, its steps stream in, p lets the HALT proceed, and it ends done'),
    async () => {
      const ui = await startGoal('find the two largest files under /usr/share and delete the copies you made');
      const halt = await ui.shows('NORRIS HALT');
      for (const part of ['rm -rf copies', 'proceed', 'skip', 'abort', 'step 4/16']) expect(halt).toContain(part);
      await new Promise((resolve) => setTimeout(resolve, 600)); // keys are ignored for a moment after it pops up
      await ui.press('p');
      const done = await ui.shows('✓ done');
      expect(done).not.toContain('NORRIS HALT');
      expect((await newest()).state).toBe('done');
    },
    90_000,
  );

  it(
    verifies('tui.goal', 's skips and a aborts'),
    async () => {
      const ui = await startGoal('look around and tidy up');
      await ui.shows('NORRIS HALT');
      await new Promise((resolve) => setTimeout(resolve, 600));
      await ui.press('s');
      await ui.shows('skip by admin');
      await eventually('the goal is done', async () => (await newest()).state === 'done');
      await ui.press('n');
      await ui.type('look around and tidy up again');
      await ui.press('Enter');
      await ui.shows(/NORRIS HALT/);
      await new Promise((resolve) => setTimeout(resolve, 600));
      await ui.press('a');
      await eventually('the goal is aborted', async () => (await newest()).state === 'aborted');
      expect(await ui.shows('aborted')).not.toContain('NORRIS HALT');
    },
    120_000,
  );

  it(
    verifies('tui.enter-never-proceeds'),
    async () => {
      const ui = await startGoal('look around, enter');
      await ui.shows('NORRIS HALT');
      await new Promise((resolve) => setTimeout(resolve, 600));
      await ui.press('Enter', 'Enter', 'Space', 'y');
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect((await newest()).state).toBe('halted');
      await stack.client.decide((await stack.client.decisionOf((await newest()).id)).number, 'abort');
      await eventually('the dialog closes', async () => !(await ui.screen()).includes('NORRIS HALT'));
    },
    90_000,
  );

  it('survives a resize, shows help, and gives the terminal back', async () => {
    const ui = await open();
    await ui.resize(100, 30);
    await ui.shows('[aish:rehearsal]>');
    await ui.press('?');
    await ui.shows('COMMANDS');
    await ui.press('F1');
    await ui.press('C-q');
    expect(await ui.shows('ended with')).toContain('ended with 0');
  }, 60_000);
});

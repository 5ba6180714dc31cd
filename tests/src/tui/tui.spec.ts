import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_MODEL } from '@aish/contracts/models';
import { demoScript } from '@aish/demo-model';
import { verifies } from '../requirements.js';
import { eventually } from '../support/eventually.js';
import { TERMINAL_SIZES, TuiStack, dialogListens } from '../support/tui.stack.js';

describe.each(TERMINAL_SIZES)('the terminal UI at $width×$height', (size) => {
  let tui: TuiStack;

  beforeAll(async () => {
    tui = await TuiStack.start({ script: demoScript, model: DEMO_MODEL, size });
  }, 120_000);

  afterEach(() => tui?.close());

  afterAll(() => tui?.stop(), 60_000);

  it(
    verifies('tui.goal', 'a goal in the terminal UI starts, streams its steps, gets p at its HALT, and is done'),
    async () => {
      const ui = await tui.send(':norris find the two largest files under /usr/share and delete the copies you made');
      const halt = await ui.shows('NORRIS HALT');
      for (const part of ['rm -rf copies', 'proceed', 'skip', 'abort', 'step 4/16']) expect(halt).toContain(part);
      await dialogListens();
      await ui.press('p');
      const done = await ui.shows('✓ done');
      expect(done).not.toContain('NORRIS HALT');
      expect((await tui.newestGoal()).state).toBe('done');
    },
    90_000,
  );

  it(
    verifies('tui.goal', 'the key s skips and the key a aborts'),
    async () => {
      const ui = await tui.send(':norris look around and tidy up');
      await ui.shows('NORRIS HALT');
      await dialogListens();
      await ui.press('s');
      await ui.shows('skip by admin');
      await eventually('the goal is done', async () => (await tui.newestGoal()).state === 'done');
      await ui.press('n');
      await ui.shows('> :norris');
      await ui.submit('look around and tidy up again');
      await ui.shows(/NORRIS HALT/);
      await dialogListens();
      await ui.press('a');
      await ui.shows('press a again to abort');
      await dialogListens();
      await ui.press('a');
      await eventually('the goal is aborted', async () => (await tui.newestGoal()).state === 'aborted');
      await eventually('the dialog is gone', async () => ((await ui.screen()).includes('NORRIS HALT') ? null : true));
      expect(await ui.shows('aborted')).not.toContain('NORRIS HALT');
    },
    120_000,
  );

  it(
    verifies('tui.halt', 'the key i approves for the change window, and b takes that approval back'),
    async () => {
      const change = (windows: object[]) => tui.client.request('PATCH', '/v1/spaces/general', { windows });
      const day = new Date(Date.now() + 2 * 86_400_000).toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' });
      await change([{ days: [day.toLowerCase()], from: '00:00', to: '23:59', timezone: 'UTC' }]);
      try {
        const ui = await tui.send(':norris look around and tidy up, later');
        expect(await ui.shows('NORRIS HALT')).toContain('proceed in the change window');
        await dialogListens();
        await ui.press('i');
        await ui.shows(/runs (at|when)/);
        await ui.shows('1 pending decision');
        await ui.press('d');
        expect(await ui.shows('withdraw the approval')).toMatch(/approved by admin[\s│]*\(in the window\)/);
        await dialogListens();
        await ui.press('b');
        await eventually('it is taken back', async () => {
          const [decision] = await tui.client.pendingDecisions();
          return decision?.approval?.given.length === 0;
        });
        expect((await tui.newestGoal()).state).toBe('halted');
        await tui.client.decide((await tui.client.decisionOf((await tui.newestGoal()).id)).number, 'abort');
      } finally {
        await change([]);
      }
    },
    90_000,
  );

  it(
    verifies('tui.enter-never-proceeds'),
    async () => {
      const ui = await tui.send(':norris look around, enter');
      await ui.shows('NORRIS HALT');
      await dialogListens();
      await ui.press('Enter', 'Enter', 'Space', 'y');
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect((await tui.newestGoal()).state).toBe('halted');
      await tui.client.decide((await tui.client.decisionOf((await tui.newestGoal()).id)).number, 'abort');
      await eventually('the dialog closes', async () => !(await ui.screen()).includes('NORRIS HALT'));
    },
    90_000,
  );

  it('the terminal UI survives a resize, shows help, and restores the terminal', async () => {
    const ui = await tui.open();
    await ui.resize(100, 30);
    await ui.shows('[aish:demo]>');
    await ui.press('?');
    await ui.shows('KEYS IN CHAT');
    await ui.press('F1');
    await ui.press('C-q');
    expect(await ui.shows('ended with')).toContain('ended with 0');
  }, 60_000);
});

import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Session } from '@aish/contracts/chat';
import { verifies } from '../../requirements.js';
import { aish } from '../../support/aish.command.js';
import { eventually } from '../../support/eventually.js';
import { plan, plans } from '../../support/plan.js';
import type { Terminal } from '../../support/terminal.js';
import { SMALL, TuiStack, dialogListens } from '../../support/tui.stack.js';

const SAID = `Herons stand in the shallows and wait. ${'Then they wait again, for as long as it takes. '.repeat(6)}The end.`;
const COMMAND = 'touch "**a** *b*" \\"c\\"';

const talk = plans({
  'of herons': plan(SAID, 'Cranes dance.'),
  'exact words': plan(`<think>\nThey want stars.\n</think>\n\nNow **this**:\nCMD: ${COMMAND}`),
  'tidy up': plan('CMD: rm -rf a', 'GOAL: complete'),
  'yes, sweep': plan('CMD: rm -rf b', 'GOAL: complete'),
  'from a script': plan('CMD: touch up', 'It is up.'),
});

describe('typing in the terminal UI', () => {
  let tui: TuiStack;

  beforeAll(async () => {
    tui = await TuiStack.start({ script: talk, size: SMALL, tokensPerSecond: 12 });
  }, 120_000);
  afterEach(() => tui?.close());

  /** Opens the terminal UI with the waiting decision closed. */
  async function openAside(): Promise<Terminal> {
    const ui = await tui.open();
    await ui.shows('NORRIS HALT');
    await dialogListens();
    await ui.press('Escape');
    return ui;
  }

  afterAll(() => tui?.stop(), 60_000);

  it(
    verifies('tui.whole-answers'),
    async () => {
      const ui = await tui.send('tell me of herons');
      const begun = await ui.shows('shallows');
      expect(begun).toContain('Herons stand in the');
      expect(begun).not.toContain('The end.');
      // A message that is sent during the answer is not lost when the answer is stopped.
      await ui.submit('and of cranes');
      await ui.shows('waits…');
      await ui.press('C-c');
      await ui.shows(/> and of cranes/);
      await ui.press('Enter');
      await ui.shows('Cranes dance.');

      await ui.submit(':clear');
      await ui.submit('exact words, please');
      const shown = await ui.shows(/CONFIRM COMMAND/);
      expect(shown).not.toContain('<think>');
      await dialogListens();
      await ui.press('Escape');
      const answer = await ui.shows(/thought for about \d+ tokens/);
      expect(answer).toContain('Now this:');
      expect(answer).toContain(`$ ${COMMAND}`);
      expect(answer).not.toContain('CMD:');
      await ui.press('C-o');
      await ui.shows('They want stars.');
      await ui.press('C-d');
      await ui.shows('CONFIRM COMMAND');
      await dialogListens();
      await ui.press('s');
      await ui.shows('skip by admin');
    },
    90_000,
  );

  it(
    verifies('tui.partial-answer'),
    async () => {
      const ui = await tui.send(':norris tell me of herons');
      await ui.shows('shallows');
      await ui.press('C-c');
      await ui.shows('‖ paused');
      const kept = await ui.shows(/Herons stand in the shallows[^]*A person stopped your answer there/);
      expect(kept).not.toContain('The end.');
      const { id, steps, state } = await tui.newestGoal();
      expect([state, steps[0]]).toEqual([
        'paused',
        expect.objectContaining({ text: expect.stringMatching(/^Herons stand in the shallows(?!.*The end)/) }),
      ]);
      await tui.client.request('POST', `/v1/goals/${id}/cancel`, {});
    },
    60_000,
  );

  it(
    verifies('tui.norris-which'),
    async () => {
      const ui = await tui.send(':norris tidy up');
      await ui.shows('NORRIS HALT');
      await dialogListens();
      await ui.press('Escape');
      await ui.press('C-n');
      await ui.typeByHand('yes, sweep');
      await ui.shows('> :norris yes, sweep');
      await ui.press('Enter');
      await eventually('both wait', async () => (await tui.client.pendingDecisions()).length === 2);
      await ui.shows('NORRIS HALT');
      await dialogListens();
      await ui.press('Escape');
      await ui.press('F1');
      await ui.submit(':cancel');
      expect(await ui.shows('which one? Press Tab to choose')).toMatch(/g\d+ .*yes, sweep[\s\S]*g\d+ .*tidy up/);
      await ui.press('Tab', 'Enter');
      await ui.shows(/abort goal \d+\? y\/N/);
      await dialogListens();
      await ui.press('y');
      await eventually('one is aborted', async () => (await tui.newestGoal()).state === 'aborted');
      expect(await tui.client.pendingDecisions()).toHaveLength(1);
    },
    90_000,
  );

  it(
    verifies('tui.typing-is-kept'),
    async () => {
      const ui = await openAside();
      await ui.press('F2');
      await ui.shows('─ GOALS');
      await ui.press('C-x', 'C-c');
      await ui.shows(/abort goal \d+\? y\/N/);
      await dialogListens();
      await ui.typeByHand('I mean /dev/sdb');
      expect(await ui.shows('> I mean /dev/sdb')).not.toContain(':norris');
      expect((await tui.client.pendingDecisions()).length).toBe(1);
      await ui.press('C-u');
      await ui.press('F1');
      await dialogListens();
      await ui.press('Escape');
      await ui.submit(':safety list');
      await ui.shows(/─ :safety list /);
      await ui.typeByHand(':find needle');
      await ui.shows('> :find needle');
      await ui.press('Enter');
      await ui.shows('find: needle');
    },
    90_000,
  );

  it(
    verifies('tui.whose'),
    async () => {
      const ui = await openAside();
      const { client, dir } = tui.stack;
      const asked = await aish({ url: client.url, tokenFile: join(dir, 'token') }, ['ask', 'from a script']);
      expect(asked.code).toBe(6);
      const decision = (await tui.client.pendingDecisions()).find(({ goalId }) => goalId === null);
      const { number } = await tui.client.json(Session, 'GET', `/v1/sessions/${decision?.sessionId}`);
      await ui.shows('2 pending decisions: Ctrl-D to answer');
      await ui.press('F4');
      await ui.shows('─ MEMORY');
      await ui.press('F3');
      await ui.shows('touch up');
      await ui.press('G', 'Enter');
      expect(await ui.shows(`c${number} “from a script” asks`)).toContain('CONFIRM COMMAND');
      await ui.press('F1');
      await ui.shows('pending decisions');
    },
    90_000,
  );
});

import { describe, expect, it } from '@jest/globals';
import { line, textOf } from '@aish/views/line';
import { decisionOf } from '@aish/client/testing/fixtures';
import { Play } from '../testing/play.js';
import { frameOf } from '../views/frame.view.js';

const halted = decisionOf(1);
const ID = '5f0c7c1e-5c3b-4a39-9a55-2a7f5a3c1b01';

/** Returns a terminal with a decision whose preview was requested. */
function asked(): Play {
  const play = new Play()
    .send({ type: 'decisionsListed', decisions: [halted] })
    .wait(2_000)
    .alone('v');
  expect(play.done()).toEqual([{ type: 'preview', decisionId: halted.id, number: halted.number }]);
  return play;
}
function shown(id: string | null, decisionId = halted.id): Play {
  return asked().send({ type: 'previewed', decisionId, tried: { lines: [line('removes 1, 8 B')], id } });
}
const given = (play: Play) => play.done().map((effect) => (effect.type === 'giveVerdict' ? effect.given : effect));

describe('a verdict after a preview', () => {
  it('the verdict proceed includes the ID of the shown preview', () => {
    const play = shown(ID);
    expect(frameOf(play.model).lines.map(textOf).join('\n')).toContain('removes 1, 8 B');
    expect(given(play.alone('p'))).toEqual([{ verdict: 'proceed', preview: ID }]);
    expect(given(shown(ID).alone('g', 'c'))).toEqual([{ verdict: 'proceed', grant: 'command', preview: ID }]);
  });

  it('the verdicts skip and abort include no preview', () => {
    expect(given(shown(ID).alone('s'))).toEqual([{ verdict: 'skip' }]);
    expect(given(shown(ID).alone('a').wait(500).alone('a'))).toEqual([{ verdict: 'abort' }]);
  });

  it('the verdict proceed includes no preview that was not kept, has not arrived, or is for another decision', () => {
    expect(given(shown(null).alone('p'))).toEqual([{ verdict: 'proceed' }]);
    expect(given(asked().alone('p'))).toEqual([{ verdict: 'proceed' }]);
    expect(given(shown(ID, ID).alone('p'))).toEqual([{ verdict: 'proceed' }]);
  });
});

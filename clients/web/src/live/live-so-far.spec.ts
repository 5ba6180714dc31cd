import type { LiveBody, SessionEvent } from '@aish/contracts/events';
import { describe, expect, it } from '@jest/globals';
import { LiveSoFar } from './live-so-far.js';

const delta = (text: string, step = 1): LiveBody => ({ type: 'answer.delta', exchange: 1, step, text });
const finished: SessionEvent = {
  sessionId: '00000000-0000-4000-8000-000000000001',
  seq: 1,
  at: '2026-01-01T00:00:00.000Z',
  body: { type: 'exchange.ended', exchange: 1, end: 'answered', trouble: null },
};

describe('the live text so far', () => {
  it('LiveSoFar joins the text of each answer, and a draft replaces the text', () => {
    const live = new LiveSoFar();
    for (const body of [delta('a'), delta('b'), delta('c', 2)]) live.add(body);
    expect(live.bodies).toEqual([delta('ab'), delta('c', 2)]);
    const draft: LiveBody = { type: 'answer.draft', exchange: 1, step: 2, text: 'all', reasoning: '' };
    live.add(draft);
    live.add(delta('d', 2));
    expect(live.bodies).toEqual([draft, delta('d', 2)]);
  });

  it('LiveSoFar is empty once the answer is stored, and its size is bounded', () => {
    const live = new LiveSoFar();
    live.add(delta('a'));
    live.stored(finished);
    expect(live.bodies).toEqual([]);
    for (let n = 0; n < 60; n += 1) live.add(delta('x'.repeat(10_000)));
    expect(JSON.stringify(live.bodies).length).toBeLessThan(500_000);
  });
});

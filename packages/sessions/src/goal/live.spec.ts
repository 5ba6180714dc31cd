import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { LiveBody } from '@aish/contracts/events';
import { LiveText } from './live.js';

const goalId = randomUUID();
const delta = (text: string, step = 1): LiveBody => ({ type: 'model.delta', goalId, step, text });

describe('LiveText', () => {
  it('LiveText joins consecutive text of one stream and preserves the order of streams', () => {
    const sent: LiveBody[] = [];
    const live = new LiveText((body) => sent.push(body));
    for (const body of [delta('a'), delta('b'), delta('c', 2), delta('d')]) live.push(body);
    live.flush();
    expect(sent).toEqual([delta('ab'), delta('c', 2), delta('d')]);
  });

  it('LiveText sends a short text after a moment, and a long text at once', async () => {
    const sent: LiveBody[] = [];
    const live = new LiveText((body) => sent.push(body));
    live.push(delta('x'.repeat(5_000)));
    expect(sent).toHaveLength(1);
    live.push(delta('later'));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(sent[1]).toEqual(delta('later'));
  });
});

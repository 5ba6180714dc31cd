import { setTimeout as sleep } from 'node:timers/promises';
import type { AskChunk } from '@aish/broker';
import type { LiveProgress } from '@aish/contracts/chat';
import { describe, expect, it } from '@jest/globals';
import { ModelProgress } from './model-progress.js';

function progressOf(...chunks: readonly AskChunk[]): readonly Omit<LiveProgress, 'seconds'>[] {
  const all: Omit<LiveProgress, 'seconds'>[] = [];
  const progress = new ModelProgress(({ phase, done, of }) => all.push({ phase, done, of }));
  for (const chunk of chunks) progress.add(chunk);
  progress.stop();
  return all;
}

describe('progress of a model request', () => {
  it('progress is reported at once when the model reads, loads or starts a new phase', () => {
    const text = { type: 'text', text: 'four'.repeat(5) } as const;
    expect(
      progressOf(
        { type: 'retry', reason: 'unreachable', delayMs: 1 },
        { type: 'retry', reason: 'loading', delayMs: 1, percent: 40 },
        { type: 'progress', processed: 10, total: 100 },
        { type: 'progress', processed: 90, total: 100 },
        { type: 'reasoning', text: 'hm, hm.' },
        text,
        text,
      ),
    ).toEqual([
      { phase: 'unreachable', done: null, of: null },
      { phase: 'loads', done: 40, of: 100 },
      { phase: 'reads', done: 10, of: 100 },
      { phase: 'reads', done: 90, of: 100 },
      { phase: 'thinks', done: 2, of: null },
      { phase: 'writes', done: 7, of: null },
    ]);
  });

  it('the count of tokens starts from zero when a request is repeated', () => {
    const again = { type: 'again', note: 'in another way' } as const;
    const words = { type: 'text', text: 'four' } as const;
    expect(progressOf(words, again, words).map(({ phase, done }) => [phase, done])).toEqual([
      ['writes', 1],
      ['waits', null],
      ['writes', 1],
    ]);
  });

  it('the last progress is repeated while nothing arrives, until it is stopped', async () => {
    const all: LiveProgress[] = [];
    const progress = new ModelProgress((each) => all.push(each));
    for (let i = 0; i < 600 && all.length < 2; i += 1) await sleep(10);
    progress.stop();
    const atStop = all.length;
    await sleep(1_200);
    expect([atStop >= 2, all.length]).toEqual([true, atStop]);
  });
});

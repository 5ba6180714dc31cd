import { randomUUID } from 'node:crypto';
import { Notice } from '@aish/contracts/events';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { splitNotice } from './event-bus.js';

const live = (text: string): Notice =>
  Notice.parse({ type: 'live', sessionId: randomUUID(), body: { type: 'answer.delta', exchange: 1, step: 1, text } });
const textOf = (notice: Notice): string =>
  notice.type === 'live' && 'text' in notice.body ? notice.body.text : 'it has none';
const sizeOf = (notice: Notice): number => Buffer.byteLength(JSON.stringify(notice));

describe('notices that are too large for one message', () => {
  const MAX = 400;

  it('a large notice becomes several small ones that together contain the same text', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 2_000 });
    fc.assert(
      fc.property(texts, (text) => {
        const parts = splitNotice(live(text), MAX);
        expect(parts.map(textOf).join('')).toBe(text);
        for (const part of parts) {
          expect(sizeOf(part)).toBeLessThanOrEqual(MAX);
          expect(textOf(part)).not.toMatch(/[\uD800-\uDBFF]$|^[\uDC00-\uDFFF]/);
          expect(Notice.parse(JSON.parse(JSON.stringify(part)))).toEqual(part);
        }
      }),
    );
  });

  it('a small notice is not split', () => {
    const notice = live('short');
    expect(splitNotice(notice, MAX)).toEqual([notice]);
  });

  it('a large notice that contains no text to split is an internal error', () => {
    expect(() => splitNotice(live('x'), 10)).toThrow(expect.objectContaining({ code: 'internal' }));
    const events = Notice.parse({ type: 'events', sessionId: randomUUID(), seq: 1, goalId: null, types: ['a'] });
    expect(() => splitNotice(events, 10)).toThrow(expect.objectContaining({ code: 'internal' }));
  });
});

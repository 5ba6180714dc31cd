import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readLink, signLink } from './decision-link.js';

const key = randomBytes(32);
const now = new Date('2026-06-01T12:00:00Z');
const id = randomUUID();

describe('a decision link', () => {
  it('names its decision and its channel', () => {
    expect(readLink(key, signLink(key, id, 'ntfy', now), now)).toEqual({ decisionId: id, channel: 'ntfy' });
  });

  it('is refused when it is too old, signed by another key, or moved to another decision', () => {
    const link = signLink(key, id, 'ntfy', now);
    const refused = (text: string, when = now) => expect(() => readLink(key, text, when)).toThrow(/not valid/);
    refused(link, new Date('2026-07-02T12:00:00Z'));
    refused(signLink(randomBytes(32), id, 'ntfy', now));
    const other = signLink(key, randomUUID(), 'ntfy', now);
    refused(other.slice(0, 28) + link.slice(28));
  });

  it('is refused, never misread, for any other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(() => readLink(key, text, now)).toThrow(/not valid/);
      }),
    );
  });
});

describe('how long a decision link holds', () => {
  const days = (n: number) => new Date(now.getTime() + n * 86_400_000);

  it('is a week at most', () => {
    const link = signLink(key, id, 'ntfy', now);
    expect(readLink(key, link, days(6.9)).decisionId).toBe(id);
    expect(() => readLink(key, link, days(7.1))).toThrow(/not valid/);
  });

  it('is as long as the decision waits, where that is shorter', () => {
    const link = signLink(key, id, 'ntfy', now, days(1));
    expect(readLink(key, link, days(0.9)).decisionId).toBe(id);
    expect(() => readLink(key, link, days(1.1))).toThrow(/not valid/);
    expect(() => readLink(key, signLink(key, id, 'ntfy', now, days(30)), days(8))).toThrow(/not valid/);
  });
});

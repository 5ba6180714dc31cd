import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Decision } from '@aish/contracts/decisions';
import { haltOf } from '../testing/decisions.fixture.js';
import type { Place } from './messenger.js';
import { checkTicket, numberIn, signTicket } from './ticket.js';

const key = randomBytes(32);
const now = new Date('2026-06-01T12:00:00Z');
const place: Place = { channel: 'telegram', account: '7', room: '7' };
const decision = haltOf({ number: 12, id: randomUUID(), expiresAt: null });
const minutes = (n: number) => new Date(now.getTime() + n * 60_000);

const signed = (of: Decision = decision): string => signTicket(key, of, 'proceed', place, now) ?? '';

describe('the ticket of a button', () => {
  it('a ticket names its decision and gives its verdict', () => {
    expect(numberIn(signed())).toBe('12');
    expect(checkTicket(key, signed(), decision, place, now)).toBe('proceed');
  });

  it('a ticket fits into the 64 bytes of a button in Telegram', () => {
    expect(Buffer.byteLength(signed(haltOf({ number: 1_234_567, id: randomUUID() })))).toBeLessThanOrEqual(64);
  });

  it('a ticket expires with its decision', () => {
    const soon = { ...decision, expiresAt: minutes(5).toISOString() };
    expect(checkTicket(key, signed(soon), soon, place, minutes(4))).toBe('proceed');
    expect(() => checkTicket(key, signed(soon), soon, place, minutes(6))).toThrow(/invalid or expired/);
  });

  it.each<[string, Decision, Place]>([
    ['another account', decision, { ...place, account: '8' }],
    ['another room', decision, { ...place, room: '9' }],
    ['another messenger', decision, { ...place, channel: 'matrix' }],
    ['another decision', { ...decision, id: randomUUID() }, place],
    ['another action', { ...decision, action: 'rm -rf other' }, place],
    ['another reason', { ...decision, reason: 'something else' }, place],
  ])('a ticket is refused for %s', (_what, of, from) => {
    expect(() => checkTicket(key, signed(), of, from, now)).toThrow(/invalid|another/);
  });

  it.each(['s', 'a'])('a ticket for proceed does not give the verdict %s', (letter) => {
    expect(() => checkTicket(key, signed().replace(/^p/, letter), decision, place, now)).toThrow(/invalid/);
  });
});

import { describe, expect, it } from '@jest/globals';
import { firstLoudMoment, parseQuietHours, wasHeld } from './quiet-hours.js';

const at = (day: number, hour: number, minute = 0): Date => new Date(2026, 5, day, hour, minute);

describe('quiet hours', () => {
  it.each([
    ['22:00-07:00', at(1, 21, 59), at(1, 21, 59)],
    ['22:00-07:00', at(1, 22), at(2, 7)],
    ['22:00-07:00', at(2, 0, 30), at(2, 7)],
    ['22:00-07:00', at(2, 7), at(2, 7)],
    ['12:30-14:00', at(1, 13), at(1, 14)],
    ['12:30-14:00', at(1, 12, 29), at(1, 12, 29)],
    ['00:00-00:00', at(1, 13), at(1, 13)],
  ])('with quiet hours %s, a notification at %s waits until %s', (text, now, then) => {
    expect(firstLoudMoment(now, parseQuietHours(text))).toEqual(then);
  });

  it('quiet hours are off if they are not configured', () => {
    expect(parseQuietHours(undefined)).toBeNull();
  });

  it.each([
    ['at night', at(1, 23), false, true],
    ['at night, urgent', at(1, 23), true, false],
    ['by day', at(1, 12), false, false],
  ])('a notification %s (created %s, urgent: %s) is held back by quiet hours: %s', (_, createdAt, isUrgent, held) => {
    expect(wasHeld({ createdAt, isUrgent }, parseQuietHours('22:00-07:00'))).toBe(held);
  });
});

import { describe, expect, it } from '@jest/globals';
import { nextTime } from './schedule-times.js';

const from = new Date('2026-03-28T12:00:00Z');

describe('nextTime', () => {
  it('nextTime reads five and six fields in a time zone, over a clock change', () => {
    expect(nextTime({ cron: '0 3 * * *', timezone: 'UTC' }, from).toISOString()).toBe('2026-03-29T03:00:00.000Z');
    expect(nextTime({ cron: '0 3 * * *', timezone: 'Europe/Berlin' }, from).toISOString()).toBe(
      '2026-03-29T01:00:00.000Z',
    );
    expect(nextTime({ cron: '*/10 * * * * *', timezone: 'UTC' }, from).toISOString()).toBe('2026-03-28T12:00:10.000Z');
  });

  it.each([
    ['every day', 'UTC'],
    ['99 3 * * *', 'UTC'],
    ['0 3 * * *', 'Middle/Earth'],
    ['0 0 30 2 *', 'UTC'],
  ])('nextTime refuses %j in %s', (cron, timezone) => {
    expect(() => nextTime({ cron, timezone }, from)).toThrow(expect.objectContaining({ code: 'invalid_body' }));
  });
});

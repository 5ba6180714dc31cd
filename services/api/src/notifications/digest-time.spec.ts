import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lastDigestMoment, parseDigestTime } from './digest-time.js';

const monday = parseDigestTime('mon 08:00')!;

describe('when a digest goes out', () => {
  it('is a day and a time, and says whether of quiet weeks, too', () => {
    expect(parseDigestTime(undefined)).toBeNull();
    expect(monday).toEqual({ day: 1, minute: 480, always: false });
    expect(parseDigestTime('sun 23:59 always')).toEqual({ day: 0, minute: 1_439, always: true });
  });

  it.each([
    ['2026-11-23T08:00', '2026-11-23T08:00'],
    ['2026-11-23T07:59', '2026-11-16T08:00'],
    ['2026-11-29T23:00', '2026-11-23T08:00'],
  ])('at %s it was last %s, in local time', (now, moment) => {
    expect(lastDigestMoment(new Date(now), monday)).toEqual(new Date(moment));
  });

  it('is the same moment until the next one comes, a week later', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2026-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }),
        fc.constantFrom('mon', 'wed', 'sun'),
        fc.integer({ min: 0, max: 23 }),
        (now, day, hour) => {
          const time = parseDigestTime(`${day} ${String(hour).padStart(2, '0')}:30`)!;
          const moment = lastDigestMoment(now, time);
          expect(moment.getTime()).toBeLessThanOrEqual(now.getTime());
          expect(lastDigestMoment(moment, time)).toEqual(moment);
          expect(moment.getDay()).toBe(time.day);
          // Days differ in length where clocks are changed.
          expect(now.getTime() - moment.getTime()).toBeLessThan(7 * 86_400_000 + 3_600_001);
        },
      ),
    );
  });
});

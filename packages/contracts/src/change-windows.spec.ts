import { describe, expect, it } from '@jest/globals';
import { ChangeWindow, formatWindow, isOpen, nextOpening, parseWindow } from './change-windows.js';
import { invariant } from './invariant.js';

function windows(...texts: readonly string[]): ChangeWindow[] {
  return texts.map((text) => {
    const window = parseWindow(text);
    invariant(window !== null, `${text} is a window`);
    return window;
  });
}
const openAt = (of: readonly ChangeWindow[], at: string) => isOpen(of, new Date(at));
const next = (of: readonly ChangeWindow[], at: string) => nextOpening(of, new Date(at))?.toISOString() ?? null;

describe('a change window', () => {
  it('a window can be written in everyday notation, and prints in one canonical form', () => {
    expect(windows('sat,sun 02:00-05:00 Europe/Berlin', 'mon-fri 22:00-06:00', 'daily 03:00-04:00')).toEqual([
      { days: ['sat', 'sun'], from: '02:00', to: '05:00', timezone: 'Europe/Berlin' },
      { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '22:00', to: '06:00', timezone: 'UTC' },
      { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '03:00', to: '04:00', timezone: 'UTC' },
    ]);
    const strange = [
      'sat',
      'sat 2-5',
      'xyz 02:00-05:00',
      'sat,xyz 02:00-05:00',
      'sat 24:00-05:00',
      'sat 02:00-05:00 Europe/Nowhere',
      '',
    ];
    expect(strange.map(parseWindow)).toEqual(strange.map(() => null));
    expect(windows('fri-mon 01:00-02:00').map(formatWindow)).toEqual(['mon,fri,sat,sun 01:00-02:00 UTC']);
  });

  it('a window is open from its first minute until just before its end, on its days', () => {
    const night = windows('sat 02:00-05:00');
    // 28 November 2026 is a Saturday.
    const times = ['01:59:59', '02:00:00', '04:59:59', '05:00:00'].map((time) => openAt(night, `2026-11-28T${time}Z`));
    expect(times).toEqual([false, true, true, false]);
    expect(openAt(night, '2026-11-29T03:00:00Z')).toBe(false);
  });

  it('a window can cross midnight and the end of the week, and lasts a whole day if both times are equal', () => {
    const sunday = windows('sun 22:00-06:00');
    expect(openAt(sunday, '2026-11-29T23:00:00Z')).toBe(true);
    expect(openAt(sunday, '2026-11-30T05:59:00Z')).toBe(true);
    expect(openAt(sunday, '2026-11-29T05:00:00Z')).toBe(false);
    expect(openAt(windows('sat 08:00-08:00'), '2026-11-29T07:59:00Z')).toBe(true);
  });

  it('nextOpening returns the next start, the given time in an open window, and null without windows', () => {
    const both = windows('sat 02:00-05:00 Europe/Berlin', 'wed 12:00-13:00 Europe/Berlin');
    expect(next(both, '2026-11-25T10:00:30Z')).toBe('2026-11-25T11:00:00.000Z');
    expect(next(both, '2026-11-25T12:00:00Z')).toBe('2026-11-28T01:00:00.000Z');
    expect(next(both, '2026-11-28T01:30:15Z')).toBe('2026-11-28T01:30:15.000Z');
    expect(next([], '2026-11-28T01:30:15Z')).toBeNull();
  });

  it('a window follows the local clock through daylight saving changes', () => {
    const early = windows('sun 01:30-03:30 Europe/Berlin');
    // The clocks go forward on 28 March 2027, when 02:00 becomes 03:00. They go back on 25 October 2026, when the hour
    // from 02:00 to 03:00 happens twice.
    expect(next(early, '2027-03-27T12:00:00Z')).toBe('2027-03-28T00:30:00.000Z');
    expect(openAt(early, '2027-03-28T01:29:00Z')).toBe(true);
    expect(openAt(early, '2027-03-28T01:30:00Z')).toBe(false);
    expect(openAt(early, '2026-10-25T02:29:00Z')).toBe(true);
    expect(openAt(early, '2026-10-25T02:30:00Z')).toBe(false);
    // A window that begins in the skipped hour opens when that hour is over.
    expect(next(windows('sun 02:15-03:30 Europe/Berlin'), '2027-03-27T12:00:00Z')).toBe('2027-03-28T01:00:00.000Z');
    // A window that lies entirely in the skipped hour does not open that day.
    expect(next(windows('sun 02:15-02:45 Europe/Berlin'), '2027-03-27T12:00:00Z')).toBe('2027-04-04T00:15:00.000Z');
  });

  it('the next opening equals that of a minute-by-minute search, over a year in both hemispheres', () => {
    const short = windows('sun 02:30-02:40 Australia/Lord_Howe', 'tue 23:50-00:10 America/New_York');
    for (let day = 0; day < 365; day += 13) {
      const at = new Date(Date.UTC(2026, 0, 1 + day, 7, 13));
      let walk = at;
      while (!isOpen(short, walk)) walk = new Date(walk.getTime() + 60_000);
      expect(nextOpening(short, at)?.toISOString()).toBe(walk.toISOString());
    }
  });
});

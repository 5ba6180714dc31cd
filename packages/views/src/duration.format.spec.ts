import { describe, expect, it } from '@jest/globals';
import { formatAge, formatDuration } from './duration.format.js';

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [340, '340 ms'],
    [2_440, '2.4 s'],
    [59_900, '59 s'],
    [65_000, '1 min 5 s'],
    [120_000, '2 min'],
    [7_380_000, '2 h 3 min'],
    [273_600_000, '3 d 4 h'],
  ])('formatDuration shows %i as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});

describe('formatAge', () => {
  it.each([
    [-5_000, 'now'],
    [12_000, '12s'],
    [300_000, '5m'],
    [7_200_000, '2h'],
    [90_000_000, '25h'],
    [259_200_000, '3d'],
  ])('formatAge shows %i ms ago as %s', (ms, text) => {
    const now = Date.parse('2026-11-20T12:00:00Z');
    expect(formatAge(new Date(now - ms).toISOString(), now)).toBe(text);
  });
});

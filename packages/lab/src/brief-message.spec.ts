import { describe, expect, it } from '@jest/globals';
import { briefMessage } from './brief-message.js';
import { findings, type Finding } from './findings.js';
import { DEFAULT_RULES } from './rules.js';
import { DAY_MS, NOW, history, look } from './testing/lab-fixture.js';
import { writeBrief } from './write-brief.js';

const HOUR_MS = 3_600_000;
const failed = (count: number) =>
  findings(
    history(
      'nas',
      look('nas', NOW, {
        unit: Object.fromEntries(
          Array.from({ length: count }, (_, at) => [`u${at}.service`, { manager: 'systemd', state: 'failed' }]),
        ),
      }),
    ),
    [],
    DEFAULT_RULES,
    NOW,
  );

const messageOf = (all: readonly Finding[], hosts: number, quietAt: Date | null, now: Date) =>
  briefMessage(all, writeBrief(all, hosts), quietAt, now);

/**
 * Returns the number of messages in a month of mornings on a quiet host whose disk usage varies a little. `clockMs`
 * gives the error of the clock on each day.
 */
function quietMonth(clockMs: (day: number) => number): readonly number[] {
  const sentAt: Date[] = [];
  const days: number[] = [];
  for (let day = 0; day < 30; day += 1) {
    const now = new Date(NOW.getTime() + day * DAY_MS + clockMs(day));
    const past = Array.from({ length: 14 }, (_, at) =>
      look('nas', new Date(now.getTime() - (13 - at) * DAY_MS), {
        disk: { '/': { used: 40_000 + ((day + at) % 5) * 300, free: 55_000 - ((day + at) % 5) * 300 } },
      }),
    );
    const all = findings(new Map([['nas', past]]), [], DEFAULT_RULES, now);
    expect(all).toEqual([]);
    const message = briefMessage(all, writeBrief(all, 1), sentAt.at(-1) ?? null, now);
    if (message === null) continue;
    expect(message).toEqual({ kind: 'quiet', title: 'Looked at 1 host, all quiet.', lines: [] });
    sentAt.push(now);
    days.push(day);
  }
  return days;
}

describe('thirty quiet days', () => {
  it('thirty quiet days bring only one message a week', () => {
    expect(quietMonth(() => 0)).toEqual([0, 7, 14, 21, 28]);
  });

  it('quiet days bring one message a week even if the clocks change or the checks start at other times', () => {
    expect(quietMonth((day) => (day < 5 ? 0 : -HOUR_MS))).toEqual([0, 7, 14, 21, 28]);
    expect(quietMonth((day) => (day % 7 === 0 ? 9_000 - day * 100 : 0))).toEqual([0, 7, 14, 21, 28]);
  });

  it('after a clock was weeks ahead, the weekly messages continue on the next day', () => {
    expect(quietMonth((day) => (day === 0 ? 60 * DAY_MS : 0))).toEqual([0, 1, 8, 15, 22, 29]);
  });
});

describe('a morning with a fault', () => {
  it('a morning with a fault has a message with each finding and its ID, even a day after the last message', () => {
    expect(messageOf(failed(1), 3, new Date(NOW.getTime() - DAY_MS), NOW)).toEqual({
      kind: 'findings',
      title: '1 thing needs your attention on 3 hosts.',
      lines: ['unit-nas-1: u0.service on nas has failed (since 2026-05-30)'],
    });
  });

  it('a message of the brief names twelve findings and counts the others', () => {
    const message = messageOf(failed(15), 1, null, NOW);
    expect(message?.lines).toHaveLength(13);
    expect(message?.lines.at(-1)).toBe('and 3 more: aish brief --kept');
  });

  it('muted findings alone cause no message until the week is over', () => {
    const muted = failed(1).map((each) => ({ ...each, muted: true }));
    expect(messageOf(muted, 1, new Date(NOW.getTime() - DAY_MS), NOW)).toBeNull();
    expect(messageOf(muted, 1, null, NOW)?.title).toBe('Looked at 1 host, all quiet. 1 is muted.');
  });
});

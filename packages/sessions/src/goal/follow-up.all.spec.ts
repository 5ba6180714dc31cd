import { expect, it } from '@jest/globals';
import { CreateGoal } from '@aish/contracts/goals';
import type { Classification } from '@aish/contracts/safety';
import { OUTCOME } from '@aish/contracts/testing/outcome';
import type { FailedGoal } from '@aish/database/follow-ups.repository';
import { followUpOf } from './follow-up.js';

const MINUTE_MS = 60_000;
const END = new Date('2026-01-01T00:00:00Z');
const FAILED: Omit<FailedGoal, 'goal' | 'attempt' | 'state'> = {
  id: 'i',
  number: 1,
  sessionId: 's',
  reason: null,
  summary: null,
  endedAt: END,
  scheduleId: null,
  createdBy: 'ann',
  author: { provenance: 'person' },
  notices: [],
};
const judged = (verdict: Classification['verdict']): Classification => ({
  verdict,
  reason: null,
  ruleId: null,
  span: null,
  by: 'rule',
});

it('a failed goal gets the follow-up that its rules define, for every end, attempt and last action', () => {
  const verdicts = [null, 'safe', 'destructive', 'unknown'] as const;
  const stops = [null, {}, { timedOut: true }, { cancelled: true }, { outOfMemory: true }];
  let count = 0;
  for (const state of ['blocked', 'stalled', 'exhausted', 'failed'] as const)
    for (const attempt of [1, 2, 3])
      for (const hasRetry of [true, false])
        for (const hasNext of [true, false])
          for (const left of ['finished', 'skipped', 'lost', 'started'] as const)
            for (const verdict of verdicts)
              for (const stop of stops)
                for (const isLate of [true, false]) {
                  count += 1;
                  const goal = CreateGoal.parse({
                    text: 'x',
                    ...(hasRetry ? { retry: { times: 2, afterMs: MINUTE_MS } } : {}),
                    ...(hasNext ? { onFailed: { text: 'y' } } : {}),
                  });
                  const failed: FailedGoal = { ...FAILED, goal, attempt, state };
                  const action = {
                    state: left,
                    classification: verdict === null ? null : judged(verdict),
                    outcome: stop === null ? null : { ...OUTCOME, ...stop },
                  };
                  const waitMs = MINUTE_MS * 2 ** (attempt - 1);
                  const now = new Date(END.getTime() + (isLate ? waitMs : waitMs - 1));
                  const isHalf = stop !== null && Object.keys(stop).length > 0;
                  const destroys = verdict === 'destructive' || verdict === 'unknown';
                  const isBad = left === 'lost' || (destroys && (left === 'started' || isHalf));
                  const mayRetry = hasRetry && attempt <= 2 && state !== 'blocked' && !isBad;
                  const expected = mayRetry ? (isLate ? 'retry' : 'wait') : hasNext ? 'onFailed' : 'end';
                  expect(followUpOf(failed, [action], now).kind).toBe(expected);
                }
  expect(count).toBe(4 * 3 * 2 * 2 * 4 * 4 * 5 * 2);
});

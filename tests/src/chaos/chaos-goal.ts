import type { GoalState } from '@aish/contracts/goals';
import type { Script } from '@aish/demo-model';
import { plan, plans } from '../support/plan.js';

/** The work of a goal during the chaos, and the state in which its script expects the goal to end. */
export interface ChaosGoal {
  readonly text: string;
  readonly more: Readonly<{ stepBudget?: number; verify?: string }>;
  readonly endsAs: GoalState;
  /** The number of the model's answers. A lost check costs one more answer. */
  readonly steps: number;
  /** The lines that the goal's commands append, in order. The lines of a skipped command must be missing. */
  readonly lines: readonly string[];
  readonly verdict: 'proceed' | 'skip' | 'abort';
}

const append = (line: string): string => `CMD: echo ${line} >> log; sleep 0.5`;
/**
 * Makes a goal halt before a harmless command. Its words do not name the log, so a refusal does not protect the log.
 */
const destroy = (line: string): string => `CMD: echo ${line} >> "$(date +log)"; rm -rf nothing`;

interface Kind extends Omit<ChaosGoal, 'text'> {
  readonly script: Script;
}

const KINDS: Readonly<Record<string, Kind>> = {
  'in order': {
    script: plan(`Two at once.\n${append('a')}\n${append('b')}`, append('c'), append('d'), 'GOAL: complete'),
    more: {},
    endsAs: 'done',
    steps: 4,
    lines: ['a', 'b', 'c', 'd'],
    verdict: 'proceed',
  },
  halting: {
    script: plan(append('a'), destroy('b'), append('c'), 'GOAL: complete'),
    more: {},
    endsAs: 'done',
    steps: 4,
    lines: ['a', 'b', 'c'],
    verdict: 'proceed',
  },
  skipped: {
    script: plan(append('a'), `${destroy('skipped')}\n${append('b')}`, 'GOAL: complete'),
    more: {},
    endsAs: 'done',
    steps: 3,
    lines: ['a', 'skipped', 'b'],
    verdict: 'skip',
  },
  aborted: {
    script: plan(append('a'), `${destroy('aborted')}\n${append('never')}`, 'GOAL: complete'),
    more: {},
    endsAs: 'aborted',
    steps: 2,
    lines: ['a', 'aborted', 'never'],
    verdict: 'abort',
  },
  proved: {
    // A check that was lost is requested again.
    script: plan(append('a'), append('b'), ...Array.from({ length: 12 }, () => 'GOAL: complete')),
    more: { verify: 'true' },
    endsAs: 'done',
    steps: 3,
    lines: ['a', 'b'],
    verdict: 'proceed',
  },
  blocked: {
    script: plan(append('a'), `${append('b')}\nGOAL: blocked there is no more to do`),
    more: {},
    endsAs: 'blocked',
    steps: 2,
    lines: ['a', 'b'],
    verdict: 'proceed',
  },
  silent: {
    script: plan(append('a'), 'I think about it.', 'I still do.', 'I go on.'),
    more: {},
    endsAs: 'stalled',
    steps: 4,
    lines: ['a'],
    verdict: 'proceed',
  },
  endless: {
    script: plan(append('a'), append('b'), append('c'), append('d')),
    more: { stepBudget: 3 },
    endsAs: 'exhausted',
    steps: 3,
    lines: ['a', 'b', 'c'],
    verdict: 'proceed',
  },
  slow: {
    script: plan(
      { text: `${'hm '.repeat(30)}\n${append('a')}`, delayMs: 30 },
      'CMD: sleep 1; echo b >> log; sleep 1',
      'GOAL: complete',
    ),
    more: {},
    endsAs: 'done',
    steps: 3,
    lines: ['a', 'b'],
    verdict: 'proceed',
  },
};

export const CHAOS_SCRIPT: Script = plans(
  Object.fromEntries(Object.entries(KINDS).map(([name, { script }]) => [name, script])),
);

/** Returns this many goals, cycling through all kinds. */
export function chaosGoals(count: number): readonly ChaosGoal[] {
  const names = Object.keys(KINDS);
  return Array.from({ length: count }, (_, n) => {
    const name = names[n % names.length] ?? '';
    const kind = KINDS[name];
    if (kind === undefined) throw new Error(`chaosGoals: no kind ${name}`);
    const { script: _script, ...rest } = kind;
    return { ...rest, text: `${name}, goal ${n + 1}` };
  });
}

import { describe, expect, it } from '@jest/globals';
import { isTerminal } from '@aish/contracts/goals';
import type { GoalLine } from '@aish/conversation';
import { explore, type Kind } from '../../testing/explore.js';
import { VERDICTS, actionEvents, askedOf } from '../../testing/explored-events.js';
import { advance } from './advance.js';
import type { GoalEvent, OwnGoalRecord } from './events.js';
import { FRESH, type GoalMachine } from './state.js';

const STEPS_MAX = 3;
const STATES_MAX = 300_000;
const LINES: readonly GoalLine[] = [
  { kind: 'complete', summary: null },
  { kind: 'blocked', reason: null },
  { kind: 'verify', command: 'test' },
  { kind: 'check', command: 'test' },
  { kind: 'ask', question: 'which?' },
  { kind: 'need', need: { kind: 'host', name: 'nas', why: '' } },
];

function eventsOf(machine: GoalMachine, open: number): readonly GoalEvent[] {
  const n = machine.step?.n ?? 0;
  const by = 'p';
  const said = { type: 'answered', text: '', model: null, usage: null, notes: [], checkId: `${n}.9`, tookMs: 0 } as const;
  const answers = n > STEPS_MAX || machine.step?.answered !== false ? [] : askedOf(n, LINES);
  const mayContinue = machine.stepsTaken < STEPS_MAX - 1 && n < STEPS_MAX;
  return [
    { type: 'taken' },
    ...answers.map((asked) => ({ ...said, ...asked, isSchemaEcho: false })),
    ...(answers.length === 0 ? [] : [{ ...said, actions: [], goalLine: null, isSchemaEcho: true }]),
    ...actionEvents(machine),
    ...VERDICTS.flatMap((verdict): readonly GoalEvent[] => [
      { type: 'checkDecided', verdict, command: 'test', message: null, by },
      { type: 'questionDecided', verdict, answer: verdict === 'proceed' ? 'this' : null, message: null, by },
      { type: 'needDecided', verdict, reach: verdict === 'proceed' ? ['there'] : null, message: null, by },
    ]),
    ...(n > STEPS_MAX ? [] : [{ type: 'interrupted', step: n, text: 'I' } as const]),
    { type: 'away', what: 'model', reason: 'r', began: false },
    ...(machine.failures === 0 ? [{ type: 'broke', reason: 'r' } as const] : []),
    { type: 'failed', reason: 'r' },
    { type: 'cancelled', by, outcomes: {} },
    { type: 'paused', by },
    { type: 'resumed', isAsked: open > 0 },
    ...(mayContinue ? [{ type: 'continued', steps: 1, message: 'new', by } as const] : []),
    { type: 'edited', text: null, by },
  ];
}

const GOAL: Kind<GoalMachine, GoalEvent, OwnGoalRecord> = {
  advance,
  events: eventsOf,
  key: ({ recent: _recent, ...machine }) => machine,
  isOver: ({ state }) => isTerminal(state),
  isAsking: ({ state }) => state === 'halted',
  afterEnd: new Set(['continued', 'edited', 'interrupted']),
  isWithin: ({ stepsTaken, stepBudget }) => stepsTaken <= stepBudget,
};

describe('the step machine, in every state that it can come to', () => {
  it('keeps its promises on every way there', () => {
    const from = performance.now();
    const { states, transitions, broken } = explore({ ...FRESH, stepBudget: 2 }, GOAL, STATES_MAX);
    process.stderr.write(`goal: ${states} states, ${transitions} transitions, ${performance.now() - from} ms\n`);
    expect(broken).toEqual([]);
  }, 120_000);
});

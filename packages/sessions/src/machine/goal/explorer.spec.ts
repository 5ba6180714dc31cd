import { describe, expect, it } from '@jest/globals';
import { isTerminal } from '@aish/contracts/goals';
import type { GoalLine } from '@aish/prompt';
import { explore, type Kind } from '../../testing/explore.js';
import { VERDICTS, actionEvents, askedOf } from '../../testing/explored-events.js';
import { advance } from './advance.js';
import type { GoalEvent, GoalRecord, OwnGoalRecord } from './events.js';
import { NEW_GOAL, type GoalMachine } from './state.js';

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
  const answerFields = {
    type: 'answered',
    text: '',
    model: null,
    usage: null,
    notes: [],
    checkId: `${n}.9`,
    tookMs: 0,
  } as const;
  const answers = n > STEPS_MAX || machine.step?.answered !== false ? [] : askedOf(n, LINES);
  const mayContinue = machine.stepsTaken < STEPS_MAX - 1 && n < STEPS_MAX;
  return [
    { type: 'taken' },
    ...answers.map((asked) => ({ ...answerFields, ...asked, isSchemaEcho: false })),
    ...(answers.length === 0 ? [] : [{ ...answerFields, actions: [], goalLine: null, isSchemaEcho: true }]),
    ...(answers.length === 0 || !machine.nudged
      ? []
      : [{ ...answerFields, text: 'it is so', actions: [], goalLine: null, isSchemaEcho: false }]),
    ...actionEvents(machine),
    ...VERDICTS.flatMap((verdict): readonly GoalEvent[] => [
      { type: 'checkDecided', verdict, command: 'test', message: null, by },
      { type: 'questionDecided', verdict, answer: verdict === 'proceed' ? 'this' : null, message: null, by },
      { type: 'needDecided', verdict, access: verdict === 'proceed' ? ['there'] : null, message: null, by },
    ]),
    ...(n > STEPS_MAX ? [] : [{ type: 'interrupted', step: n, text: 'I' } as const]),
    { type: 'unavailable', what: 'model', reason: 'r', began: false },
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

type Advanced = ReturnType<typeof advance>;
/** Machines with one fault each. */
const PLANTS: Readonly<Record<string, (machine: GoalMachine, event: GoalEvent) => Advanced>> = {
  'does not withdraw questions at the end': without(({ type }) => type === 'withdrawDecisions'),
  'asks nobody at a halt': without(({ type }) => type === 'requestDecision'),
  'runs actions that are not recorded as started': without(
    (record) => record.type === 'setAction' && record.state === 'started',
  ),
  'begins a started action again': (machine, event) => {
    const { effect, ...advanced } = advance(machine, event);
    if (effect?.type !== 'recover') return { ...advanced, effect };
    const { id: actionId } = effect.action;
    const started = { type: 'setAction', actionId, state: 'started' } as const;
    return { ...advanced, records: [...advanced.records, started], effect: { type: 'run', actions: [effect.action] } };
  },
  'runs actions that are judged destructive': (machine, event) =>
    event.type !== 'classified'
      ? advance(machine, event)
      : without(({ type }) => type === 'classifyAction')(machine, {
          ...event,
          judgements: event.judgements.map(({ classification, ...each }) => {
            return { ...each, classification: { ...classification, verdict: 'safe' as const } };
          }),
        }),
  'accepts a verdict on an action that nobody was asked about': (machine, event) => {
    const [head] = machine.step?.actions ?? [];
    if (event.type !== 'decided' || head?.state !== 'pending' || machine.step === null) return advance(machine, event);
    return advance({ ...machine, step: { ...machine.step, actions: [{ ...head, state: 'halted' }] } }, event);
  },
  'continues a goal that has ended': (machine, event) =>
    advance(event.type === 'taken' && isTerminal(machine.state) ? { ...machine, state: 'queued' } : machine, event),
  'takes one step too many': (machine, event) => {
    const { stepBudget } = machine;
    const after = advance({ ...machine, stepBudget: stepBudget + 1 }, event);
    return { ...after, machine: { ...after.machine, stepBudget: after.machine.stepBudget - 1 } };
  },
  'ignores messages while it asks': (machine, event) =>
    machine.state === 'halted' ? { machine, records: [], effect: null } : advance(machine, event),
  'leaves actions open at the end': (machine, event) => {
    const after = advance(machine, event);
    const { step } = machine;
    const isLeft = event.type === 'cancelled' && step !== null && isTerminal(after.machine.state);
    return isLeft ? { ...after, machine: { ...after.machine, step } } : after;
  },
};

function without(isLeftOut: (record: GoalRecord) => boolean): typeof advance {
  return (machine, event) => {
    const { records, ...advanced } = advance(machine, event);
    return { ...advanced, records: records.filter((record) => !isLeftOut(record)) };
  };
}

describe('the step machine, in every state that it can reach', () => {
  it('every invariant holds on every path of a goal', () => {
    const { states, broken } = explore({ ...NEW_GOAL, stepBudget: 2 }, GOAL, STATES_MAX);
    expect(broken).toEqual([]);
    expect(states).toBeGreaterThan(20_000);
  }, 120_000);

  it.each(Object.entries(PLANTS))(
    'the explorer detects a machine that %s',
    (_, planted) => {
      expect(explore({ ...NEW_GOAL, stepBudget: 2 }, { ...GOAL, advance: planted }, STATES_MAX).broken).not.toEqual([]);
    },
    120_000,
  );
});

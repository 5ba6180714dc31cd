import { describe, expect, it } from '@jest/globals';
import { headOf, type Action, type ActionEvent, type Ending, type Judgement, type NewAction } from '@aish/actions';
import type { RunOutcome } from '@aish/contracts/actions';
import type { Verdict } from '@aish/contracts/decisions';
import { isTerminal } from '@aish/contracts/goals';
import type { Need } from '@aish/contracts/needs';
import type { Classification } from '@aish/contracts/safety';
import type { GoalLine } from '@aish/conversation';
import { BrokenRule, explore, type Explorable, type Explored } from '../testing/explore.js';
import { advanceChat } from './chat/advance.js';
import type { ChatEvent } from './chat/events.js';
import type { Answered, ChatMachine } from './chat/state.js';
import { advance } from './goal/advance.js';
import type { GoalEvent } from './goal/events.js';
import { FRESH, type GoalMachine } from './goal/state.js';
import type { SessionMachine } from './session.js';

const outcome: RunOutcome = {
  exitCode: 0,
  signal: null,
  outOfMemory: false,
  timedOut: false,
  cancelled: false,
  durationMs: 1,
  output: 'ok\n',
  omittedBytes: 0,
};
const held = {
  verdict: 'waiting',
  deleted: { files: 1, bytes: 9 },
  overwritten: { files: 0, bytes: 0 },
  own: null,
} as const;
const safe: Classification = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' };
const bad: Classification = { verdict: 'destructive', reason: 'rm', ruleId: 'r', span: [0, 2], by: 'rule' };
const grant = { id: 'g', scope: 'rule', createdBy: 'p', carried: false } as const;
const need: Need = { kind: 'host', name: 'nas', why: 'backups' };
const question = { mode: 'form', message: 'which?', requestedSchema: { type: 'object' }, url: null } as const;
const asks = { questions: { one: question }, state: 's', restarts: false };

const command = (id: string): NewAction => ({ id, kind: 'command', command: `echo ${id}` });
const tool = (id: string): NewAction => ({
  id,
  kind: 'tool',
  callId: `c-${id}`,
  tool: 'a__b',
  label: 'a.b',
  arguments: '{}',
});

/** What a model may ask for in one answer. */
function answers(
  step: number,
): readonly { readonly actions: readonly NewAction[]; readonly goalLine: GoalLine | null }[] {
  const [one, two] = [`${step}.1`, `${step}.2`];
  return [
    { actions: [], goalLine: null },
    { actions: [command(one)], goalLine: null },
    { actions: [command(one), tool(two)], goalLine: { kind: 'complete', summary: null } },
    { actions: [], goalLine: { kind: 'complete', summary: 'done' } },
    { actions: [], goalLine: { kind: 'blocked', reason: null } },
    { actions: [], goalLine: { kind: 'verify', command: 'test' } },
    { actions: [], goalLine: { kind: 'check', command: 'test' } },
    { actions: [], goalLine: { kind: 'ask', question: 'which?' } },
    { actions: [], goalLine: { kind: 'need', need } },
  ];
}

/** What the gate may say of the action whose turn it is. */
function judgements(action: Action): readonly Judgement[] {
  const of = { actionId: action.id, grant: null };
  return [
    { ...of, classification: safe },
    { ...of, classification: bad },
    { ...of, classification: safe, confirm: 'you want to see it' },
    { ...of, classification: bad, grant },
    { ...of, classification: { ...bad, held: true } },
  ];
}

function endings({ id: actionId, kind }: Action): readonly Ending[] {
  const gone: readonly Ending[] = [
    { kind: 'lost', actionId },
    { kind: 'refused', actionId, reason: 'too long' },
    { kind: 'outdated', actionId, why: 'others now' },
  ];
  if (kind === 'command') {
    return [...gone, { kind: 'ran', actionId, outcome }, { kind: 'ran', actionId, outcome: { ...outcome, held } }];
  }
  const result = { text: 'done', isError: false, omittedBytes: 0 };
  return [...gone, { kind: 'answered', actionId, result }, { kind: 'asks', actionId, pending: asks }];
}

const VERDICTS: readonly Verdict[] = ['proceed', 'skip', 'abort', 'edit'];

/** Verdicts of a person, or of aish when nobody answered in time, to whatever is asked. */
function verdicts({ machine, isAsked }: Explored<SessionMachine>): readonly ActionEvent[] {
  if (!isAsked) return [];
  const head = headOf(machine);
  if (head === undefined) {
    return VERDICTS.filter((verdict) => verdict !== 'edit').map((verdict) => {
      const reach = verdict === 'proceed' ? ['nas is there'] : null;
      return { type: 'needDecided', verdict, reach, message: null, by: 'p' };
    });
  }
  // The api takes no edit of what has run, and none of an answer.
  const isEditable = head.held === undefined && head.pending === undefined;
  return VERDICTS.filter((verdict) => isEditable || verdict !== 'edit').map((verdict) => ({
    type: 'decided',
    actionId: head.id,
    verdict,
    message: null,
    edited: verdict === 'edit' ? { ...head, ...(head.kind === 'command' ? { command: 'echo other' } : {}) } : null,
    answer: head.pending === undefined ? null : { action: 'accept', content: { name: 'x' } },
    by: 'aish',
  }));
}

/** What the world and a person may do in any session. */
function actionEvents(at: Explored<SessionMachine>): readonly ActionEvent[] {
  const head = headOf(at.machine);
  const away = { type: 'away', what: 'sandbox', reason: 'it is away' } as const;
  return [
    { ...away, began: true },
    { ...away, began: false },
    ...(head?.state === 'pending' ? judgements(head) : []).map((judgement): ActionEvent => ({
      type: 'classified',
      judgements: [judgement],
      tookMs: 0,
    })),
    ...(head?.state === 'started' || head?.held !== undefined ? endings(head) : []).map((ending): ActionEvent => ({
      type: 'ended',
      endings: [ending],
      tookMs: 0,
    })),
    ...verdicts(at),
  ];
}

function goalAnswer(step: number, of: ReturnType<typeof answers>[number], more: object = {}): GoalEvent {
  const said = { text: 't', model: null, usage: null, notes: [], isSchemaEcho: false, tookMs: 0 };
  return { type: 'answered', ...said, ...of, checkId: `${step}.check`, ...more };
}

function goalEvents(at: Explored<GoalMachine>): readonly GoalEvent[] {
  const { machine, isAsked } = at;
  const { step, stepBudget, failures } = machine;
  const isAnswered = step?.answered !== false;
  const line = headOf(machine) === undefined ? step?.goalLine?.kind : undefined;
  const asked = isAsked && line !== 'need' ? VERDICTS.filter((verdict) => verdict !== 'edit') : [];
  return [
    { type: 'taken' },
    // Later steps begin as the first one does.
    ...(isAnswered ? [] : answers(step.n).slice(0, step.n === 1 ? 99 : 3)).map((each) =>
      goalAnswer(step?.n ?? 0, each),
    ),
    ...(isAnswered ? [] : [goalAnswer(step.n, { actions: [], goalLine: null }, { cut: 'in-command' })]),
    // Such an answer costs no budget, so it may come without end.
    ...(isAnswered || step.n > 1 ? [] : [{ type: 'interrupted', step: step.n, text: 'half' } as const]),
    ...(line === 'verify' ? asked : []).map((verdict): GoalEvent => ({
      type: 'checkDecided',
      verdict,
      command: 'test',
      message: null,
      by: 'p',
    })),
    ...(line === 'ask' ? asked : []).map((verdict): GoalEvent => ({
      type: 'questionDecided',
      verdict,
      answer: 'blue',
      message: null,
      by: 'p',
    })),
    { type: 'cancelled', by: 'p', outcomes: {} },
    { type: 'paused', by: 'p' },
    { type: 'resumed', isAsked },
    { type: 'edited', text: 'more', by: 'p' },
    { type: 'failed', reason: 'no preset' },
    ...(failures < 1 ? [{ type: 'broke', reason: 'oops' } as const] : []),
    ...(stepBudget <= 1 ? [{ type: 'continued', steps: 1, message: 'go on', by: 'p' } as const] : []),
    ...actionEvents(at).filter(({ type }) => type !== 'needDecided' || line === 'need'),
  ];
}

const GOAL: Explorable<GoalMachine, GoalEvent> = {
  start: { ...FRESH, stepBudget: 1 },
  advance,
  events: goalEvents,
  isEnded: ({ state }) => isTerminal(state),
  isHalted: ({ state }) => state === 'halted',
  afterEnd: new Set(['continued', 'edited', 'interrupted']),
};

const answered = (of: ReturnType<typeof answers>[number], more: Partial<Answered> = {}): ChatEvent => ({
  type: 'answered',
  answer: {
    text: 't',
    reasoning: '',
    toolCalls: [],
    ...of,
    end: 'whole',
    preset: 'fast',
    fallbackFrom: null,
    model: null,
    usage: null,
    firstWordMs: null,
    totalMs: 0,
    notes: [],
    isSchemaEcho: false,
    trouble: null,
    ...more,
  },
});

const CHAT: Explorable<ChatMachine, ChatEvent> = {
  start: {
    state: 'running',
    exchange: 1,
    rounds: 1,
    maxRounds: 3,
    autoContinue: true,
    readsGoOn: false,
    confirmCommands: true,
    trust: 'ask',
    recent: [],
    step: { n: 1, answered: false, goalLine: null, actions: [] },
  },
  advance: advanceChat,
  events: (at) => {
    const { step } = at.machine;
    const isOpen = step?.answered === false;
    const taken = (text: string): ChatEvent => ({ type: 'taken', draft: { text, reasoning: '' }, preset: 'fast' });
    const asked = isOpen ? answers(step.n).filter(({ goalLine }) => goalLine === null || goalLine.kind === 'need') : [];
    return [
      taken(''),
      taken('half a'),
      ...asked.map((each) => answered(each)),
      ...(['length', 'stopped', 'failed'] as const).map((end) => answered({ actions: [], goalLine: null }, { end })),
      ...(['empty', 'in-command'] as const).map((cut) => answered({ actions: [], goalLine: null }, { cut })),
      { type: 'stopped', by: 'p', outcomes: {} },
      { type: 'overtaken', by: 'p' },
      // In a chat nothing is edited.
      ...actionEvents(at).filter((event) => !(event.type === 'decided' && event.verdict === 'edit')),
    ];
  },
  isEnded: ({ state }) => state === 'idle',
  isHalted: ({ state }) => state === 'deciding',
  afterEnd: new Set(),
};

describe('every state of two steps', () => {
  it.each([
    ['goal', () => explore(GOAL)],
    ['chat', () => explore(CHAT)],
  ])('of a %s keeps the rules of actions and questions', (_, all) => {
    const { states, steps } = all();
    expect(steps).toBeGreaterThan(states);
    expect(states).toBeGreaterThan(50);
  });
});

type Decide = typeof advance;

/** Machines with one fault each, and the rule that it breaks. */
const FAULTS: readonly (readonly [string, string, Decide])[] = [
  [
    'runs again what it should take over',
    'a command begins once',
    (machine, event) => {
      const decided = advance(machine, event);
      const { effect } = decided;
      return effect?.type === 'recover' ? { ...decided, effect: { type: 'run', actions: [effect.action] } } : decided;
    },
  ],
  [
    'runs what is destructive',
    'a command begins once',
    (machine, event) =>
      advance(
        machine,
        event.type === 'classified'
          ? { ...event, judgements: event.judgements.map((each) => ({ ...each, classification: safe })) }
          : event,
      ),
  ],
  [
    'takes a skip for a proceed',
    'what a person refused',
    (machine, event) =>
      advance(machine, event.type === 'decided' && event.verdict === 'skip' ? { ...event, verdict: 'proceed' } : event),
  ],
  [
    'drives on from a verdict',
    'whoever gives a verdict',
    (machine, event) => {
      const decided = advance(machine, event);
      return event.type === 'decided' && decided.effect === null ? { ...decided, effect: { type: 'ask' } } : decided;
    },
  ],
  [
    'leaves its question open at the end',
    'no question outlives',
    (machine, event) => {
      const decided = advance(machine, event);
      return { ...decided, records: decided.records.filter(({ type }) => type !== 'withdrawDecisions') };
    },
  ],
  [
    'halts without asking',
    'who waits for a person',
    (machine, event) => {
      const decided = advance(machine, event);
      return { ...decided, records: decided.records.filter(({ type }) => type !== 'requestDecision') };
    },
  ],
  [
    'is driven on after its end',
    'what has ended stays',
    (machine, event) =>
      event.type === 'taken' && machine.state === 'done'
        ? { machine: { ...machine, state: 'running' }, records: [], effect: { type: 'ask' } }
        : advance(machine, event),
  ],
  [
    'forgets to write that a command has begun',
    'records say what the machine says',
    (machine, event) => {
      const decided = advance(machine, event);
      const records = decided.records.map((record) =>
        record.type === 'setAction' && record.state === 'started' ? { ...record, state: 'approved' as const } : record,
      );
      return { ...decided, records };
    },
  ],
  [
    'never goes on after a pause',
    'can go on',
    (machine, event) => (machine.state === 'paused' ? { machine, records: [], effect: null } : advance(machine, event)),
  ],
];

describe('the explorer', () => {
  it.each(FAULTS)('finds a goal that %s', (_, rule, faulty) => {
    expect(() => explore({ ...GOAL, advance: faulty })).toThrow(BrokenRule);
    expect(() => explore({ ...GOAL, advance: faulty })).toThrow(rule);
  });
});

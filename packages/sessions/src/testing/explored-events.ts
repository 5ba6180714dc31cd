import {
  currentAction,
  type ActionEvent,
  type ActionMachine,
  type Ending,
  type Judgement,
  type NewAction,
} from '@aish/actions';
import type { Verdict } from '@aish/contracts/decisions';
import type { Classification } from '@aish/contracts/safety';
import type { PendingInput, ServerTask } from '@aish/contracts/tools';
import { OUTCOME } from '@aish/contracts/testing/outcome';
import type { GoalLine } from '@aish/prompt';

const HELD = {
  verdict: 'waiting',
  deleted: { files: 1, bytes: 9 },
  overwritten: { files: 0, bytes: 0 },
  own: null,
} as const;
const SAFE: Classification = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' };
const BAD: Classification = { verdict: 'destructive', reason: 'rm', ruleId: 'r', span: [0, 2], by: 'rule' };
const UNKNOWN: Classification = { ...BAD, verdict: 'unknown', reason: null };
const GRANT = { id: 'g', scope: 'rule', createdBy: 'p', carried: false } as const;
const QUESTION = { mode: 'form', message: 'which?', requestedSchema: { type: 'object' }, url: null } as const;
const PENDING: PendingInput = { questions: { one: QUESTION }, state: '', restarts: true };
const TASK: ServerTask = {
  alias: 'a',
  endpoint: 'e',
  taskId: 't',
  pollMs: 1,
  until: '2999-01-01T00:00:00.000Z',
  note: null,
  answered: [],
};
export const VERDICTS: readonly Verdict[] = ['proceed', 'skip', 'instead', 'edit', 'abort'];

/** A request that a model may make, as kinds of actions and a line. */
export interface Asked {
  readonly actions: readonly NewAction[];
  readonly goalLine: GoalLine | null;
}

type ActionKind = 'command' | 'tool' | 'reader' | 'faulty';

/** @param lines the lines that matter for this kind of session. */
export function askedOf(step: number, lines: readonly GoalLine[]): readonly Asked[] {
  const kinds: readonly (readonly ActionKind[])[] = [
    [],
    ['command'],
    ['tool'],
    ['faulty'],
    ['command', 'tool'],
    ['reader', 'reader'],
  ];
  return kinds.flatMap((asked) => {
    const actions = asked.map((kind, n) => actionOf(kind, `${step}.${n + 1}`));
    const own = asked.length === 0 ? lines : asked.length === 1 ? lines.slice(0, 1) : [];
    return [null, ...own].map((goalLine) => ({ actions, goalLine }));
  });
}

function actionOf(kind: ActionKind, id: string): NewAction {
  if (kind === 'command') return { id, kind, command: `do ${id}` };
  const call = { id, kind: 'tool', callId: id, tool: 't', label: 't', arguments: `{"n":"${id}"}` } as const;
  return kind === 'faulty' ? { ...call, readOnly: false, fault: 'no' } : { ...call, readOnly: kind === 'reader' };
}

/** Returns the events that may arrive about the current action, and about one that has already ended. */
export function actionEvents(machine: ActionMachine): readonly ActionEvent[] {
  const head = currentAction(machine);
  if (head === undefined) return [];
  const [{ id: actionId }, next] = [head, machine.step?.actions[1]];
  const judgements: readonly Omit<Judgement, 'actionId'>[] = [
    { classification: SAFE, grant: null },
    { classification: BAD, grant: null },
    { classification: UNKNOWN, grant: null },
    { classification: BAD, grant: GRANT },
    { classification: SAFE, grant: null, confirm: 'the model proposes it' },
    { classification: { ...BAD, held: true }, grant: null },
  ];
  const isPair = next !== undefined && next.id !== actionId && head.kind === 'tool' && head.readOnly === true;
  const beside = isPair
    ? [
        [{ actionId: next.id, classification: SAFE, grant: null }],
        [{ actionId: next.id, classification: BAD, grant: null }],
      ]
    : [];
  const edited = head.kind === 'command' ? ({ kind: 'command', command: 'edited' } as const) : null;
  return [
    ...judgements.map((each) => classifiedAs([{ actionId, ...each }])),
    ...beside.map((others) => classifiedAs([{ actionId, classification: SAFE, grant: null }, ...others])),
    ...endingsOf(actionId, head.kind).map((ending) => endedAs([ending])),
    ...(isPair ? endingsOf(actionId, 'tool').map((ending) => endedAs([ending, answered(next.id)])) : []),
    ...VERDICTS.map((verdict) => ({
      type: 'decided' as const,
      actionId,
      verdict,
      message: null,
      edited: verdict === 'edit' ? edited : null,
      answer: head.pending === undefined ? null : ({ action: 'decline' } as const),
      by: 'p',
    })),
    { type: 'unavailable', what: 'sandbox', reason: 'r', began: false },
    { type: 'unavailable', what: 'sandbox', reason: 'r', began: true },
  ];
}

function endingsOf(actionId: string, kind: 'command' | 'tool'): readonly Ending[] {
  const both: readonly Ending[] = [
    { kind: 'lost', actionId },
    { kind: 'refused', actionId, reason: 'r' },
    { kind: 'outdated', actionId, why: 'w' },
  ];
  if (kind === 'tool') {
    const waits: Ending = { kind: 'waits', actionId, pending: { ...PENDING, questions: {}, task: TASK } };
    return [...both, answered(actionId), { kind: 'asks', actionId, pending: PENDING }, waits];
  }
  return [
    ...both,
    { kind: 'ran', actionId, outcome: OUTCOME },
    { kind: 'ran', actionId, outcome: { ...OUTCOME, exitCode: 1 } },
    { kind: 'ran', actionId, outcome: { ...OUTCOME, held: HELD } },
  ];
}

function answered(actionId: string): Ending {
  return { kind: 'answered', actionId, result: { text: 'x', isError: false, omittedBytes: 0 } };
}

function classifiedAs(judgements: readonly Judgement[]): ActionEvent {
  return { type: 'classified', judgements, tookMs: 0 };
}

function endedAs(endings: readonly Ending[]): ActionEvent {
  return { type: 'ended', endings, tookMs: 0 };
}

import { find, hasEnded, headOf, type Action, type ActionRecord, type Advance, type Judgement } from '@aish/actions';
import type { SessionMachine } from '../machine/session.js';

/** One state of a session, and whether a person has an open question of it. */
export interface Explored<M> {
  readonly machine: M;
  readonly isAsked: boolean;
}

/** A machine, and what is to be known of it to explore it. */
export interface Explorable<M extends SessionMachine, E extends { readonly type: string }> {
  readonly start: M;
  readonly advance: (machine: M, event: E) => Advance<M, { readonly type: string }>;
  /** Everything that may arrive in a state: of verdicts those to the open question. */
  readonly events: (at: Explored<M>) => readonly E[];
  readonly isEnded: (machine: M) => boolean;
  /** Whether it stands still until a person answers. */
  readonly isHalted: (machine: M) => boolean;
  /** Events that may change what has ended. */
  readonly afterEnd: ReadonlySet<E['type']>;
}

/** The shortest way into a state that breaks a rule. */
export class BrokenRule extends Error {
  constructor(
    readonly rule: string,
    readonly way: readonly unknown[],
  ) {
    super(`${rule}\n${way.map((event) => JSON.stringify(event)).join('\n')}`);
  }
}

const STATES_MAX = 100_000;

/**
 * Visits every state that events lead to, breadth first, and holds each step to the rules of actions and questions. Pure.
 * @returns how many states and steps there are.
 * @throws BrokenRule with the shortest way there; Error where there are too many states.
 */
export function explore<M extends SessionMachine, E extends { readonly type: string }>(
  of: Explorable<M, E>,
): { readonly states: number; readonly steps: number } {
  const first: Explored<M> = { machine: of.start, isAsked: false };
  const seen = new Map<string, { readonly from: string | null; readonly event: E | null }>();
  // What it remembers of repetitions only matters after more steps than are explored.
  const keyOf = ({ machine, isAsked }: Explored<M>): string => JSON.stringify({ ...machine, recent: [], isAsked });
  seen.set(keyOf(first), { from: null, event: null });
  let steps = 0;
  for (let queue = [first]; queue.length > 0;) {
    const next: Explored<M>[] = [];
    for (const at of queue) {
      const key = keyOf(at);
      let leads = of.isEnded(at.machine);
      for (const event of of.events(at)) {
        steps += 1;
        const decided = of.advance(at.machine, event);
        const after = { machine: decided.machine, isAsked: isAsked(at, event, decided.records) };
        const rule = brokenRule(of, at, event, decided, after);
        if (rule !== null) throw new BrokenRule(rule, [...wayTo(seen, key), event]);
        const afterKey = keyOf(after);
        leads ||= afterKey !== key || decided.effect !== null;
        if (seen.has(afterKey)) continue;
        seen.set(afterKey, { from: key, event });
        next.push(after);
      }
      if (!leads) throw new BrokenRule('a session that has not ended can go on', wayTo(seen, key));
      if (seen.size > STATES_MAX) throw new Error(`more than ${STATES_MAX} states`);
    }
    queue = next;
  }
  return { states: seen.size, steps };
}

function wayTo(seen: ReadonlyMap<string, { from: string | null; event: unknown }>, key: string): readonly unknown[] {
  const way: unknown[] = [];
  for (let at = seen.get(key); at !== undefined && at.from !== null; at = seen.get(at.from)) way.unshift(at.event);
  return way;
}

const VERDICTS: ReadonlySet<string> = new Set(['decided', 'checkDecided', 'questionDecided', 'needDecided']);

/** As the rows have it: a verdict closes the question, records open and withdraw one. */
function isAsked<M>(
  { isAsked: before }: Explored<M>,
  event: { readonly type: string },
  records: readonly { readonly type: string }[],
): boolean {
  return records.reduce(
    (asked, { type }) => (type === 'requestDecision' ? true : type === 'withdrawDecisions' ? false : asked),
    before && !VERDICTS.has(event.type),
  );
}

/** The first rule that a step breaks; null: none. */
function brokenRule<M extends SessionMachine, E extends { readonly type: string }>(
  of: Explorable<M, E>,
  before: Explored<M>,
  event: E,
  { machine, records, effect }: Advance<M, { readonly type: string }>,
  after: Explored<M>,
): string | null {
  const wasEnded = of.isEnded(before.machine);
  const isChanged = JSON.stringify(machine) !== JSON.stringify(before.machine);
  if (wasEnded && !of.afterEnd.has(event.type) && (isChanged || records.length > 0 || effect !== null)) {
    return 'what has ended stays as it is';
  }
  if (effect?.type === 'run') {
    if (effect.actions.some((action) => !mayBegin(before.machine, action, event))) {
      return 'a command begins once, and only if it is safe, granted or approved';
    }
    if (effect.actions.some(({ id }) => stateOf(machine, id) !== 'started'))
      return 'what begins is written as started first';
  }
  if (
    effect?.type === 'recover' &&
    find(before.machine, effect.action.id, 'started') === null &&
    event.type === 'taken'
  ) {
    return 'only what was started is taken over';
  }
  if (isRefusal(event, before.machine) && stateOf(machine, event.actionId) !== 'skipped') {
    return 'what a person refused is skipped';
  }
  if (VERDICTS.has(event.type) && effect !== null) return 'whoever gives a verdict drives nothing';
  if (of.isHalted(machine) && !after.isAsked) return 'who waits for a person has asked one';
  if (of.isEnded(machine) && after.isAsked) return 'no question outlives its session';
  if (of.isEnded(machine) && !wasEnded && machine.step?.actions.some((action) => !hasEnded(action)) === true) {
    return 'no action is left open at the end';
  }
  return records.some((record) => isSetAction(record) && !isSetLast(record, records, machine, before.machine))
    ? 'records say what the machine says of its actions'
    : null;
}

function mayBegin(machine: SessionMachine, { id }: Action, event: { readonly type: string }): boolean {
  const state = stateOf(machine, id);
  if (state === 'approved') return headOf(machine)?.id === id;
  if (state !== 'pending' || !hasJudgements(event)) return false;
  const judgement = event.judgements.find(({ actionId }) => actionId === id);
  if (judgement === undefined) return false;
  const { classification, grant, confirm } = judgement;
  return (
    grant !== null || (confirm === undefined && (classification.verdict === 'safe' || classification.held === true))
  );
}

function hasJudgements(event: { readonly type: string }): event is {
  readonly type: 'classified';
  readonly judgements: readonly Judgement[];
} {
  return event.type === 'classified';
}

/** A person's no to a command or call that has not begun. */
function isRefusal(
  event: { readonly type: string },
  machine: SessionMachine,
): event is { readonly type: 'decided'; readonly actionId: string } {
  if (event.type !== 'decided' || !('verdict' in event) || event.verdict !== 'skip') return false;
  const head = headOf(machine);
  return head !== undefined && head.state === 'halted' && head.held === undefined && head.pending === undefined;
}

function stateOf({ step }: SessionMachine, id: string): string | undefined {
  return step?.actions.find((action) => action.id === id)?.state;
}

type SetAction = Extract<ActionRecord, { type: 'setAction' }>;

function isSetAction(record: { readonly type: string }): record is SetAction {
  return record.type === 'setAction';
}

/** The last word of the records about an action is its state; one of the step before is not in the machine any more. */
function isSetLast(
  { actionId }: SetAction,
  records: readonly { readonly type: string }[],
  machine: SessionMachine,
  before: SessionMachine,
): boolean {
  const state = stateOf(machine, actionId);
  if (state === undefined) return machine.step?.n !== before.step?.n;
  return records.filter(isSetAction).findLast((record) => record.actionId === actionId)?.state === state;
}

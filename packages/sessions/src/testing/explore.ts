import { actionText } from '@aish/contracts/actions';
import { hasEnded, type ActionRecord, type Advance } from '@aish/actions';
import type { SessionMachine } from '../machine/session.js';

/** A machine, and the facts about its path that the checks need. */
interface Known<M> {
  readonly machine: M;
  /** Actions that may begin because they are safe, granted or approved, with their content. */
  readonly allowed: Readonly<Record<string, string>>;
  /** Actions that have begun, except those that were reported as never begun. */
  readonly begun: readonly string[];
  /** The number of open decisions. */
  readonly open: number;
}

/** How to explore one kind of session. */
export interface Kind<
  M extends SessionMachine,
  E extends { readonly type: string },
  R extends { readonly type: string },
> {
  readonly advance: (machine: M, event: E) => Advance<M, R | ActionRecord>;
  /** Every event that may arrive, each with a name. */
  readonly events: (machine: M, open: number) => readonly E[];
  /** Returns the parts of a machine that distinguish states. */
  readonly key: (machine: M) => unknown;
  readonly isOver: (machine: M) => boolean;
  readonly isAsking: (machine: M) => boolean;
  /** Events that are accepted after the session has ended. */
  readonly afterEnd: ReadonlySet<E['type']>;
  /** Whether the machine is within its limits. */
  readonly isWithin: (machine: M) => boolean;
}

export interface Explored {
  readonly states: number;
  readonly transitions: number;
  /** Descriptions of the problems, each with the events that lead to it. */
  readonly broken: readonly string[];
}

interface Node<M> extends Known<M> {
  readonly from: Node<M> | null;
  readonly by: string;
}

const BROKEN_MAX = 5;

/** Explores every reachable state of a machine, breadth first, and checks the invariants on every path. */
export function explore<
  M extends SessionMachine,
  E extends { readonly type: string },
  R extends { readonly type: string },
>(first: M, kind: Kind<M, E, R>, statesMax: number): Explored {
  const seen = new Set<string>();
  const broken: string[] = [];
  let layer: Node<M>[] = [{ machine: first, allowed: {}, begun: [], open: 0, from: null, by: 'begins' }];
  let transitions = 0;
  const keyOf = ({ machine, allowed, begun, open }: Known<M>): string =>
    JSON.stringify([kind.key(machine), allowed, begun, open]);
  seen.add(keyOf(layer[0] as Node<M>));
  while (layer.length > 0 && broken.length < BROKEN_MAX) {
    const further: Node<M>[] = [];
    for (const node of layer) {
      if (broken.length >= BROKEN_MAX) break;
      let leadsOn = false;
      const here = keyOf(node);
      for (const event of kind.events(node.machine, node.open)) {
        transitions += 1;
        const decided = kind.advance(node.machine, event);
        if (decided.machine === node.machine && decided.records.length === 0 && decided.effect === null) continue;
        const next = { ...follow(node, event, decided), from: node, by: nameOf(event) };
        const wrong = wrongWith(node, event, decided, next, kind);
        if (wrong !== null) broken.push(`${wrong}\n  ${wayTo(next).join('\n  ')}`);
        const key = keyOf(next);
        leadsOn ||= key !== here || decided.effect !== null;
        if (seen.has(key) || seen.size >= statesMax) continue;
        seen.add(key);
        further.push(next);
      }
      if (!leadsOn && !kind.isOver(node.machine)) broken.push(`a dead end\n  ${wayTo(node).join('\n  ')}`);
    }
    layer = further;
  }
  if (seen.size >= statesMax) broken.push(`there are more than ${statesMax} states`);
  return { states: seen.size, transitions, broken: broken.slice(0, BROKEN_MAX) };
}

/** Applies the records of a step: which actions may begin, which have begun, and which decisions are open. */
function follow<M extends SessionMachine>(
  node: Known<M>,
  event: { readonly type: string },
  { machine, records, effect }: Advance<M, { readonly type: string } | ActionRecord>,
): Known<M> {
  const allowed = { ...node.allowed };
  let begun = [...node.begun];
  let { open } = node;
  if (/[dD]ecided$/.test(event.type) && records.length > 0) open -= 1;
  const wordOf = (id: string): string => {
    const action = [...(machine.step?.actions ?? []), ...(node.machine.step?.actions ?? [])].find(
      (each) => each.id === id,
    );
    return action === undefined ? '' : actionText(action);
  };
  for (const record of records as readonly ActionRecord[]) {
    if (record.type === 'requestDecision') open += 1;
    if (record.type === 'withdrawDecisions') open = 0;
    if (record.type === 'editAction') delete allowed[record.actionId];
    if (record.type === 'useGrant') allowed[record.actionId] = wordOf(record.actionId);
    if (record.type === 'classifyAction') {
      const { verdict, held } = record.classification;
      if (verdict === 'safe' || held === true) allowed[record.actionId] = wordOf(record.actionId);
    }
    if (record.type !== 'setAction') continue;
    const { actionId, state } = record;
    if (state === 'approved' && event.type !== 'unavailable') allowed[actionId] = wordOf(actionId);
    // The action never began, or it continues after a question of its server, or only the verdict counts.
    if (state === 'pending' || state === 'approved' || state === 'halted')
      begun = begun.filter((id) => id !== actionId);
    if (state === 'pending') delete allowed[actionId];
    if (state === 'finished' || state === 'skipped' || state === 'lost') {
      begun = begun.filter((id) => id !== actionId);
      delete allowed[actionId];
    }
  }
  if (effect?.type === 'run') begun = [...begun, ...effect.actions.map(({ id }) => id)];
  return { machine, allowed, begun: begun.toSorted(), open };
}

/** Describes the problem of a step, or returns null if there is none. */
function wrongWith<M extends SessionMachine, E extends { readonly type: string }, R extends { readonly type: string }>(
  before: Known<M>,
  event: E,
  { machine, records, effect }: Advance<M, R | ActionRecord>,
  after: Known<M>,
  kind: Kind<M, E, R>,
): string | null {
  if (effect?.type === 'run') {
    for (const action of effect.actions) {
      if (after.allowed[action.id] !== actionText(action)) return `${action.id} runs, and nothing let it`;
      if (before.begun.includes(action.id)) return `${action.id} begins twice`;
      if (!records.some((each) => isSet(each) && each.actionId === action.id && each.state === 'started'))
        return `${action.id} runs, and is not written as started`;
    }
  }
  if (effect?.type === 'recover' && !before.begun.includes(effect.action.id) && event.type !== 'unavailable')
    return `${effect.action.id} is looked after, and never began`;
  if (kind.isOver(machine)) {
    if (machine.step?.actions.some((action) => !hasEnded(action)) === true) return 'an action is open at the end';
    if (after.open !== 0) return `${after.open} questions are open at the end`;
    if (effect !== null) return 'it does something after its end';
    if (kind.isOver(before.machine) && records.length > 0 && !kind.afterEnd.has(event.type))
      return 'it goes on after its end';
  }
  if (kind.isAsking(machine) && after.open !== 1) return `${after.open} questions are open at a halt`;
  if (after.open < 0 || after.open > 1) return `${after.open} questions are open`;
  if (!kind.isWithin(machine)) return 'it goes beyond its bounds';
  const replayed = JSON.stringify(statesBy(before.machine, records, machine));
  const now = JSON.stringify(statesOf(machine));
  return replayed === now ? null : `its records say ${replayed}, and it has ${now}`;
}

/** Computes the states of the actions of the newest step from the previous states and the records. */
function statesBy<M extends SessionMachine>(
  before: M,
  records: readonly { readonly type: string }[],
  after: M,
): Readonly<Record<string, string>> {
  const states: Record<string, string> = { ...statesOf(before) };
  for (const { id } of after.step?.actions ?? []) states[id] ??= 'pending';
  for (const record of records) if (isSet(record)) states[record.actionId] = record.state;
  const own = (after.step?.actions ?? []).map(({ id }) => [id, states[id] ?? '']);
  return Object.fromEntries(own);
}

function statesOf({ step }: SessionMachine): Readonly<Record<string, string>> {
  return Object.fromEntries((step?.actions ?? []).map(({ id, state }) => [id, state]));
}

function isSet(record: { readonly type: string }): record is Extract<ActionRecord, { type: 'setAction' }> {
  return record.type === 'setAction';
}

function nameOf(event: { readonly type: string }): string {
  const { type, ...rest } = event;
  return `${type} ${JSON.stringify(rest)}`.slice(0, 300);
}

function wayTo<M>(node: Node<M>): readonly string[] {
  return node.from === null ? [] : [...wayTo(node.from), node.by];
}

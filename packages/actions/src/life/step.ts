import type { ActionRequest, ActionState } from '@aish/contracts/actions';
import { openTask, type PendingInput } from '@aish/contracts/tools';
import type { Action, ActionEffect, ActionRecord } from '../action.js';
import type { Recent } from './repeats.js';

/** What the machine of a session has to know for its actions. */
export interface ActionMachine {
  readonly state: string;
  /** The newest step. */
  readonly step: { readonly n: number; readonly answered: boolean; readonly actions: readonly Action[] } | null;
  /** The newest actions that have ended and what came of them, oldest first. */
  readonly recent: readonly Recent[];
}

/** What follows from an event: the machine after it, what is written, and the one thing to do then. */
export interface Advance<M, R = ActionRecord> {
  readonly machine: M;
  readonly records: readonly R[];
  /** Null: nothing to do until a person, a timer or nobody. */
  readonly effect: { readonly type: 'ask' } | ActionEffect | null;
}

export function nothing<M>(machine: M): Advance<M, never> {
  return { machine, records: [], effect: null };
}

const ENDED: ReadonlySet<ActionState> = new Set(['finished', 'skipped', 'lost']);

/** Whether nothing more becomes of an action. */
export function hasEnded({ state }: Pick<Action, 'state'>): boolean {
  return ENDED.has(state);
}

/** Whether a call is under way, whose server may have a question open. */
export function isCalling({ step }: ActionMachine): boolean {
  return step?.actions.some(({ kind, state }) => kind === 'tool' && state === 'started') ?? false;
}

/** The call whose turn it is, where it has become a task of its server. */
export function atServer(machine: ActionMachine): Action | null {
  const head = headOf(machine);
  return head?.state === 'started' && openTask(head.pending) !== null ? head : null;
}

/** The action whose turn it is. */
export function headOf({ step }: ActionMachine): Action | undefined {
  return step?.actions.find((action) => !hasEnded(action));
}

/** The action whose turn it is, if it is this one in this state: actions go in order, so no other may change. */
export function find(machine: ActionMachine, actionId: string, state: ActionState): Action | null {
  const head = headOf(machine);
  return head?.id === actionId && head.state === state ? head : null;
}

export function changeAction<M extends ActionMachine>(
  machine: M,
  actionId: string,
  change: {
    readonly state: ActionState;
    readonly passed?: boolean;
    readonly pending?: PendingInput;
    readonly request?: ActionRequest;
    readonly held?: Action['held'];
  },
): M {
  if (machine.step === null) return machine;
  const { request, ...rest } = change;
  const actions = machine.step.actions.map((action) =>
    action.id === actionId ? { ...action, ...request, ...rest } : action,
  );
  return { ...machine, step: { ...machine.step, actions } };
}

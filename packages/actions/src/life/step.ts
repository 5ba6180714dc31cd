import type { ActionRequest, ActionState } from '@aish/contracts/actions';
import { openTask, type PendingInput } from '@aish/contracts/tools';
import type { Action, ActionEffect, ActionRecord } from '../action.js';
import type { RecentAction } from './repeats.js';

/** The data about its actions that a session's machine needs. */
export interface ActionMachine {
  readonly state: string;
  /** The newest step. */
  readonly step: { readonly n: number; readonly answered: boolean; readonly actions: readonly Action[] } | null;
  /** The newest ended actions and their results, oldest first. */
  readonly recent: readonly RecentAction[];
}

/** The result of an event: the next machine, the records to write, and the one effect to perform. */
export interface Advance<M, R = ActionRecord> {
  readonly machine: M;
  readonly records: readonly R[];
  /** The effect; null if there is nothing to do until a person or a timer acts, or if all work is done. */
  readonly effect: { readonly type: 'ask' } | ActionEffect | null;
}

export function noChange<M>(machine: M): Advance<M, never> {
  return { machine, records: [], effect: null };
}

const ENDED: ReadonlySet<ActionState> = new Set(['finished', 'skipped', 'lost']);

/** Whether an action has ended for good. */
export function hasEnded({ state }: Pick<Action, 'state'>): boolean {
  return ENDED.has(state);
}

/** Whether a call is running. Its server may have an open question. */
export function isCalling({ step }: ActionMachine): boolean {
  return step?.actions.some(({ kind, state }) => kind === 'tool' && state === 'started') ?? false;
}

/** Returns the current call, if it has become a task of its server. */
export function atServer(machine: ActionMachine): Action | null {
  const head = currentAction(machine);
  return head?.state === 'started' && openTask(head.pending) !== null ? head : null;
}

/** Returns the action whose turn it is. */
export function currentAction({ step }: ActionMachine): Action | undefined {
  return step?.actions.find((action) => !hasEnded(action));
}

/**
 * Returns the action whose turn it is, if it is this one in this state. Actions run in order, so no other action may
 * change.
 */
export function find(machine: ActionMachine, actionId: string, state: ActionState): Action | null {
  const head = currentAction(machine);
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

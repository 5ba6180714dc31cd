import type { DecisionKind } from '@aish/contracts/decisions';
import type { NewTurn } from '@aish/contracts/sessions';
import type { ServerTask } from '@aish/contracts/tools';
import type { Action } from '../action.js';
import type { ActionMachine, Advance } from './step.js';

/** A changed machine, and the records of the change. */
export type Change<M, R> = Omit<Advance<M, R>, 'effect'>;

/** How goals and chats treat actions differently. */
export interface LifePolicy<M extends ActionMachine, R> {
  /** The word for the session in texts for people. */
  readonly of: 'goal' | 'chat';
  /** Returns the kind of a decision about an action. */
  readonly questionOf: (action: Action) => DecisionKind;
  /** Asks a person. Nothing continues until there is an answer. `reason` is null if the decision is already open. */
  readonly halt: (machine: M, reason: string | null) => Change<M, R>;
  /** Handles the answer of a person. The next runner of the session continues. */
  readonly release: (machine: M) => Change<M, R>;
  /** Decides what happens after calls became tasks of their servers, until the first task is due to be polled. */
  readonly wait: (machine: M, call: Extract<Action, { kind: 'tool' }>, task: ServerTask) => Advance<M, R>;
  /** The notice to the model when a person approved an action; null if there is none. */
  readonly approvedTurn: NewTurn | null;
  /** The advice to a model that repeats itself. */
  readonly orElse: string;
}

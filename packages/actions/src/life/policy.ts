import type { DecisionKind } from '@aish/contracts/decisions';
import type { NewTurn } from '@aish/contracts/sessions';
import type { ServerTask } from '@aish/contracts/tools';
import type { Action } from '../action.js';
import type { ActionMachine, Advance } from './step.js';

/** A machine that was changed, and what is written of that. */
export type Change<M, R> = Omit<Advance<M, R>, 'effect'>;

/** What a goal makes of its actions otherwise than a chat. */
export interface LifePolicy<M extends ActionMachine, R> {
  /** What a person calls it. */
  readonly of: 'goal' | 'chat';
  /** What a question about an action is called. */
  readonly questionOf: (action: Action) => DecisionKind;
  /** A person is asked: nothing goes on until there is an answer. `reason`: null where the question stands already. */
  readonly halt: (machine: M, reason: string | null) => Change<M, R>;
  /** A person has answered. The next driver of the session continues. */
  readonly release: (machine: M) => Change<M, R>;
  /** Calls have become tasks of their servers: what follows until the first of them is to be asked after. */
  readonly wait: (machine: M, call: Extract<Action, { kind: 'tool' }>, task: ServerTask) => Advance<M, R>;
  /** What the model is told when a person let an action through; null: nothing. */
  readonly approvedTurn: NewTurn | null;
  /** What a model that repeats itself is told to do instead. */
  readonly orElse: string;
}

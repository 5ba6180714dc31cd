import {
  classified,
  closeActions,
  decided,
  ended,
  currentAction,
  isCalling,
  needNotices,
  next,
  noChange,
  proposed,
  type Action,
  type ActionEvent,
  type ActionMachine,
  type ActionRecord,
  type Advance,
  type Change,
  type LifePolicy,
  type NewAction,
} from '@aish/actions';
import type { Need } from '@aish/contracts/needs';
import type { GoalLine } from '@aish/prompt';

/** One answer of the model and what it asks for. */
export interface SessionStep {
  readonly n: number;
  readonly answered: boolean;
  /** The line of the answer that concerns the session itself. It takes effect after the actions. */
  readonly goalLine: GoalLine | null;
  readonly actions: readonly Action[];
}

/**
 * The common state of the machines of goals and chats. The runner builds it from rows, and gets the same result after
 * any crash.
 */
export interface SessionMachine extends ActionMachine {
  readonly step: SessionStep | null;
}

/** The person who ends a session's work, and their message. */
export interface Stop {
  readonly by: string;
  readonly message: string | null;
}

/** The differences between goals and chats. */
export interface SessionPolicy<M extends SessionMachine, R> extends LifePolicy<M, R> {
  /** Whether the session may have an open question for a person. */
  readonly mayBeAsked: (machine: M) => boolean;
  /** Asks the model again, or ends the work if a limit is reached. */
  readonly nextStep: (machine: M, records: readonly R[]) => Advance<M, R>;
  /** Decides what follows after the last action of an answer has ended. */
  readonly finish: (machine: M, step: SessionStep, records: readonly R[]) => Advance<M, R>;
  /** Ends the work because a person gave the verdict `abort`. */
  readonly abort: (machine: M, stop: Stop) => Advance<M, R>;
}

type Policy<M extends SessionMachine, R> = SessionPolicy<M, R | ActionRecord>;
type Next<M, R> = Advance<M, R | ActionRecord>;

/** Advances the machine until there is an effect to perform. */
export function advanceToEffect<M extends SessionMachine, R>(
  machine: M,
  records: readonly (R | ActionRecord)[],
  policy: Policy<M, R>,
): Next<M, R> {
  const { step } = machine;
  if (step === null) return policy.nextStep(machine, records);
  if (!step.answered) return { machine, records, effect: { type: 'ask' } };
  const head = currentAction(machine);
  return head === undefined ? policy.finish(machine, step, records) : next(machine, head, records, policy);
}

/** Handles an event about actions, in the same way for every session. */
export function advanceActions<M extends SessionMachine, R>(
  machine: M,
  event: Exclude<ActionEvent, { type: 'unavailable' }>,
  policy: Policy<M, R>,
): Next<M, R> {
  switch (event.type) {
    case 'classified':
      return classified(machine, event, policy, (after, records) => advanceToEffect(after, records, policy));
    case 'ended':
      return ended(machine, event, policy, (after, records) => advanceToEffect(after, records, policy));
    case 'decided':
      return decided(machine, event, policy, () => policy.abort(machine, event));
    case 'needDecided': {
      const need = pendingNeed(machine, policy);
      if (need === null) return noChange(machine);
      return event.verdict === 'abort'
        ? policy.abort(machine, event)
        : planned(machine, needNotices(need, event), policy);
    }
  }
}

/**
 * Handles a person's decision about something other than an action. The person's request only writes the result, and
 * the next runner asks the model.
 */
export function planned<M extends SessionMachine, R>(
  machine: M,
  records: readonly (R | ActionRecord)[],
  policy: Policy<M, R>,
): Next<M, R> {
  const after = policy.nextStep(machine, records);
  if (after.effect === null) return after;
  const released = policy.release(after.machine);
  return { machine: released.machine, records: [...after.records, ...released.records], effect: null };
}

/**
 * Returns the line of the newest answer that a person is asked about. Null if the person is asked about nothing or
 * about an action.
 */
export function pendingLine<M extends SessionMachine, R>(machine: M, policy: Policy<M, R>): GoalLine | null {
  if (!policy.mayBeAsked(machine) || currentAction(machine) !== undefined) return null;
  return machine.step?.goalLine ?? null;
}

/** Returns the access that the session has requested and that nobody has decided on yet. */
export function pendingNeed<M extends SessionMachine, R>(machine: M, policy: Policy<M, R>): Need | null {
  const line = pendingLine(machine, policy);
  return line?.kind === 'need' ? line.need : null;
}

/** Returns the machine with the model's answer to its newest step. */
export function withAnswer<M extends SessionMachine>(
  machine: M,
  step: SessionStep,
  { actions, goalLine }: { readonly actions: readonly NewAction[]; readonly goalLine: GoalLine | null },
): Change<M, ActionRecord> {
  const { records, recent, actions: asked } = proposed(actions, machine.recent);
  return { machine: { ...machine, recent, step: { ...step, answered: true, goalLine, actions: asked } }, records };
}

/** Closes everything: actions and calls get their ends, and decisions are withdrawn. */
export function closeEverything<M extends SessionMachine, R>(
  before: M,
  ended: M,
  why: string,
  policy: Policy<M, R>,
): Change<M, ActionRecord> {
  const { machine, records } = closeActions(ended, why);
  const isAsking = policy.mayBeAsked(before) || isCalling(before);
  return { machine, records: isAsking ? [...records, { type: 'withdrawDecisions' }] : records };
}

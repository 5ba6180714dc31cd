import {
  classified,
  closed,
  decided,
  ended,
  headOf,
  isCalling,
  needTold,
  next,
  nothing,
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
  /** The line of the answer that is about the session itself; it takes effect after the actions. */
  readonly goalLine: GoalLine | null;
  readonly actions: readonly Action[];
}

/** What the machines of goals and chats have in common. Made of rows by the driver; the same after any crash. */
export interface SessionMachine extends ActionMachine {
  readonly step: SessionStep | null;
}

/** A person who ends a session's work, and what they say. */
export interface Stop {
  readonly by: string;
  readonly message: string | null;
}

/** How a goal differs from a chat. */
export interface SessionPolicy<M extends SessionMachine, R> extends LifePolicy<M, R> {
  /** Whether a person may have a question of the session to answer. */
  readonly mayBeAsked: (machine: M) => boolean;
  /** Asks the model again, or ends the work where a bound is reached. */
  readonly nextStep: (machine: M, records: readonly R[]) => Advance<M, R>;
  /** What follows once every action of an answer has ended. */
  readonly finish: (machine: M, step: SessionStep, records: readonly R[]) => Advance<M, R>;
  /** A person ends the work instead of letting it go on. */
  readonly abort: (machine: M, stop: Stop) => Advance<M, R>;
}

type Policy<M extends SessionMachine, R> = SessionPolicy<M, R | ActionRecord>;
type Next<M, R> = Advance<M, R | ActionRecord>;

/** Goes on until there is something to do in the world. */
export function goOn<M extends SessionMachine, R>(
  machine: M,
  records: readonly (R | ActionRecord)[],
  policy: Policy<M, R>,
): Next<M, R> {
  const { step } = machine;
  if (step === null) return policy.nextStep(machine, records);
  if (!step.answered) return { machine, records, effect: { type: 'ask' } };
  const head = headOf(machine);
  return head === undefined ? policy.finish(machine, step, records) : next(machine, head, records, policy);
}

/** What follows from an event of actions, the same in every session. */
export function advanceActions<M extends SessionMachine, R>(
  machine: M,
  event: Exclude<ActionEvent, { type: 'away' }>,
  policy: Policy<M, R>,
): Next<M, R> {
  switch (event.type) {
    case 'classified':
      return classified(machine, event, policy, (after, records) => goOn(after, records, policy));
    case 'ended':
      return ended(machine, event, policy, (after, records) => goOn(after, records, policy));
    case 'decided':
      return decided(machine, event, policy, () => policy.abort(machine, event));
    case 'needDecided': {
      const need = askedNeed(machine, policy);
      if (need === null) return nothing(machine);
      return event.verdict === 'abort' ? policy.abort(machine, event) : planned(machine, needTold(need, event), policy);
    }
  }
}

/** What a person decided took the place of an action. They write it and drive nothing: the next driver asks the model. */
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

/** The line of the newest answer that a person is asked about; null where they are asked about nothing or an action. */
export function askedLine<M extends SessionMachine, R>(machine: M, policy: Policy<M, R>): GoalLine | null {
  if (!policy.mayBeAsked(machine) || headOf(machine) !== undefined) return null;
  return machine.step?.goalLine ?? null;
}

/** What a person has been asked to let the session reach, and has not answered. */
export function askedNeed<M extends SessionMachine, R>(machine: M, policy: Policy<M, R>): Need | null {
  const line = askedLine(machine, policy);
  return line?.kind === 'need' ? line.need : null;
}

/** The machine with the model's answer to its newest step. */
export function withAnswer<M extends SessionMachine>(
  machine: M,
  step: SessionStep,
  { actions, goalLine }: { readonly actions: readonly NewAction[]; readonly goalLine: GoalLine | null },
): Change<M, ActionRecord> {
  const { records, recent, actions: asked } = proposed(actions, machine.recent);
  return { machine: { ...machine, recent, step: { ...step, answered: true, goalLine, actions: asked } }, records };
}

/** Nothing is left open: actions and calls have their ends, and questions are withdrawn. */
export function withNothingOpen<M extends SessionMachine, R>(
  before: M,
  ended: M,
  why: string,
  policy: Policy<M, R>,
): Change<M, ActionRecord> {
  const { machine, records } = closed(ended, why);
  const isAsking = policy.mayBeAsked(before) || isCalling(before);
  return { machine, records: isAsking ? [...records, { type: 'withdrawDecisions' }] : records };
}

import { actionText } from '@aish/contracts/actions';
import { LAST_ASKED_ATTEMPT } from '@aish/contracts/decision-rules';
import { beforePlanTurn, notAskedAgainTurn, refusedTurn } from '@aish/prompt';
import type { Action, ActionEvent, ActionRecord, Judgement, NewAction } from '../action.js';
import { skip } from './end-action.js';
import type { LifePolicy } from './policy.js';
import { HALT_AT, NOT_RUN, addRecent, countRepeats, type RecentAction } from './repeats.js';
import { changeAction, hasEnded, currentAction, noChange, type ActionMachine, type Advance } from './step.js';
import { resultTurn } from './model-turns.js';

/** Maximum number of tool calls that run in parallel. */
const SIDE_BY_SIDE_MAX = 8;

/**
 * Returns the records for the actions of an answer at the start of its step. An action that can never run as written is
 * skipped, and the model gets a notice.
 */
export function proposed(
  asked: readonly NewAction[],
  before: readonly RecentAction[],
): {
  readonly actions: readonly Action[];
  readonly recent: readonly RecentAction[];
  readonly records: readonly ActionRecord[];
} {
  let recent = before;
  const records: ActionRecord[] = [];
  const actions = asked.map(({ fault, ...request }): Action => {
    if (fault === undefined) return { ...request, state: 'pending' };
    const action: Action = { ...request, state: 'skipped' };
    recent = addRecent(recent, action, NOT_RUN);
    records.push(
      { type: 'setAction', actionId: action.id, state: 'skipped', reason: fault },
      resultTurn(action, refusedTurn(actionText(action), fault)),
    );
    return action;
  });
  return { actions, recent, records };
}

/** Returns the next effect for the action whose turn it is. */
export function next<M extends ActionMachine, R>(
  machine: M,
  action: Action,
  records: readonly (NoInfer<R> | ActionRecord)[],
  policy: LifePolicy<M, R>,
): Advance<M, R | ActionRecord> {
  switch (action.state) {
    case 'pending':
      return { machine, records, effect: { type: 'classify', actions: sideBySide(machine, action) } };
    case 'approved':
      if (action.held !== undefined) return { machine, records, effect: { type: 'settle', action } };
      return begin(machine, [action], records);
    case 'started':
      return { machine, records, effect: { type: 'recover', action } };
    case 'halted': {
      const halted = policy.halt(machine, null);
      return { machine: halted.machine, records: [...records, ...halted.records], effect: null };
    }
    case 'finished':
    case 'skipped':
    case 'lost':
      return noChange(machine);
  }
}

/**
 * Runs the safe and granted actions, from the one whose turn it is up to the first that is neither. A person is asked
 * about that one when its own turn comes, so that no earlier action waits needlessly.
 *
 * @param goOn says what follows after the refusal of an action that a person does not want to be asked about again.
 */
export function classified<M extends ActionMachine, R>(
  machine: M,
  event: Extract<ActionEvent, { type: 'classified' }>,
  policy: LifePolicy<M, R>,
  goOn: (machine: M, records: readonly ActionRecord[]) => Advance<M, NoInfer<R> | ActionRecord>,
): Advance<M, R | ActionRecord> {
  const head = currentAction(machine);
  if (machine.state !== 'running' || head === undefined) return noChange(machine);
  const open = sideBySide(machine, head);
  const mayRun: Action[] = [];
  const records: ActionRecord[] = [];
  for (const [at, judgement] of event.judgements.entries()) {
    const action = open[at];
    const { actionId, classification, grant, variablesGrant } = judgement;
    if (action?.id !== actionId || action.state !== 'pending') break;
    const record: ActionRecord = { type: 'classifyAction', actionId, classification };
    const unasked = skippedUnasked(judgement);
    if (unasked !== null) {
      if (mayRun.length > 0) break;
      const skipped = skip(machine, action, unasked.why, unasked.turn(actionText(action)));
      return goOn(skipped.machine, [record, ...skipped.records]);
    }
    const reason = reasonToAsk(machine, action, judgement, event.at);
    if (reason !== null) {
      if (mayRun.length > 0) break;
      return halt(machine, action, reason, judgement, [record], policy);
    }
    mayRun.push(action);
    records.push(record);
    const used = needsPerson(judgement) ? grant : (variablesGrant ?? null);
    if (used !== null) records.push({ type: 'useGrant', actionId, grant: used });
  }
  return mayRun.length === 0 ? noChange(machine) : begin(machine, mayRun, records);
}

export function isCheck(action: Action): boolean {
  return action.kind === 'command' && action.isCheck === true;
}

/** Whether somebody has to approve an action. */
export function needsPerson({ classification, confirm }: Pick<Judgement, 'classification' | 'confirm'>): boolean {
  return (classification.verdict !== 'safe' && classification.held !== true) || confirm !== undefined;
}

/** Returns why an action is skipped without a question, and the notice for the model; null if it is not skipped. */
function skippedUnasked(judgement: Judgement) {
  if (judgement.isBeforePlan === true) return { why: 'nobody has accepted the plan yet', turn: beforePlanTurn };
  if (isRefusedUnasked(judgement))
    return { why: 'a person refused this and is not asked again', turn: notAskedAgainTurn };
  return null;
}

/** Whether a person said at the last question about it that the model must stop trying. */
function isRefusedUnasked(judgement: Judgement): boolean {
  const { attempt = 0, grant } = judgement;
  return attempt > LAST_ASKED_ATTEMPT && grant === null && needsPerson(judgement);
}

/** Returns the reason to ask a person; null if nobody has to be asked. */
function reasonToAsk(machine: ActionMachine, action: Action, judgement: Judgement, at?: number): string | null {
  const times = 1 + countRepeats(machine.recent, action, at);
  // A goal runs its check repeatedly, and checks have their own limit.
  if (times >= HALT_AT && !isCheck(action)) return `the model asks for this for the ${times}th time`;
  if (judgement.grant !== null || !needsPerson(judgement)) return null;
  return judgement.confirm ?? judgement.classification.reason ?? 'it is not known to be safe';
}

/**
 * Returns the action and the following ones that may run in parallel: calls that only read, according to a trusted
 * server.
 */
function sideBySide(machine: ActionMachine, head: Action): readonly Action[] {
  if (head.kind !== 'tool' || head.readOnly !== true || 1 + countRepeats(machine.recent, head) >= HALT_AT)
    return [head];
  const open = machine.step?.actions.filter((action) => !hasEnded(action)) ?? [];
  const others = open.findIndex(
    (action) =>
      action.kind !== 'tool' ||
      action.readOnly !== true ||
      action.state !== 'pending' ||
      1 + countRepeats(machine.recent, action) >= HALT_AT,
  );
  return open.slice(0, Math.min(SIDE_BY_SIDE_MAX, others < 0 ? open.length : others));
}

/** Starts actions. `started` is committed before anything runs, so that a crash can never make an action run twice. */
function begin<M extends ActionMachine, R>(
  machine: M,
  actions: readonly Action[],
  records: readonly (R | ActionRecord)[],
): Advance<M, R | ActionRecord> {
  return {
    machine: actions.reduce((changed, { id }) => changeAction(changed, id, { state: 'started' }), machine),
    records: [...records, ...actions.map(({ id }) => ({ type: 'setAction', actionId: id, state: 'started' }) as const)],
    effect: { type: 'run', actions: actions.map((action) => ({ ...action, state: 'started' })) },
  };
}

function halt<M extends ActionMachine, R>(
  machine: M,
  action: Action,
  reason: string,
  { classification, context, executionContext, binding, attempt }: Judgement,
  records: readonly (R | ActionRecord)[],
  policy: LifePolicy<M, R>,
): Advance<M, R | ActionRecord> {
  const halted = policy.halt(changeAction(machine, action.id, { state: 'halted' }), reason);
  return {
    machine: halted.machine,
    records: [
      ...records,
      { type: 'setAction', actionId: action.id, state: 'halted' },
      {
        type: 'requestDecision',
        kind: policy.questionOf(action),
        actionId: action.id,
        action: actionText(action),
        reason,
        ...(context === undefined ? {} : { context }),
        classification,
        ...(executionContext === undefined ? {} : { executionContext }),
        ...(binding === undefined ? {} : { binding }),
        ...(attempt === undefined ? {} : { attempt }),
      },
      ...halted.records,
    ],
    effect: null,
  };
}

import { find, type Action } from '@aish/actions';
import type { ActionRequest } from '@aish/contracts/actions';
import type { Decision, GrantScope, Verdict } from '@aish/contracts/decisions';
import type { EventBody, Notice } from '@aish/contracts/events';
import { AishError } from '@aish/contracts/problems';
import { elicitationAnswer } from '@aish/contracts/tools';
import { isJsonObject } from '@aish/contracts/json-text';
import { decide, findDecision } from '@aish/database/decisions.repository';
import { appendEvents } from '@aish/database/events.repository';
import { lockGoal } from '@aish/database/goals.repository';
import type { Tx } from '@aish/database/tx';
import { grantFrom } from './grant.js';
import { loadGoal } from './load.js';
import type { GoalEvent } from '../machine/goal/events.js';
import type { GoalMachine } from '../machine/goal/state.js';
import { withMachine } from './with-machine.js';

export interface VerdictToGive {
  readonly verdict: Verdict;
  readonly message: string | null;
  /** The replacement of the action, for verdict `edit`. */
  readonly edited: string | null;
  readonly granted: GrantScope | null;
  /** Whether the command keeps the variables of its execution context. */
  readonly carried?: boolean;
  /** Whether the approval is for the change window. The action is then judged again before it runs. */
  readonly inWindow?: boolean;
  /** The preview that the verdict names. aish keeps the run of that preview only. */
  readonly preview?: string | null;
  /** The requested values, already validated, for `proceed` on a decision that takes an answer. */
  readonly answer: Readonly<Record<string, unknown>> | null;
  /**
   * Gives the model the access that it needs, once this verdict is known to be the first. Returns the destinations that
   * commands can reach then. Used for `proceed` on a need.
   */
  readonly give?: (tx: Tx) => Promise<readonly string[]>;
  readonly by: string;
}

export interface GivenVerdict {
  readonly decision: Decision;
  readonly notice: Notice | null;
  /** The goal that a runner must continue now; null if the goal ended or is paused. */
  readonly goesOn: string | null;
}

/**
 * Answers a decision of a goal in the caller's transaction. The first verdict wins.
 * @throws AishError `not_found`; `decision_taken` with `{ state, verdict, decidedBy, decidedAt }` of the first verdict;
 * `invalid_body` for a grant by rule where no rule stopped the action, and for an edit of a tool call that is not a
 * JSON object.
 */
export async function giveVerdict(tx: Tx, asked: Decision, given: VerdictToGive): Promise<GivenVerdict> {
  const { goalId } = asked;
  if (goalId === null) throw new AishError('not_found', `Decision d${asked.number} does not belong to a goal`);
  if (asked.kind === 'elicitation' && (await isKeptOpen(tx, asked, goalId))) {
    return giveMeanwhile(tx, asked, goalId, given);
  }
  const { machine, notice } = await withMachine(tx, goalId, async (_row, before) => {
    if (!(await decide(tx, asked.id, decidedBy(given))))
      throw decisionTaken((await findDecision(tx, asked.id)) ?? asked);
    if (given.granted !== null) await grantFrom(tx, asked, { goalId }, given.granted, given);
    const access = (await given.give?.(tx)) ?? null;
    return { event: eventOf(asked, given, before, access), before: [decisionGiven(asked, given)] };
  });
  const decision = (await findDecision(tx, asked.id)) ?? asked;
  return { decision, notice, goesOn: machine.state === 'queued' ? goalId : null };
}

/** Whether the call that asks is still open. Its runner then waits for the answer and continues by itself. */
async function isKeptOpen(tx: Tx, asked: Decision, goalId: string): Promise<boolean> {
  const row = await lockGoal(tx, goalId);
  if (row === null) throw new AishError('not_found', `There is no goal ${goalId}`);
  const { machine } = await loadGoal(tx, row);
  return machine.step?.actions.some(({ id, state }) => id === asked.actionId && state === 'started') ?? false;
}

/** Saves the answer without superseding the runner, because only this runner holds the open call. */
async function giveMeanwhile(tx: Tx, asked: Decision, goalId: string, given: VerdictToGive): Promise<GivenVerdict> {
  if (!(await decide(tx, asked.id, decidedBy(given)))) throw decisionTaken((await findDecision(tx, asked.id)) ?? asked);
  const { sessionId } = asked;
  const event = decisionGiven(asked, given);
  const seq = await appendEvents(tx, sessionId, [event]);
  const notice: Notice = { type: 'events', sessionId, seq, goalId, types: [event.type] };
  return { decision: (await findDecision(tx, asked.id)) ?? asked, notice, goesOn: null };
}

function decidedBy({ answer, give: _give, ...given }: VerdictToGive): Parameters<typeof decide>[2] {
  return { ...given, ...(answer === null ? {} : { answer }) };
}

function eventOf(
  asked: Decision,
  given: VerdictToGive,
  machine: GoalMachine,
  access: readonly string[] | null,
): GoalEvent {
  const { verdict, message, edited, by } = given;
  const answer = asked.kind === 'elicitation' ? elicitationAnswer(verdict, given.answer) : null;
  if (asked.kind === 'question') {
    const answerText = given.answer?.['answer'];
    return {
      type: 'questionDecided',
      verdict,
      answer: typeof answerText === 'string' ? answerText : null,
      message,
      by,
    };
  }
  if (asked.kind === 'need') return { type: 'needDecided', verdict, access, message, by };
  if (asked.kind === 'plan') return { type: 'planDecided', verdict, plan: edited ?? asked.action, message, by };
  if (asked.actionId === null) {
    return { type: 'checkDecided', verdict, command: edited ?? asked.action, message, by };
  }
  const action = find(machine, asked.actionId, 'halted');
  return {
    type: 'decided',
    actionId: asked.actionId,
    verdict,
    message,
    edited: editedRequest(action, edited),
    answer,
    ...(asked.executionContext === null ? {} : { folder: asked.executionContext.folder }),
    ...(asked.attempt === undefined ? {} : { attempt: asked.attempt }),
    by,
  };
}

/** @throws AishError `invalid_body` if the text cannot be arguments of a tool */
function editedRequest(action: Action | null, edited: string | null): ActionRequest | null {
  if (action === null || edited === null) return null;
  if (action.kind === 'command') return { kind: 'command', command: edited };
  if (!isJsonObject(edited)) {
    const message = `the arguments of ${action.label} must be a JSON object, such as {"name":"value"}`;
    throw new AishError('invalid_body', `The verdict was not accepted: ${message}`, {
      errors: [{ path: 'command', message }],
    });
  }
  const { kind, callId, tool, label } = action;
  const readOnly = action.readOnly === true;
  return { kind, callId, tool, label, readOnly, arguments: edited };
}

function decisionGiven(
  asked: Decision,
  { verdict, message, edited, granted, carried = false, by }: VerdictToGive,
): EventBody {
  const { goalId, id: decisionId, number } = asked;
  return { type: 'decision.given', goalId, decisionId, number, verdict, message, edited, granted, carried, by };
}

/** The error for a second verdict. It describes the first one. */
export function decisionTaken({ state, verdict, decidedBy, decidedAt, number }: Decision): AishError {
  const how =
    state === 'withdrawn' ? 'was withdrawn, because its goal ended' : `was answered with ${verdict} by ${decidedBy}`;
  return new AishError('decision_taken', `Decision d${number} ${how}`, { state, verdict, decidedBy, decidedAt });
}

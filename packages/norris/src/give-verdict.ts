import { randomUUID } from 'node:crypto';
import {
  AishError,
  type ActionRequest,
  type Decision,
  type EventBody,
  type GrantScope,
  type Notice,
  type Verdict,
} from '@aish/contracts';
import { decide, findDecision, insertGrant, type Tx } from '@aish/database';
import type { GoalEvent } from './machine/events.js';
import { find, type GoalMachine, type MachineAction } from './machine/state.js';
import { withMachine } from './with-machine.js';

export interface VerdictToGive {
  readonly verdict: Verdict;
  readonly message: string | null;
  /** What runs instead, of verdict `edit`. */
  readonly edited: string | null;
  readonly granted: GrantScope | null;
  readonly by: string;
}

export interface GivenVerdict {
  readonly decision: Decision;
  readonly notice: Notice | null;
  /** The goal that is to be driven now; null when it ended or is paused. */
  readonly goesOn: string | null;
}

/**
 * Answers a decision of a goal, in the caller's transaction; the first verdict wins.
 * @throws AishError `not_found`; `decision_taken` with `{ state, verdict, decidedBy, decidedAt }` of the first;
 * `invalid_body` for a grant by rule where no rule stopped the action.
 */
export async function giveVerdict(tx: Tx, asked: Decision, given: VerdictToGive): Promise<GivenVerdict> {
  const { goalId } = asked;
  if (goalId === null) throw new AishError('not_found', `Decision d-${asked.number} is not of a goal`);
  const { machine, notice } = await withMachine(tx, goalId, async (_row, before) => {
    const event = eventOf(asked, given, before);
    if (!(await decide(tx, asked.id, given))) throw decisionTaken((await findDecision(tx, asked.id)) ?? asked);
    if (given.granted !== null) await grant(tx, asked, goalId, given.granted, given.by);
    return { event, before: [decisionGiven(asked, given)] };
  });
  const decision = (await findDecision(tx, asked.id)) ?? asked;
  return { decision, notice, goesOn: machine.state === 'queued' ? goalId : null };
}

function eventOf(asked: Decision, given: VerdictToGive, machine: GoalMachine): GoalEvent {
  const { verdict, message, edited, by } = given;
  if (asked.actionId === null) {
    return { type: 'checkDecided', verdict, command: edited ?? asked.action, message, by };
  }
  const action = find(machine, asked.actionId, 'halted');
  return { type: 'decided', actionId: asked.actionId, verdict, message, edited: editedRequest(action, edited), by };
}

function editedRequest(action: MachineAction | null, edited: string | null): ActionRequest | null {
  if (action === null || edited === null) return null;
  if (action.kind === 'command') return { kind: 'command', command: edited };
  const { kind, callId, tool, label } = action;
  const readOnly = action.readOnly === true;
  return { kind, callId, tool, label, readOnly, arguments: edited };
}

async function grant(tx: Tx, asked: Decision, goalId: string, scope: GrantScope, by: string): Promise<void> {
  const ruleId = asked.classification?.ruleId ?? null;
  if (asked.actionId === null) throw refusedGrant('A proposed check is accepted once, there is nothing to grant');
  if (scope === 'rule' && ruleId === null) {
    throw refusedGrant('No rule stopped this action, so no rule can be granted; grant the command');
  }
  const isRule = scope === 'rule';
  await insertGrant(tx, {
    id: randomUUID(),
    goalId,
    scope,
    action: isRule ? null : asked.action,
    ruleId: isRule ? ruleId : null,
    createdBy: by,
  });
}

function refusedGrant(message: string): AishError {
  return new AishError('invalid_body', message, { errors: [{ path: 'grant', message }] });
}

function decisionGiven(asked: Decision, { verdict, message, edited, granted, by }: VerdictToGive): EventBody {
  const { goalId, id: decisionId, number } = asked;
  return { type: 'decision.given', goalId, decisionId, number, verdict, message, edited, granted, by };
}

/** The error for a second verdict: it tells of the first. */
export function decisionTaken({ state, verdict, decidedBy, decidedAt, number }: Decision): AishError {
  const how =
    state === 'withdrawn' ? 'was withdrawn, because its goal ended' : `was answered with ${verdict} by ${decidedBy}`;
  return new AishError('decision_taken', `Decision d-${number} ${how}`, { state, verdict, decidedBy, decidedAt });
}

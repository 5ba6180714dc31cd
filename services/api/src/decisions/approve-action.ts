import { approve, namesOf, type Approval } from '@aish/contracts/approvals';
import type { Decision, GiveVerdict } from '@aish/contracts/decisions';
import type { EventBody, Notice } from '@aish/contracts/events';
import { AishError } from '@aish/contracts/problems';
import { appendAudit } from '@aish/database/audit.repository';
import { lockChat } from '@aish/database/chats.repository';
import { findDecision, setApprovals } from '@aish/database/decisions.repository';
import { appendEvents } from '@aish/database/events.repository';
import { lockGoal } from '@aish/database/goals.repository';
import type { Tx } from '@aish/database/tx';
import { decisionTaken } from '@aish/sessions';

/** The person who gives a verdict. */
export interface Giver {
  readonly name: string;
  /** The owner of the token; null for an anonymous holder of a link. */
  readonly owner: string | null;
}

/** How an action was approved: by whom, with which grant, and with which note. */
interface Runs {
  readonly by: string;
  readonly inWindow: boolean;
  readonly preview: string | null;
  /** The notes of all approvers, for the model. */
  readonly message: string | null;
}

/** Either the action runs now, or the decision still waits. */
export type ApprovalResult = { readonly runs: Runs } | { readonly waits: Decision; readonly notice: Notice };

/**
 * Applies one person's `proceed` to an action. The action runs, or the approval is stored until another person approves
 * the action too or the change window opens. @throws AishError `decision_taken`, `decision_changed`,
 * `needs_another_person`, `invalid_body`, `grant_forbidden`
 */
export async function approveAction(
  tx: Tx,
  asked: Decision,
  { name, owner }: Giver,
  given: GiveVerdict,
): Promise<ApprovalResult> {
  const fresh = await lockPending(tx, asked);
  mustBeShown(fresh, given);
  const { approval: state, version = '', difference } = fresh;
  const { inWindow = false, carried = false, preview, message } = given;
  if (state === undefined) return { runs: { by: name, inWindow: false, preview: null, message: message ?? null } };
  if (inWindow) mustBeAbleToWait(fresh);
  if (given.grant !== undefined && (state.needed > 1 || state.author !== null)) {
    const who = state.needed > 1 ? `${state.needed} people` : 'Someone other than its author';
    throw new AishError('grant_forbidden', `${who} must approve this each time, so it cannot become a grant`);
  }
  if (owner === null && (state.needed > 1 || state.author !== null)) {
    throw new AishError('needs_another_person', 'A link does not identify you. Answer in aish itself');
  }
  const named = { ...(preview === undefined ? {} : { preview }), ...(message === undefined ? {} : { message }) };
  const who = owner === null ? { by: name } : { by: owner, token: name };
  const one: Approval = { ...who, at: new Date().toISOString(), version, inWindow, carried, ...named };
  const next = approve(state, one);
  if (next.kind === 'refused') throw new AishError(next.code, `Decision d${fresh.number}: ${next.why}`);
  if (next.kind === 'runs') {
    const isAlone = state.needed === 1 && next.by === one.by;
    const runsInWindow = next.inWindow && difference === null;
    const { preview: kept, message } = next;
    return { runs: { by: isAlone ? name : next.by, inWindow: runsInWindow, preview: kept, message } };
  }
  const { approvals, waitsUntil } = next;
  await setApprovals(tx, fresh.id, approvals, waitsUntil);
  const names = approvals.map(({ by }) => by);
  await appendAudit(tx, {
    actor: name,
    action: 'verdict.approved',
    subject: `d${fresh.number}`,
    facts: {
      approvals: names,
      needed: state.needed,
      inWindow,
      waitsUntil,
      carried,
      ...named,
      version,
      action: fresh.action,
    },
  });
  const event = { type: 'decision.approved' as const, by: name, approvals: names, needed: state.needed, waitsUntil };
  return recordAndRead(tx, fresh, { ...event, ...namedBy(fresh) });
}

/**
 * Removes all approvals of a decision, which stays open. @throws AishError `decision_taken`; `not_found` if there was
 * no approval
 */
export async function takeBack(tx: Tx, asked: Decision, by: string): Promise<{ waits: Decision; notice: Notice }> {
  const fresh = await lockPending(tx, asked);
  const given = fresh.approval?.given ?? [];
  if (given.length === 0) throw new AishError('not_found', `Nobody has approved d${fresh.number} yet`);
  await setApprovals(tx, fresh.id, [], null);
  const facts = { approvals: namesOf(given), action: fresh.action };
  await appendAudit(tx, { actor: by, action: 'verdict.taken_back', subject: `d${fresh.number}`, facts });
  return recordAndRead(tx, fresh, { type: 'decision.taken_back', by, ...namedBy(fresh) });
}

function namedBy({ goalId, id: decisionId, number }: Decision) {
  return { goalId, decisionId, number };
}

function mustBeAbleToWait({ goalId, difference, number }: Decision): void {
  if (goalId === null) throw new AishError('invalid_body', 'Only a goal can wait for a change window; a chat cannot');
  if (difference !== null)
    throw new AishError(
      'invalid_body',
      `The command of d${number} has already run. Keep its changes or roll them back`,
    );
}

/** Locks the row of the session first, as every writer of a session does. */
async function lockPending(tx: Tx, asked: Decision): Promise<Decision> {
  const { goalId, sessionId, number } = asked;
  const row = goalId === null ? await lockChat(tx, sessionId) : await lockGoal(tx, goalId);
  const fresh = row === null ? null : await findDecision(tx, asked.id);
  if (fresh === null) throw new AishError('not_found', `There is no decision d${number}`);
  if (fresh.state !== 'pending') throw decisionTaken(fresh);
  return fresh;
}

async function recordAndRead(tx: Tx, { id, sessionId, goalId }: Decision, event: EventBody) {
  const seq = await appendEvents(tx, sessionId, [event]);
  const notice: Notice = { type: 'events', sessionId, seq, goalId, types: [event.type] };
  const waits = await findDecision(tx, id);
  if (waits === null) throw new AishError('not_found', 'The decision no longer exists');
  return { waits, notice };
}

/** @throws AishError `decision_changed` if the verdict is for an earlier version of the decision */
export function mustBeShown({ number, version }: Decision, given: GiveVerdict): void {
  if (given.version === undefined || given.version === version) return;
  throw new AishError('decision_changed', `Decision d${number} has changed since it was shown. Read it again`, {
    version,
  });
}

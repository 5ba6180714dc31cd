import { messageOf, namesOf, previewOf } from '@aish/contracts/approvals';
import type { Decision } from '@aish/contracts/decisions';
import type { Notice } from '@aish/contracts/events';
import { appendAudit } from '@aish/database/audit.repository';
import { findDecision, listWaiting, setApprovals } from '@aish/database/decisions.repository';
import { appendEvents } from '@aish/database/events.repository';
import { lockGoal } from '@aish/database/goals.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import { giveVerdict, type GivenVerdict } from '@aish/sessions';
import type { GoalPorts } from './goal-ports.js';

const AT_ONCE = 100;

/**
 * Runs actions that people approved for a change window that has now opened. Each action is judged again first. Several
 * workers may try at once. Actions that were answered or withdrawn in between stay as they are.
 */
export async function carryOutOpened({ db, queueGoal, publish }: GoalPorts): Promise<void> {
  for (const waiting of await listWaiting(db.statements, AT_ONCE)) {
    if (!isDue(waiting)) continue;
    const { id, goalId } = waiting;
    const given = await inTransaction(db, async (tx) => {
      const row = goalId === null ? null : await lockGoal(tx, goalId);
      const asked = row === null ? null : await findDecision(tx, id);
      return asked?.state === 'pending' ? letGo(tx, asked) : null;
    });
    if (given === null) continue;
    if (given.notice !== null) publish(given.notice);
    if (given.goesOn !== null) await queueGoal(given.goesOn, 'normal');
  }
}

/** Returns whether the window is open, or was changed or removed. */
function isDue({ approval }: Decision): boolean {
  return approval?.isOpen !== false || approval.opensAt !== approval.waitsUntil;
}

async function letGo(tx: Tx, asked: Decision): Promise<GivenVerdict | null> {
  const { approval, number, action, goalNumber } = asked;
  if (approval === undefined) return null;
  const { given, waitsUntil, isOpen, opensAt } = approval;
  if (waitsUntil === null || isOpen === null) return askAnew(tx, asked);
  if (!isOpen) {
    // The space now has other windows.
    await setApprovals(tx, asked.id, given, opensAt);
    return null;
  }
  const by = namesOf(given);
  const carried = given.some((one) => one.carried);
  const [preview, message] = [previewOf(given), messageOf(given)];
  const terms = { verdict: 'proceed', carried, inWindow: true, preview, message } as const;
  const done = await giveVerdict(tx, asked, { ...terms, edited: null, granted: null, answer: null, by });
  const facts = { ...terms, by, action, goal: goalNumber };
  await appendAudit(tx, { actor: by, action: 'verdict.given', subject: `d${number}`, facts });
  return done;
}

/** Asks a decision again. The action has changed since its approval, or the space's rules need more approvals. */
async function askAnew(tx: Tx, asked: Decision): Promise<GivenVerdict> {
  const { id: decisionId, sessionId, goalId, number } = asked;
  await setApprovals(tx, decisionId, [], null);
  const event = { type: 'decision.taken_back' as const, goalId, decisionId, number, by: 'aish' };
  const seq = await appendEvents(tx, sessionId, [event]);
  const notice: Notice = { type: 'events', sessionId, seq, goalId, types: [event.type] };
  return { decision: asked, notice, goesOn: null };
}

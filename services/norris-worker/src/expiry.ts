import { NOBODY, type Decision } from '@aish/contracts/decisions';
import { isAishError } from '@aish/contracts/problems';
import { listExpired } from '@aish/database/decisions.repository';
import { inTransaction } from '@aish/database/transaction';
import { giveVerdict } from '@aish/sessions';
import type { GoalPorts } from './goal-ports.js';

const AT_ONCE = 100;

/**
 * Gives the configured verdict, skip or abort, to expired decisions and drops their previews. Several workers may try
 * at once, and the first verdict counts.
 */
export async function answerExpired(
  { db, queueGoal, publish }: GoalPorts,
  dropPreview: (asked: Decision) => Promise<void>,
): Promise<void> {
  for (const asked of await listExpired(db.statements, AT_ONCE)) {
    const { expiryVerdict: verdict } = asked;
    if (verdict === null) continue;
    try {
      const message = verdict === 'skip' ? 'nobody answered in time' : null;
      // Nobody declined a server's question, so the question is cancelled, and the goal continues.
      const itsVerdict = asked.kind === 'elicitation' ? 'abort' : verdict;
      const given = await inTransaction(db, (tx) =>
        giveVerdict(tx, asked, { verdict: itsVerdict, message, edited: null, granted: null, answer: null, by: NOBODY }),
      );
      if (given.notice !== null) publish(given.notice);
      if (given.goesOn !== null) await queueGoal(given.goesOn, 'normal');
      await dropPreview(asked);
    } catch (error) {
      if (!isAishError(error, 'decision_taken', 'not_found')) throw error;
    }
  }
}

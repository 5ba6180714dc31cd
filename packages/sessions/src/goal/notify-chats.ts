import { actionText } from '@aish/contracts/actions';
import type { Notice } from '@aish/contracts/events';
import type { NewTurn } from '@aish/contracts/sessions';
import { goalEndedTurn, goalGivenTurn } from '@aish/prompt';
import type { Database } from '@aish/database/client';
import { appendEvents } from '@aish/database/events.repository';
import { takeUnreportedEnds } from '@aish/database/goals.repository';
import { newestStep, recentActions } from '@aish/database/steps.repository';
import { inTransaction } from '@aish/database/transaction';
import { appendTurns } from '@aish/database/turns.repository';
import type { Tx } from '@aish/database/tx';

const AT_ONCE = 50;
const ACTIONS_TOLD = 5;

/** Tells each chat once when a goal that it started ends, even if a process was killed in between. */
export async function notifyChats(db: Database, publish: (notice: Notice) => void): Promise<void> {
  const notices = await inTransaction(db, async (tx) => {
    const added: Notice[] = [];
    for (const { id, sessionId, number, chatId, state, summary, reason } of await takeUnreportedEnds(tx, AT_ONCE)) {
      const left = summary === null ? await leftBy(tx, sessionId) : undefined;
      added.push(await notify(tx, chatId, id, goalEndedTurn(number, state, summary ?? reason, left)));
    }
    return added;
  });
  for (const notice of notices) publish(notice);
}

/** Returns the commands and the last text of a goal without an answer, so that the chat can continue from there. */
async function leftBy(tx: Tx, sessionId: string): Promise<{ ran: string[]; wrote: string }> {
  const [actions, newest] = [await recentActions(tx, sessionId, ACTIONS_TOLD), await newestStep(tx, sessionId)];
  const started = actions.filter(({ startedAt }) => startedAt !== null);
  return { ran: started.map(({ request }) => `$ ${actionText(request)}`), wrote: newest?.step.text ?? '' };
}

/** Records in a chat that a person gave a goal there, in the caller's transaction. */
export function notifyGiven(
  tx: Tx,
  chatId: string,
  goal: { readonly id: string; readonly number: number; readonly text: string },
): Promise<Notice> {
  return notify(tx, chatId, goal.id, goalGivenTurn(goal.number, goal.text));
}

async function notify(tx: Tx, sessionId: string, goalId: string, turn: NewTurn): Promise<Notice> {
  await appendTurns(tx, sessionId, [turn]);
  const seq = await appendEvents(tx, sessionId, [{ type: 'goal.noticed', goalId, text: turn.content }]);
  return { type: 'events', sessionId, seq, goalId: null, types: ['goal.noticed'] };
}

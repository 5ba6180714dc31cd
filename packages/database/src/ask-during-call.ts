import { randomUUID } from 'node:crypto';
import type { ActionRequest } from '@aish/contracts/actions';
import type { EventBody } from '@aish/contracts/events';
import type { HaltExpiry } from '@aish/contracts/goals';
import { elicitationAnswer, shownQuestion, type Elicitation, type ElicitationAnswer } from '@aish/contracts/tools';
import type { Database } from './client.js';
import type { Tx } from './tx.js';
import { findDecision, insertDecision, waitForVerdict, withdrawDecision } from './repositories/decisions.repository.js';

/** The place of the call whose server asks a question. */
export interface AskingPlace {
  readonly sessionId: string;
  readonly goalId: string | null;
  readonly step: number | null;
  readonly stepBudget: number | null;
  /** The last lines that the model wrote before the call. */
  readonly context: string;
  readonly expiry?: HaltExpiry | null;
}

/**
 * Asks a person while a call stays open for the answer: writes the decision, waits, and withdraws the decision if the
 * wait ends first. This is for servers that cannot be asked again. All other decisions wait without a process.
 *
 * @param how `write` runs its work in a transaction as the session's runner, with the events that the work returns.
 */
export async function askDuringCall(
  db: Pick<Database, 'statements'>,
  action: ActionRequest & { readonly id: string },
  asked: Elicitation,
  place: AskingPlace,
  how: {
    readonly write: (work: (tx: Tx) => Promise<readonly EventBody[]>) => Promise<void>;
    readonly signal: AbortSignal;
  },
): Promise<ElicitationAnswer> {
  const { sessionId, goalId, step, stepBudget, context, expiry = null } = place;
  const id = randomUUID();
  const { action: text, request } = shownQuestion(asked);
  const reason = `${action.kind === 'tool' ? action.label : 'a tool'} asks, and its call is kept open for the answer`;
  const question = { kind: 'elicitation' as const, actionId: action.id, reason, action: text, stepBudget };
  let number = 0;
  await how.write(async (tx) => {
    const more = { id, sessionId, goalId, classification: null, stepNumber: step, context, expiry };
    const inserted = await insertDecision(tx, { ...question, ...more, ...(request === null ? {} : { request }) });
    number = inserted.number;
    return [{ type: 'decision.requested', goalId, decisionId: id, number, step, ...question }];
  });
  let decision = await waitForVerdict(db, id, how.signal);
  if (decision === null) {
    await how.write(async (tx) =>
      (await withdrawDecision(tx, id)) ? [{ type: 'decision.withdrawn', goalId, decisionId: id, number }] : [],
    );
    // Somebody may have answered at the last moment.
    decision = await findDecision(db.statements, id);
  }
  if (decision === null || decision.verdict === null) return { action: 'cancel' };
  return elicitationAnswer(decision.verdict, decision.answer);
}

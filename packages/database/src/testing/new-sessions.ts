import { randomUUID } from 'node:crypto';
import type { Goal } from '@aish/contracts/goals';
import type { Database } from '../client.js';
import { insertChat } from '../repositories/chats.repository.js';
import { inTransaction } from '../transaction.js';
import { insertGoal } from '../repositories/goals.repository.js';
import { writeSessionRecord, type AnsweredStep } from '../repositories/session-record.repository.js';

/**
 * Adds an idle chat of `p` without turns.
 *
 * @returns the ID of the chat's session.
 */
export async function newChat(db: Database, more: Partial<Parameters<typeof insertChat>[1]> = {}): Promise<string> {
  const id = randomUUID();
  const input = {
    owner: 'p',
    title: null,
    preset: 'fast',
    autoContinue: false,
    confirmCommands: true,
    forkedFrom: null,
  };
  await inTransaction(db, (tx) => insertChat(tx, { id, ...input, ...more }));
  return id;
}

/** Adds a new goal of three steps in its own session. */
export function newGoal(db: Database): Promise<Goal> {
  return inTransaction(db, (tx) =>
    insertGoal(tx, {
      id: randomUUID(),
      sessionId: randomUUID(),
      text: 'x',
      preset: 'fast',
      stepBudget: 3,
      createdBy: 'p',
    }),
  );
}

/** Adds the first step of a chat, answered with these actions. */
export async function newStep(db: Database, sessionId: string, actions: AnsweredStep['actions'] = []): Promise<void> {
  const of = { sessionId, progress: { state: 'running', exchange: 1, rounds: 1 } } as const;
  const record = { of, epoch: null, answered: null, started: null, actions: [], turns: [], events: [] };
  await writeSessionRecord(db.statements, { ...record, started: 1 });
  const answered = { n: 1, text: '', model: null, usage: null, goalLine: null, notes: [], actions };
  await writeSessionRecord(db.statements, { ...record, answered });
}

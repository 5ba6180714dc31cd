import type { Database } from '../client.js';
import { writeSessionRecord, type AnsweredStep } from '../repositories/session-record.repository.js';

/** The first step of a chat, answered with these actions. */
export async function newStep(db: Database, sessionId: string, actions: AnsweredStep['actions'] = []): Promise<void> {
  const of = { sessionId, progress: { state: 'running', exchange: 1, rounds: 1 } } as const;
  const record = { of, epoch: null, answered: null, started: null, actions: [], turns: [], events: [] };
  await writeSessionRecord(db.statements, { ...record, started: 1 });
  const answered = { n: 1, text: '', model: null, usage: null, goalLine: null, notes: [], actions };
  await writeSessionRecord(db.statements, { ...record, answered });
}

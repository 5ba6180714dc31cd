import { randomUUID } from 'node:crypto';
import type { Database } from '../client.js';
import { insertChat } from '../repositories/chats.repository.js';
import { inTransaction } from '../transaction.js';

/** An idle chat of `p` that nothing was said in. @returns the id of its session. */
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

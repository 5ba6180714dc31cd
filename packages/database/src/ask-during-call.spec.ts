import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { EventBody } from '@aish/contracts/events';
import type { Elicitation } from '@aish/contracts/tools';
import { askDuringCall } from './ask-during-call.js';
import type { Database } from './client.js';
import { decide, listDecisions } from './repositories/decisions.repository.js';
import { newChat, newStep } from './testing/new-sessions.js';
import { openSuiteDatabase } from './testing/suite-database.js';
import { inTransaction } from './transaction.js';
import type { Tx } from './tx.js';

const QUESTION: Elicitation = {
  mode: 'form',
  message: 'Which one?',
  requestedSchema: { type: 'object', properties: { which: { type: 'string' } } },
  url: null,
};

describe('a question to a person while a call stays open', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 4 });

  /** Asks the question in a new chat. */
  async function ask(signal: AbortSignal) {
    const sessionId = await newChat(db);
    const action = {
      kind: 'tool',
      callId: 'c',
      tool: 't',
      label: 'shop.buy',
      arguments: '{}',
      readOnly: false,
    } as const;
    const id = randomUUID();
    await newStep(db, sessionId, [{ ...action, id }]);
    const events: EventBody[] = [];
    const write = async (work: (tx: Tx) => Promise<readonly EventBody[]>): Promise<void> => {
      events.push(...(await inTransaction(db, work)));
    };
    const place = { sessionId, goalId: null, step: 1, stepBudget: null, context: 'the last lines' };
    const answered = askDuringCall(db, { ...action, id }, QUESTION, place, { write, signal });
    const pending = async () => {
      for (;;) {
        const [found] = await listDecisions(db.statements, { sessionId, state: 'pending', limit: 1 });
        if (found !== undefined) return found;
      }
    };
    const state = async () => (await listDecisions(db.statements, { sessionId, limit: 1 }))[0]?.state;
    return { answered, pending, state, events };
  }

  it("the question of a server shows the context of its call, and returns a person's answer", async () => {
    const { answered, pending, events } = await ask(AbortSignal.timeout(20_000));
    const asked = await pending();
    expect(asked).toMatchObject({ kind: 'elicitation', context: 'the last lines', stepNumber: 1 });
    expect(asked.reason).toContain('shop.buy asks');
    const answer = { which: 'both' };
    await decide(db.statements, asked.id, { verdict: 'proceed', message: null, answer, by: 'anna' });
    expect(await answered).toMatchObject({ action: 'accept', content: answer });
    expect(events.map(({ type }) => type)).toEqual(['decision.requested']);
  });

  it('a skip declines the question of a server', async () => {
    const { answered, pending } = await ask(AbortSignal.timeout(20_000));
    await decide(db.statements, (await pending()).id, { verdict: 'skip', message: null, by: 'anna' });
    expect(await answered).toMatchObject({ action: 'decline' });
  });

  it('the question of a server is withdrawn when its call ends', async () => {
    const gone = new AbortController();
    const { answered, pending, state, events } = await ask(gone.signal);
    await pending();
    gone.abort();
    expect(await answered).toEqual({ action: 'cancel' });
    expect(await state()).toBe('withdrawn');
    expect(events.map(({ type }) => type)).toEqual(['decision.requested', 'decision.withdrawn']);
  });

  it('an answer to the question of a server still counts if the call ends right after it', async () => {
    const gone = new AbortController();
    const { answered, pending, state, events } = await ask(gone.signal);
    const { id } = await pending();
    await decide(db.statements, id, { verdict: 'skip', message: null, by: 'anna' });
    gone.abort();
    expect(await answered).toMatchObject({ action: 'decline' });
    expect(await state()).toBe('decided');
    expect(events.map(({ type }) => type)).toEqual(['decision.requested']);
  });
});

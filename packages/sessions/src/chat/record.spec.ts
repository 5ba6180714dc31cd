import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isOneStatement } from '@aish/actions';
import { acceptMessage } from '@aish/database/accept-message.repository';
import { findChat, insertChat } from '@aish/database/chats.repository';
import type { Database } from '@aish/database/client';
import { listEvents } from '@aish/database/events.repository';
import { listSteps } from '@aish/database/steps.repository';
import { insertToken } from '@aish/database/tokens.repository';
import { inTransaction } from '@aish/database/transaction';
import { listTurns } from '@aish/database/turns.repository';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { machineAtStart } from './load.js';
import { advanceChat } from '../machine/chat/advance.js';
import type { Answered } from '../machine/chat/state.js';
import { recordChat, type ChatContext } from './record.js';

const ANSWER: Answered = {
  text: 'words\0, and half a pair: \ud83d',
  reasoning: 'because',
  toolCalls: [],
  actions: [],
  end: 'whole',
  preset: 'fast',
  fallbackFrom: null,
  model: 'tiny',
  usage: { promptTokens: 1, cachedTokens: null, completionTokens: 2, promptMs: null, completionMs: null },
  firstWordMs: 1,
  totalMs: 2,
  notes: ['a note'],
  goalLine: null,
  isSchemaEcho: false,
  trouble: null,
};

describe('recordChat', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 4 });

  /** Returns a chat whose first message was just accepted, and the context for saving an answer to it. */
  async function answered(answer: Answered, offered?: unknown) {
    const sessionId = randomUUID();
    await inTransaction(db, (tx) =>
      insertChat(tx, {
        id: sessionId,
        owner: 'p',
        title: 't',
        preset: 'fast',
        autoContinue: false,
        confirmCommands: true,
        trust: 'ask',
        forkedFrom: null,
      }),
    );
    const tokenId = randomUUID();
    await insertToken(db.statements, { id: tokenId, name: tokenId, hash: tokenId, scopes: ['operate'] });
    const accepted = await acceptMessage(db, sessionId, { text: 'hi', by: 'p', title: 't', tokenId });
    if (accepted === null) throw new Error('not accepted');
    const previous = machineAtStart(accepted.chat, accepted.step, {
      maxToolDepth: 8,
      maxChatSteps: 24,
      trustMax: 'ask',
      readsGoOn: true,
    });
    const { machine, records } = advanceChat(previous, { type: 'answered', answer });
    const context: ChatContext = {
      sessionId,
      previous,
      machine,
      words: answer.text,
      preset: 'fast',
      epoch: accepted.chat.epoch,
      offered,
    };
    return { sessionId, records, context };
  }

  it('one statement saves an answer, and returns its events and turns as they are stored', async () => {
    for (const answer of [
      ANSWER,
      { ...ANSWER, reasoning: '', model: null, usage: null, notes: [] },
      { ...ANSWER, end: 'failed', trouble: { code: 'model_timeout', detail: 'd' } } as const,
      { ...ANSWER, actions: [{ id: randomUUID(), kind: 'command', command: 'ls' }] } as const,
    ]) {
      const offered = answer === ANSWER ? [{ name: 'a', description: 'b', parameters: {} }] : undefined;
      const { sessionId, records, context } = await answered(answer, offered);
      expect(isOneStatement(records)).toBe(true);
      const { events, turns } = await recordChat(db.statements, records, context);
      const kept = await listEvents(db.statements, sessionId, 2, 100);
      expect(JSON.parse(clean(events))).toEqual(kept);
      expect(JSON.parse(clean(turns))).toEqual((await listTurns(db.statements, sessionId)).slice(1));
      expect(kept[0]?.body).toMatchObject({ type: 'answer.ended', turn: 2 });
      const [step] = await listSteps(db.statements, sessionId);
      expect(step).toMatchObject({ text: 'words\uFFFD, and half a pair: \uFFFD', model: answer.model });
      expect(await findChat(db.statements, sessionId)).toMatchObject({
        state: answer.actions.length === 0 ? 'idle' : 'running',
        offered: offered ?? [],
      });
    }
  });

  it('an answer is not saved if another runner has taken the chat', async () => {
    const { sessionId, records, context } = await answered(ANSWER);
    const old = { ...context, epoch: (context.epoch ?? 0) - 1 };
    await expect(recordChat(db.statements, records, old)).rejects.toMatchObject({ code: 'epoch_superseded' });
    expect(await listEvents(db.statements, sessionId, 2, 100)).toEqual([]);
    expect(await listTurns(db.statements, sessionId)).toHaveLength(1);
  });

  it('an answer without any text adds no turn', async () => {
    const { sessionId, records, context } = await answered({ ...ANSWER, text: '', reasoning: '' });
    await recordChat(db.statements, records, context);
    const [ended] = await listEvents(db.statements, sessionId, 2, 100);
    expect(ended?.body).toMatchObject({ type: 'answer.ended', turn: null });
  });
});

/** Returns the value as the database stores it. Characters that text cannot contain are replaced. */
function clean(value: unknown): string {
  return JSON.stringify(value).replaceAll('\\u0000', '\uFFFD').replaceAll('\\ud83d', '\uFFFD');
}

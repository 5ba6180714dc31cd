import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  acceptMessage,
  connectDatabase,
  findChat,
  inTransaction,
  insertChat,
  insertToken,
  listEvents,
  listSteps,
  listTurns,
  type Database,
} from '@aish/database';
import { createTestDatabase, type TestDatabase } from '@aish/database/testing';
import { machineAtStart } from './load.js';
import { advanceChat } from './machine/advance.js';
import type { Answered } from './machine/state.js';
import { recordChat, type RecordContext } from './record.js';

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
  isSchemaEcho: false,
  trouble: null,
};

/** The database holds no NUL and no half of a pair. */
const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(/\\u0000|\\ud83d/g, '\uFFFD')) as T;

describe('what an answer is written down as', () => {
  let server: TestDatabase;
  let db: Database;

  beforeAll(async () => {
    server = await createTestDatabase();
    db = connectDatabase(server.url, { max: 4 });
  }, 120_000);

  afterAll(async () => {
    await db?.close();
    await server?.drop();
  });

  /** A chat whose first message was just accepted, and what an answer to it is to be written with. */
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
        forkedFrom: null,
      }),
    );
    const tokenId = randomUUID();
    await insertToken(db.statements, { id: tokenId, name: tokenId, hash: tokenId, scopes: ['operate'] });
    const accepted = await acceptMessage(db, sessionId, { text: 'hi', by: 'p', title: 't', tokenId });
    if (accepted === null) throw new Error('not accepted');
    const previous = machineAtStart(accepted.chat, accepted.step);
    const { machine, records } = advanceChat(previous, { type: 'answered', answer });
    const context: RecordContext = {
      sessionId,
      previous,
      machine,
      preset: 'fast',
      epoch: accepted.chat.epoch,
      offered,
    };
    return { sessionId, records, context };
  }

  /** All of it, without what differs from chat to chat. */
  async function rowsOf(sessionId: string) {
    const { statements } = db;
    const rows = [
      await findChat(statements, sessionId),
      await listSteps(statements, sessionId),
      await listTurns(statements, sessionId),
      await listEvents(statements, sessionId, 0, 100),
    ];
    return JSON.parse(
      JSON.stringify(rows)
        .replaceAll(sessionId, 'session')
        .replaceAll(/"\d{4}-\d\d-\d\dT[^"]+"/g, '"time"'),
    ) as unknown;
  }

  it('is written with its step, turn and events, and told as it is written', async () => {
    for (const answer of [
      ANSWER,
      { ...ANSWER, reasoning: '', model: null, usage: null, notes: [] },
      { ...ANSWER, end: 'failed', trouble: { code: 'model_timeout', detail: 'd' } } as const,
    ]) {
      const offered = answer === ANSWER ? [{ name: 'a', description: 'b', parameters: {} }] : undefined;
      const { sessionId, records, context } = await answered(answer, offered);
      const { events, turns } = await inTransaction(db, (tx) => recordChat(tx, records, context));
      const { statements } = db;
      expect(await findChat(statements, sessionId)).toMatchObject({ state: 'idle', offered: offered ?? [] });
      expect(await listSteps(statements, sessionId)).toMatchObject([
        stored({ n: 1, text: answer.text, model: answer.model, usage: answer.usage, notes: answer.notes }),
      ]);
      expect((await listTurns(statements, sessionId)).slice(1)).toEqual(stored(turns));
      expect(await listEvents(statements, sessionId, 2, 100)).toEqual(stored(events));
      expect(events.map(({ body }) => body)).toMatchObject([
        { type: 'answer.ended', turn: turns[0]?.seq, end: answer.end },
        { type: 'exchange.ended', end: answer.end === 'failed' ? 'failed' : 'answered' },
      ]);
    }
  });

  it('is nothing at all when the chat has another driver by then', async () => {
    const { sessionId, records, context } = await answered(ANSWER);
    const before = await rowsOf(sessionId);
    const old = { ...context, epoch: (context.epoch ?? 0) - 1 };
    await expect(inTransaction(db, (tx) => recordChat(tx, records, old))).rejects.toMatchObject({
      code: 'epoch_superseded',
    });
    expect(await rowsOf(sessionId)).toEqual(before);
  });
});

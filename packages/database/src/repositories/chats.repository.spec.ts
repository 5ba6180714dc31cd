import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Database } from '../client.js';
import { newChat, newGoal } from '../testing/new-sessions.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import { inTransaction } from '../transaction.js';
import {
  appendDrafts,
  clearDraft,
  closeFollowUp,
  findChat,
  listOrphanedChats,
  lockAsChatRunner,
  openFollowUp,
  raiseChatEpoch,
  setChatSettings,
  setGrants,
} from './chats.repository.js';
import { recordEvents } from './events.repository.js';
import { writeSessionRecord, type ChatPart } from './session-record.repository.js';

describe('chats', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 4 });

  const find = (id: string) => findChat(db.statements, id);
  const RUNNING = { state: 'running', exchange: 1, rounds: 1 } as const;
  const write = (of: ChatPart, epoch: number | null = null) =>
    writeSessionRecord(db.statements, { of, epoch, answered: null, started: null, actions: [], turns: [], events: [] });
  const start = (sessionId: string) => write({ sessionId, progress: RUNNING });

  it('a chat has a runner only while it is running, and each runner has a higher epoch', async () => {
    const id = await newChat(db);
    expect(await raiseChatEpoch(db.statements, id)).toBeNull();
    await start(id);
    expect(await raiseChatEpoch(db.statements, id)).toMatchObject({ epoch: 1 });
    expect(await raiseChatEpoch(db.statements, id)).toMatchObject({ epoch: 2 });
  });

  it('writes of a replaced runner are refused, and writes of the new runner are kept', async () => {
    const id = await newChat(db);
    await start(id);
    const old = (await raiseChatEpoch(db.statements, id))?.epoch ?? 0;
    const now = (await raiseChatEpoch(db.statements, id))?.epoch ?? 0;
    const superseded = { code: 'epoch_superseded' };
    await expect(write({ sessionId: id, progress: { ...RUNNING, rounds: 9 } }, old)).rejects.toMatchObject(superseded);
    await expect(inTransaction(db, (tx) => lockAsChatRunner(tx, id, old))).rejects.toMatchObject(superseded);
    await write({ sessionId: id, progress: { state: 'deciding', exchange: 1, rounds: 2 } }, now);
    expect(await find(id)).toMatchObject({ state: 'deciding', rounds: 2 });
    await expect(inTransaction(db, (tx) => lockAsChatRunner(tx, randomUUID(), 0))).rejects.toMatchObject(superseded);
  });

  it('the settings, tools and grants of a chat are stored', async () => {
    const id = await newChat(db, { hostFolders: ['photos'] });
    await setChatSettings(db.statements, id, {
      preset: 'smart',
      autoContinue: true,
      confirmCommands: false,
      trust: 'ask',
      hostFolders: [],
      hosts: [],
      titled: true,
    });
    await write({ sessionId: id, progress: RUNNING, offered: [{ name: 'a', description: 'b\0' }] });
    await setGrants(db.statements, id, [{ kind: 'rule', ruleId: 'rm' }]);
    expect(await find(id)).toMatchObject({
      preset: 'smart',
      auto_continue: true,
      confirm_commands: false,
      host_folders: [],
      titled: true,
      offered: [{ name: 'a', description: 'b\uFFFD' }],
      grants: [{ kind: 'rule', ruleId: 'rm' }],
    });
    expect(await find(randomUUID())).toBeNull();
  });

  describe('the draft of an answer', () => {
    it('one statement extends the drafts of many chats, but only for their current runners', async () => {
      const [one, other, idle] = [await newChat(db), await newChat(db), await newChat(db)];
      await start(one);
      await start(other);
      const piece = (sessionId: string, epoch: number) => ({ sessionId, epoch, text: 'te\0xt', reasoning: 'why' });
      await appendDrafts(db, [piece(one, 0), piece(other, 7), piece(idle, 0)]);
      await appendDrafts(db, [{ sessionId: one, epoch: 0, text: ' more', reasoning: '' }]);
      await appendDrafts(db, []);
      expect(await find(one)).toMatchObject({ draft: 'te\uFFFDxt more', draft_reasoning: 'why' });
      expect(await find(other)).toMatchObject({ draft: '' });
      expect(await find(idle)).toMatchObject({ draft: '' });
    });

    it('only the current runner can empty a draft when an answer starts over', async () => {
      const id = await newChat(db);
      await start(id);
      await appendDrafts(db, [{ sessionId: id, epoch: 0, text: 'old', reasoning: 'old' }]);
      await clearDraft(db, id, 1);
      expect(await find(id)).toMatchObject({ draft: 'old' });
      await clearDraft(db, id, 0);
      expect(await find(id)).toMatchObject({ draft: '', draft_reasoning: '' });
    });
  });

  it('a running chat that nobody has touched for a while is listed as orphaned', async () => {
    const [left, fresh, idle] = [await newChat(db), await newChat(db), await newChat(db)];
    await start(left);
    await start(fresh);
    await db.statements.$executeRaw`
      update chats set updated_at = now() - interval '1 hour' where session_id in (${left}::uuid, ${idle}::uuid)`;
    const orphaned = (await listOrphanedChats(db.statements, 60_000, 100)).map((row) => row.session_id);
    expect(orphaned).toContain(left);
    expect(orphaned).not.toContain(fresh);
    expect(orphaned).not.toContain(idle);
    expect(await listOrphanedChats(db.statements, 60_000, 0)).toEqual([]);
  });

  describe('chats about a goal', () => {
    const SETTINGS = { autoContinue: true, confirmCommands: false };
    const open = (sessionId: string) => inTransaction(db, (tx) => openFollowUp(tx, sessionId, SETTINGS));

    it('a chat about a goal opens only after the goal has ended, and continues its count of exchanges', async () => {
      const { id, sessionId } = await newGoal(db);
      expect(await open(sessionId)).toBe('queued');
      expect(await find(sessionId)).toBeNull();
      await db.statements.$executeRaw`update goals set state = 'done' where id = ${id}::uuid`;
      const event = { type: 'exchange.ended', end: 'answered', trouble: null } as const;
      await recordEvents(db.statements, sessionId, [{ ...event, exchange: 4 }]);
      expect(await open(sessionId)).toBe('done');
      expect(await open(sessionId)).toBe('done');
      expect(await find(sessionId)).toMatchObject({ goal_id: id, exchange: 4, titled: true, auto_continue: true });
    });

    it('a chat about a goal ends when the goal continues, but not while a message is being answered', async () => {
      const { id, sessionId } = await newGoal(db);
      await db.statements.$executeRaw`update goals set state = 'done' where id = ${id}::uuid`;
      await open(sessionId);
      await start(sessionId);
      expect(await closeFollowUp(db.statements, id)).toBe(false);
      await write({ sessionId, progress: { ...RUNNING, state: 'idle' } });
      expect(await closeFollowUp(db.statements, id)).toBe(true);
      expect(await find(sessionId)).toBeNull();
    });

    it('only the session of a goal can become a chat about a goal', async () => {
      expect(await open(await newChat(db))).toBeNull();
      expect(await open(randomUUID())).toBeNull();
    });
  });
});

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Database } from '../client.js';
import { newChat, newGoal, newStep } from '../testing/new-sessions.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import { listEvents, recordEvents } from './events.repository.js';
import { addSessionWay } from './session-access.repository.js';
import { findSessionSandbox, sandboxPlaces, setCarryOver } from './session-sandbox.repository.js';
import {
  copyTurns,
  deleteSession,
  findSession,
  listHistory,
  listSessions,
  renameSession,
  listSessionIds,
} from './sessions.repository.js';
import { appendTurn, appendTurns, listTurns } from './turns.repository.js';

describe('sessions', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 4 });

  const find = (reference: string) => findSession(db.statements, reference);

  it('a session is found by ID and by number, for chats and goals', async () => {
    const id = await newChat(db, { title: 'about roses', preset: 'smart' });
    const chat = await find(id);
    expect(chat).toMatchObject({ id, kind: 'chat', title: 'about roses', preset: 'smart', state: 'idle', owner: 'p' });
    expect(await find(String(chat?.number))).toEqual(chat);
    const goal = await newGoal(db);
    expect(await find(goal.sessionId)).toMatchObject({ kind: 'goal', goalNumber: goal.number, goalState: 'queued' });
    expect(await find(randomUUID())).toBeNull();
    expect(await find('999999')).toBeNull();
  });

  it('sessions are listed by last use, and can be filtered by kind', async () => {
    const [first, second, third] = [await newChat(db), await newChat(db), await newGoal(db)];
    await renameSession(db.statements, first, 'renamed \ud83d');
    const all = await listSessions(db.statements, { kind: null, words: null, archived: false, limit: 3 });
    expect(all.map(({ id }) => id)).toEqual([first, third.sessionId, second]);
    expect(all[0]).toMatchObject({ title: 'renamed \uFFFD', snippet: null });
    const chats = await listSessions(db.statements, { kind: 'chat', words: null, archived: false, limit: 1 });
    expect(chats.map(({ id }) => id)).toEqual([first]);
    expect(await listSessionIds(db.statements)).toEqual(expect.arrayContaining([first, second, third.sessionId]));
  });

  it('a search finds sessions by the beginnings of words in their title or turns, if all of them match', async () => {
    const id = await newChat(db, { title: 'gardening' });
    await appendTurn(db.statements, id, {
      role: 'user',
      provenance: 'person',
      content: 'how do I prune the hydrangea in spring?',
    });
    const hits = async (words: string) =>
      (await listSessions(db.statements, { kind: null, words, archived: false, limit: 10 })).filter(
        (each) => each.id === id,
      );
    expect((await hits('hydrang spring'))[0]?.snippet).toContain('«hydrangea»');
    expect((await hits('garden'))[0]?.snippet).toBe('gardening');
    expect(await hits('hydrangea winter')).toEqual([]);
  });

  it.each(["' | !a & (", ':*', '\\', '', '   ', "a'b", '\0'])(
    'the search for sessions accepts any text: %j',
    async (words) => {
      expect(Array.isArray(await listSessions(db.statements, { kind: null, words, archived: false, limit: 10 }))).toBe(
        true,
      );
    },
  );

  it('a search for a very common word finds the newest sessions, and older ones beyond the first scan', async () => {
    const { pool } = db;
    await pool.query(`insert into sessions (id, kind, title, archived, turn_seq, updated_at)
      select gen_random_uuid(), 'chat', 'common ' || n, n = 30, 100, now() - n * interval '1 hour' from generate_series(1, 30) n`);
    await pool.query(`insert into turns (session_id, seq, role, provenance, content)
      select id, t, 'user', 'person', 'the everyday ' || case when title = 'common 29' then 'needle and seldom ' else '' end || t
      from sessions, generate_series(1, 100) t where title like 'common %'`);
    await pool.query('analyze turns');
    const find = async (words: string, limit: number) =>
      (await listSessions(db.statements, { kind: 'chat', words, archived: false, limit })).map(({ title, snippet }) => [
        title,
        snippet,
      ]);
    expect(await find('everyda', 3)).toEqual(
      [1, 2, 3].map((n) => [`common ${n}`, expect.stringContaining('«everyday»')]),
    );
    expect(await find('everyday', 40)).toHaveLength(29);
    // Each of the two words is common, but not both together.
    expect(await find('everyday needle', 2)).toEqual([['common 29', expect.stringContaining('«needle»')]]);
    expect((await find('everyday', 29)).flat()).not.toContain('common 30');
  });

  it('a session is deleted with everything in it, only once', async () => {
    const id = await newChat(db);
    await appendTurn(db.statements, id, { role: 'user', provenance: 'person', content: 'x' });
    await newStep(db, id);
    await recordEvents(db.statements, id, [{ type: 'exchange.ended', exchange: 1, end: 'answered', trouble: null }]);
    expect(await deleteSession(db.statements, id)).toBe(true);
    expect(await deleteSession(db.statements, id)).toBe(false);
    expect(await listTurns(db.statements, id)).toEqual([]);
    expect(await listEvents(db.statements, id, 0, 10)).toEqual([]);
    const left = await db.statements.$queryRaw`
      select 1 from steps where session_id = ${id}::uuid union all select 1 from chats where session_id = ${id}::uuid`;
    expect(left).toEqual([]);
  });

  describe('turns', () => {
    const turnsOf = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        role: 'user' as const,
        provenance: 'person' as const,
        content: `turn ${n + 1}`,
      }));

    it('turns are numbered without gaps, despite parallel writers', async () => {
      const id = await newChat(db);
      const given = await Promise.all(Array.from({ length: 20 }, () => appendTurns(db.statements, id, turnsOf(3))));
      for (const turns of given) expect(turns[2]?.seq).toBe((turns[0]?.seq ?? 0) + 2);
      const kept = await listTurns(db.statements, id);
      expect(kept.map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
      expect(await appendTurns(db.statements, id, [])).toEqual([]);
    });

    it('turns cannot be added to a session that does not exist', async () => {
      await expect(
        appendTurn(db.statements, randomUUID(), { role: 'user', provenance: 'person', content: 'x' }),
      ).rejects.toMatchObject({ code: 'internal' });
    });

    it('reading the turns of a session skips its summaries', async () => {
      const id = await newChat(db);
      await appendTurn(db.statements, id, { role: 'user', provenance: 'person', content: 'a' });
      await appendTurn(db.statements, id, {
        role: 'assistant',
        provenance: 'model',
        content: 'the sum',
        meta: { tag: 'summarize' },
      });
      await appendTurn(db.statements, id, {
        role: 'assistant',
        provenance: 'model',
        content: 'b',
        meta: { reasoning: 'why', model: 'm', end: 'stopped' },
      });
      expect((await listTurns(db.statements, id)).map(({ content }) => content)).toEqual(['a', 'b']);
      expect(await listHistory(db.statements, id, 2, 10)).toMatchObject([
        { seq: 3, end: 'stopped', reasoning: 'why', model: 'm', toolCalls: [] },
      ]);
    });

    it('listed turns are the newest ones, or those after a given turn', async () => {
      const id = await newChat(db);
      await appendTurns(db.statements, id, turnsOf(5));
      const seqs = async (after: number | null, limit: number) =>
        (await listHistory(db.statements, id, after, limit)).map(({ seq }) => seq);
      expect(await seqs(null, 2)).toEqual([4, 5]);
      expect(await seqs(null, 9)).toEqual([1, 2, 3, 4, 5]);
      expect(await seqs(1, 2)).toEqual([2, 3]);
      expect(await seqs(5, 2)).toEqual([]);
    });

    it('a fork numbers its new turns after the copied ones', async () => {
      const [from, fork] = [await newChat(db), await newChat(db)];
      await appendTurns(db.statements, from, turnsOf(4));
      expect(await copyTurns(db.statements, from, fork, 3)).toBe(3);
      expect((await appendTurn(db.statements, fork, { role: 'user', provenance: 'person', content: 'next' })).seq).toBe(
        4,
      );
      expect((await listTurns(db.statements, from)).length).toBe(4);
    });
  });

  describe('the sandbox of a workspace', () => {
    it('if many processes place a workspace at once, the first one decides, and the place never changes', async () => {
      const id = await newChat(db);
      const places = sandboxPlaces(db);
      expect(await places.find(id)).toEqual({
        sandbox: null,
        carryOver: true,
        network: null,
        networkMore: [],
        image: null,
      });
      const given = await Promise.all(['a', 'b', 'c'].map((name) => places.place(id, name)));
      expect(new Set(given).size).toBe(1);
      expect(await places.place(id, 'later')).toBe(given[0]);
      expect((await findSessionSandbox(db.statements, id))?.sandbox).toBe(given[0]);
    });

    it('new network destinations of a session stay listed until the sandbox has stored them', async () => {
      const id = await newChat(db);
      const places = sandboxPlaces(db);
      const [one, two] = [80, 443].map((port) => ({ host: 'a.lan', port, private: true }));
      if (one === undefined || two === undefined) throw new Error('there are two');
      await addSessionWay(db.statements, id, one);
      const networkMore = (await places.find(id))?.networkMore ?? [];
      await addSessionWay(db.statements, id, two);
      await places.networkWidened(id, networkMore);
      expect((await places.find(id))?.networkMore).toEqual([one, two]);
      await places.networkWidened(id, [one, two]);
      expect((await places.find(id))?.networkMore).toEqual([]);
    });

    it('a missing session is placed in the requested sandbox, and an unknown run is placed nowhere', async () => {
      const places = sandboxPlaces(db);
      expect(await places.place(randomUUID(), 'a')).toBe('a');
      expect(await places.find(randomUUID())).toBeNull();
      expect(await places.ofRun(randomUUID())).toBeNull();
      expect(await setCarryOver(db.statements, randomUUID(), false)).toBe(false);
    });
  });
});

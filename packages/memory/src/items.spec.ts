import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { LockNamespace, withAdvisoryLock } from '@aish/database/advisory-lock';
import type { Database } from '@aish/database/client';
import { applyEntryChanges, listEntries } from '@aish/database/memory-items.repository';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { MemoryItems, type InjectSettings } from './items.js';
import { exportLines, importFile } from './memory-file.js';
import { historyOf } from './trail.js';

describe('memory items', () => {
  let db: Database;
  let items: MemoryItems;
  const input = (content: string) => ({ kind: 'fact' as const, content, tags: [], by: 'alice' });
  const inject = { mode: 'newest' as const, maxChars: 2_000 };

  openSuiteDatabase((opened) => (db = opened));
  beforeAll(async () => {
    items = new MemoryItems(db);
  }, 120_000);

  it('items and tombstones are numbered consecutively, starting at 1 for each owner', async () => {
    expect((await items.add('n1', input('a'))).number).toBe(1);
    expect((await items.add('n2', input('a'))).number).toBe(1);
    expect(await items.forget('n1', 1, 'n1')).toBe(2);
    expect((await items.add('n1', input('b'))).number).toBe(3);
  });

  it('a writer that waits too long gets an error that names the lock of the owner', async () => {
    const item = { ...input('x'), origin: 'typed' as const, source: null };
    await withAdvisoryLock(
      db,
      LockNamespace.memoryItems,
      'held',
      async () => {
        const tries = applyEntryChanges(db.statements, 'held', [{ type: 'add', item }], 100);
        await expect(tries).rejects.toMatchObject({ code: 'locked', facts: { namespace: 'memoryItems', key: 'held' } });
      },
      { waitMs: 0 },
    );
    expect(await applyEntryChanges(db.statements, 'held', [{ type: 'add', item }], 100)).toMatchObject([{ number: 1 }]);
  });

  it('each of many parallel writers gets its own item number, without gaps', async () => {
    const added = await Promise.all(Array.from({ length: 200 }, (_, n) => items.add('many', input(`item ${n}`))));
    expect(added.map((item) => item.number).toSorted((a, b) => a - b)).toEqual(added.map((_, n) => n + 1));
    expect(await items.count('many')).toBe(200);
  });

  it('only existing active items are forgotten, and only once', async () => {
    await items.add('forget', input('x'));
    const answers = await Promise.all([1, 2, 3].map(() => items.forget('forget', 1, 'me')));
    expect(answers.filter((answer) => answer !== null)).toEqual([2]);
    expect(await items.forget('forget', 99, 'me')).toBeNull();
    expect(await items.forget('forget', 2, 'me')).toBeNull(); // A tombstone is not an item.
    expect(await listEntries(db.statements, 'forget', 0, 10)).toHaveLength(2);
  });

  it('an edit replaces the old item with a new one, and the history shows it', async () => {
    const old = await items.add('edit', input('Grafana is on port 3000'));
    const now = await items.edit('edit', old.number, { content: 'Grafana is on port 3001', by: 'bob' });
    expect(now).toMatchObject({ number: 2, kind: 'fact', replaces: 1, forgottenBy: null });
    expect(await items.find('edit', 1)).toMatchObject({ forgottenBy: 3 });
    await expect(items.edit('edit', 1, { content: 'x', by: 'bob' })).rejects.toMatchObject({ code: 'not_found' });
    const story = (await historyOf(db, items, 'edit', 2)).events.map(({ what, by }) => [what, by]);
    expect(story).toEqual([
      ['typed', 'alice'],
      ['edited', 'bob'],
    ]);
    expect((await historyOf(db, items, 'edit', 1)).events.at(-1)).toMatchObject({
      what: 'forgotten',
      detail: 'tombstone 3; item 2 replaced it',
    });
  });

  it('clear and prune write tombstones for items', async () => {
    for (const content of ['a', 'b', 'c']) await items.add('clear', input(content));
    await db.pool.query(
      "update memory_entries set at = now() - interval '100 days' where owner = 'clear' and number = 2",
    );
    const before = new Date(Date.now() - 90 * 86_400_000);
    expect(await items.forgetAll('clear', 'me', before)).toEqual([2]);
    expect(await items.forgetAll('clear', 'me')).toEqual([1, 3]);
    expect(await items.forgetAll('clear', 'me')).toEqual([]);
    expect((await listEntries(db.statements, 'clear', 3, 10)).map(({ number, target }) => [number, target])).toEqual([
      [4, 2],
      [5, 1],
      [6, 3],
    ]);
  });

  it('a list of items pages through active items, newest first, or shows forgotten ones', async () => {
    for (let n = 1; n <= 7; n += 1) await items.add('pages', input(`item ${n}`));
    await items.forget('pages', 4, 'me');
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await items.list('pages', {
        state: 'active',
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...page.items.map((item) => item.number));
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual([7, 6, 5, 3, 2, 1]);
    const forgotten = await items.list('pages', { state: 'forgotten', limit: 10 });
    expect(forgotten.items.map((item) => item.number)).toEqual([4]);
    await expect(items.list('pages', { state: 'active', limit: 2, cursor: "' or 1=1" })).rejects.toMatchObject({
      code: 'invalid_body',
    });
  });

  it('a live session gets the items that are remembered in it, and reloads on request', async () => {
    const session = randomUUID();
    await db.pool.query("insert into sessions (id, kind, title) values ($1, 'chat', 'x')", [session]);
    await items.add('live', input('first'));
    const block = async (settings: InjectSettings = inject) => {
      const load = async () => ({ background: await items.background('live', settings, null), instructions: null });
      const { text, kept } = await items.sessionBackground(
        session,
        await items.shownBackground(session),
        'live',
        settings,
        load,
      );
      await kept;
      return text;
    };
    expect(await block()).toContain('- (fact) first');
    await items.add('live', input('typed elsewhere'));
    expect(await block()).not.toContain('elsewhere');
    await items.add('live', input('typed here'), session);
    expect((await block())?.split('\n').slice(1)).toEqual(['- (fact) typed here', '- (fact) first']);
    await items.forget('live', 1, 'me');
    expect(await block()).toContain('first');
    await items.reload(session, 'live', inject, null);
    expect((await block())?.split('\n').slice(1)).toEqual(['- (fact) typed here', '- (fact) typed elsewhere']);
    expect(await block({ ...inject, mode: 'off' })).toBeNull();
  });

  it('a session gets items that are remembered while its block is being loaded, the first time and again', async () => {
    const session = randomUUID();
    await db.pool.query("insert into sessions (id, kind, title) values ($1, 'chat', 'x')", [session]);
    const block = async () => {
      const shown = await items.shownBackground(session);
      const { text, kept } = await items.sessionBackground(session, shown, 'racing', inject, async () => {
        const background = await items.background('racing', inject, null);
        await items.add('racing', input('typed during the first message'), session);
        return { background, instructions: 'how' };
      });
      await kept;
      return text?.split('\n').slice(1);
    };
    await items.add('racing', input('first'));
    await items.add('racing', input('typed before the first message'), session);
    expect(await block()).toEqual(['- (fact) typed before the first message', '- (fact) first', '', 'how']);
    expect(await block()).toEqual([
      '- (fact) typed during the first message',
      '- (fact) typed before the first message',
      '- (fact) first',
      '',
      'how',
    ]);
    await items.forget('racing', 1, 'me');
    await items.reload(session, 'racing', inject, null);
    expect((await block())?.slice(0, 2)).toEqual([
      '- (fact) typed during the first message',
      '- (fact) typed before the first message',
    ]);
    expect((await items.shownBackground(session))?.numbers).toEqual([3, 2]);
  });

  it('the search for items finds other word forms, ranks rare words first, and uses spelling if no word matches', async () => {
    for (let n = 0; n < 50; n += 1) await items.add('search', input(`server ${n} runs Debian`));
    await items.add('search', input('Grafana listens on port 3000 of the server odin'));
    await items.add('search', input('backups run every night at three'));
    const first = async (question: string) => (await items.search('search', question, 5))[0]?.content;
    expect(await first('which port does grafana listen on?')).toMatch(/^Grafana/);
    expect(await first('when does the backup run')).toMatch(/^backups/);
    expect(await first('grafanna')).toMatch(/^Grafana/);
    expect(await items.search('search', "'); drop table x; -- \\ ' :* & |", 5)).toEqual([]);
    expect(await items.search('somebody else', 'grafana', 5)).toEqual([]);
  });

  it('the search for items finds days and authors, and ignores filler words', async () => {
    const write = (content: string, by: string) => items.add('dates', { ...input(content), by });
    await write('which please what about which', 'ann');
    const { number } = await write('the heating was bled', 'Greta');
    await write('the heating is loud', 'ann');
    await db.pool.query("update memory_entries set at = '2026-05-24T21:00Z' where owner = 'dates' and number = $1", [
      number,
    ]);
    const first = async (question: string) => (await items.search('dates', question, 5))[0]?.number;
    expect(await first('what did Greta write about the heating?')).toBe(number);
    expect(await first('what was noted about the heating in May 2026?')).toBe(number);
    expect(await first('anything on 24 May')).toBe(number);
    expect(await first('2026-05-24')).toBe(number);
    expect((await items.search('dates', 'which heating, please?', 5)).map(({ content }) => content)).not.toContain(
      'which please what about which',
    );
  });

  it('near duplicates of an item are found', async () => {
    await items.add('near', input('User prefers terse responses; no end-of-turn summaries.'));
    expect(await items.duplicates('near', 'User prefers terse responses, no end of turn summaries')).toMatchObject([
      { number: 1 },
    ]);
    expect(await items.duplicates('near', 'The NAS is called odin')).toEqual([]);
  });

  it('a memory.jsonl is imported and exported with numbers, tombstones and unknown fields', async () => {
    const lines = [
      '{"id":1,"ts":"2026-05-13T19:01:01Z","kind":"fact","content":"terse","source":"s-1","mood":{"a":[1]}}',
      '{"id":2,"ts":"2026-05-13T19:01:35.5Z","kind":"pref","content":"deep"}',
      '{"id":4,"ts":"2026-05-13T20:00:00Z","kind":"forget","target":2}',
      '{"id":3,"ts":"2026-05-13T19:02:00Z","kind":"context","content":"aish","tags":["aish","luajit"]}',
    ];
    const report = await importFile(db, 'file', ['{"meta":{}}', ...lines, 'oops'].join('\n'), 'alice');
    expect(report).toEqual({ imported: 4, known: 0, renumbered: [], broken: [{ line: 6, reason: 'not JSON' }] });
    const exported: unknown[] = [];
    for await (const line of exportLines(db, 'file')) exported.push(JSON.parse(line));
    const given = lines.map((line) => JSON.parse(line) as { id: number });
    for (const [n, entry] of given.toSorted((a, b) => a.id - b.id).entries()) {
      expect(exported[n]).toMatchObject({ ...entry, ts: expect.any(String) });
    }
    expect((await items.list('file', { state: 'active', limit: 10 })).items.map((item) => item.number)).toEqual([3, 1]);
    expect((await items.add('file', input('next'))).number).toBe(5);
    // A second import adds nothing. In a record with other entries, the items get new numbers, and the tombstone refers
    // to the new number.
    expect(await importFile(db, 'file', lines.join('\n'), 'alice')).toMatchObject({ imported: 0, known: 4 });
    await items.add('other', input('mine'));
    await items.add('other', input('mine too'));
    const moved = await importFile(db, 'other', lines.join('\n'), 'alice');
    expect(moved.renumbered).toEqual([
      { line: 1, from: 1, to: 5 },
      { line: 2, from: 2, to: 6 },
    ]);
    expect(await importFile(db, 'other', lines.join('\n'), 'alice')).toMatchObject({ imported: 0, known: 4 });
    const active = (await items.list('other', { state: 'active', limit: 10 })).items.map((item) => item.content);
    expect(active.toSorted()).toEqual(['aish', 'mine', 'mine too', 'terse']);
  });

  it('a second import adds nothing, even if it contains characters that Postgres cannot store', async () => {
    const file = '{"id":1,"ts":"2026-05-13T19:01:01Z","kind":"fact","content":"a\\u0000b\\ud800"}';
    expect(await importFile(db, 'odd', file, 'alice')).toMatchObject({ imported: 1 });
    expect(await importFile(db, 'odd', file, 'alice')).toMatchObject({ imported: 0, known: 1 });
  });

  it('a tombstone without a target is not imported, because it would forget a later item with that number', async () => {
    const file = '{"id":1,"ts":"2026-05-13T20:00:00Z","kind":"forget","target":3}';
    const report = await importFile(db, 'aimless', file, 'alice');
    expect(report).toMatchObject({ imported: 0, broken: [{ line: 1, reason: 'forgets item 3, which is not there' }] });
    for (const content of ['one', 'two', 'three']) await items.add('aimless', input(content));
    const lines: string[] = [];
    for await (const line of exportLines(db, 'aimless')) lines.push(line);
    await importFile(db, 'aimless-copy', lines.join('\n'), 'alice');
    expect(await items.count('aimless-copy')).toBe(3);
  });

  it('the response to a new item shows the item as it is stored', async () => {
    const { number, content } = await items.add('kept', input('a\0b'));
    expect([content, (await items.find('kept', number)).content]).toEqual(['a\uFFFDb', 'a\uFFFDb']);
  });
});

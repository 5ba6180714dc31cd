import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Presets, presetsOf } from '@aish/contracts/config/presets.settings';
import type { MemoryCaller } from '@aish/contracts/memory';
import { AishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { putNodeTexts, removeNodeTexts } from '@aish/database/recall-texts.repository';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { TEXT_VECTORS } from '@aish/database/vectors.repository';
import { startScriptedEmbeddings, type ScriptedEmbeddings } from '@aish/demo-model';
import { MemoryDocuments } from '../documents.js';
import { MemoryItems } from '../items.js';
import { meaningOf, type Meaning } from '../meaning.js';
import { cutAll } from './cut.js';
import { nearNodes } from './near-nodes.js';
import { Recall, type AskKnowledge } from './recall.js';

const MEANINGS = [
  ['nas', 'storage box'],
  ['espresso', 'coffee'],
  ['heat pump', 'central heating'],
];
const NODE = { id: randomUUID(), title: 'Heat pump', summary: 'The heat pump is serviced in May.' };
const BODY = { title: 'Heat pump: Filters', content: 'Clean them beside the espresso machine.' };

describe('recall', () => {
  let db: Database;
  let model: ScriptedEmbeddings;
  let meaning: Meaning;
  let items: MemoryItems;
  let documents: MemoryDocuments;
  let numbers = 100;

  afterAll(async () => {
    await model?.close();
  });
  openSuiteDatabase((opened) => (db = opened));
  beforeAll(async () => {
    model = await startScriptedEmbeddings(MEANINGS);
    const embed = { name: 'embed', baseUrl: model.url };
    meaning = meaningOf(
      db,
      presetsOf(Presets.parse({ PRESETS: JSON.stringify([{ ...embed, connectTimeoutMs: 500 }]) })),
    ) as Meaning;
    items = new MemoryItems(db, meaning);
    documents = new MemoryDocuments(db);
    await db.pool.query(
      `insert into api_tokens (id, name, hash, scopes, owner, space, app) values
       (gen_random_uuid(), 'laptop', 'a', '{observe}', 'ann', null, null),
       (gen_random_uuid(), 'watcher', 'b', '{app}', 'ann', 'home', 'watcher')`,
    );
  }, 120_000);

  const ANN: MemoryCaller = { owner: 'ann', app: null };
  const WATCHER: MemoryCaller = { owner: 'ann', app: { name: 'watcher', space: 'home' } };
  const signal = () => AbortSignal.timeout(20_000);
  const find = async (text: string, memory: MemoryCaller, options: { by?: Recall; except?: string } = {}) => {
    const by = options.by ?? new Recall(db, items, meaning, null);
    return by.find({ text, limit: 10, except: options.except ?? null }, { memory, token: 'laptop' }, signal());
  };
  const names = async (text: string, memory = ANN, options: { by?: Recall; except?: string } = {}) =>
    (await find(text, memory, options)).items.map(({ kind, name }) => `${kind} ${name}`);

  async function session(kind: 'chat' | 'goal', token: string, ...texts: readonly string[]): Promise<string> {
    const id = randomUUID();
    const number = numbers++;
    await db.pool.query(`insert into sessions (id, number, kind, title) values ($1, $2, $3, 'talk')`, [
      id,
      number,
      kind,
    ]);
    if (kind === 'chat')
      await db.pool.query(`insert into chats (session_id, owner, preset) values ($1, $2, 'fast')`, [id, token]);
    else
      await db.pool.query(
        `insert into goals (id, number, session_id, text, preset, state, step_budget, created_by)
         values ($1, $2, $3, 'x', 'fast', 'done', 3, $4)`,
        [randomUUID(), number, id, token],
      );
    await say(id, ...texts);
    return id;
  }

  async function say(id: string, ...texts: readonly string[]): Promise<void> {
    for (const [n, content] of texts.entries())
      await db.pool.query(
        `with moved as (update sessions set turn_seq = turn_seq + 1 where id = $1 returning turn_seq)
         insert into turns (session_id, seq, role, provenance, content) select $1, turn_seq, $2, 'person', $3 from moved`,
        [id, ['user', 'assistant', 'output'][n % 3], content],
      );
  }

  it('recall finds the caller’s items, documents, chats and goals at once, but nothing of this session', async () => {
    await items.add('ann', { kind: 'fact', content: 'the NAS is called odin', tags: [], by: 'ann' });
    await items.add('bob', { kind: 'fact', content: 'the NAS is called thor', tags: [], by: 'bob' });
    await documents.write(ANN, 'user', { mode: 'replace', content: '# Disks\nodin has four disks\n# Else\nno' });
    await documents.write(ANN, 'space', { space: 'home', mode: 'replace', content: 'odin is backed up at night' });
    await documents.write(WATCHER, 'app', { mode: 'replace', content: 'odin of the watcher' });
    const chat = await session('chat', 'laptop', 'is odin down?', 'odin is up', 'odin: secret output');
    await session('goal', 'laptop', 'restart odin');
    await session('chat', 'bob', 'odin of bob');
    await session('chat', 'watcher', 'odin, the watcher asks');
    const found = await names('odin');
    expect(found.toSorted()).toEqual(
      ['chat c100', 'chat c100', 'document space/home', 'document user', 'goal g101', 'item 1'].toSorted(),
    );
    expect((await find('disks', ANN)).items).toMatchObject([
      { kind: 'document', name: 'user', title: 'Disks', text: 'odin has four disks', place: 2 },
    ]);
    expect((await names('odin', ANN, { except: chat })).filter((name) => name.startsWith('chat'))).toEqual([]);
    expect((await names('odin', WATCHER)).toSorted()).toEqual(
      ['chat c103', 'document app/home', 'document space/home', 'document user', 'item 1'].toSorted(),
    );
    // The next question finds new text, and no longer finds deleted text.
    await say(chat, 'zebra');
    await documents.write(ANN, 'user', { mode: 'replace', content: '# Pets\na zebra' });
    expect((await names('zebra')).toSorted()).toEqual(['chat c100', 'document user']);
    expect(await names('disks')).toEqual([]);
    await db.pool.query('delete from sessions where id = $1', [chat]);
    expect(await names('zebra')).toEqual(['document user']);
  });

  it('recall finds every kind of text by its meaning, and does not embed unchanged text again', async () => {
    await documents.write(ANN, 'user', { mode: 'replace', content: '# Kitchen\nthe espresso machine leaks\n# B\nb' });
    await session('chat', 'laptop', 'the espresso beans are from Meyer');
    await putNode();
    expect(await cutAll(db, signal())).toBeGreaterThan(0);
    expect(await cutAll(db, signal())).toBe(0);
    await meaning.makeMissing(signal());
    const firstTwo = (await names('coffee')).slice(0, 2);
    expect(firstTwo.toSorted()).toEqual([expect.stringMatching(/^chat c/), 'document user']);
    const { rankings, meaning: how } = await nearNodes(db, meaning)('central heating', 1);
    expect([rankings[1], how]).toMatchObject([[{ key: NODE.id }], 'used']);
    // The node is found by a part of its body. It is one result, however many parts match.
    expect((await nearNodes(db, meaning)('coffee', 3)).rankings).toMatchObject([[], [{ key: NODE.id }]]);
    const before = model.asked;
    await documents.write(ANN, 'user', { mode: 'replace', content: '# A\nnew\n# Kitchen\nthe espresso machine leaks' });
    await cutAll(db, signal());
    expect(await meaning.makeMissing(signal())).toBe(1);
    expect(model.asked - before).toBe(2); // The model was asked for its identity and for the new section.
    const moved = (await find('coffee', ANN)).items.find(({ kind }) => kind === 'document');
    expect(moved).toMatchObject({ title: 'Kitchen', place: 4 });
    model.model = 'another';
    expect(await meaning.makeMissing(signal())).toBeGreaterThan(5);
    expect((await names('coffee'))[0]).toMatch(/^(?:chat|document) /);
    await removeNodeTexts(db.statements, [NODE.id]);
    expect((await nearNodes(db, meaning)('central heating', 1)).rankings).toEqual([[], []]);
  });

  it('a part that begins with its title is embedded without the title', async () => {
    const passages = [
      { title: 'odin has four disks', content: 'odin has four disks, of which one is new' },
      { title: 'Kitchen', content: 'the espresso machine leaks' },
    ];
    await putNodeTexts(db.statements, [{ id: NODE.id, by: 'ann', at: new Date().toISOString(), passages }]);
    const missing = await TEXT_VECTORS.missing(db.statements, { model: 'new', dimensions: 3 }, 100);
    expect(missing.map(({ content }) => content)).toEqual(
      expect.arrayContaining(['odin has four disks, of which one is new', 'Kitchen\nthe espresso machine leaks']),
    );
  });

  it('recall includes nodes, and works without the knowledge base but adds a note', async () => {
    const hit = { ...NODE, projects: [], status: 'active' as const, updated: new Date().toISOString(), path: '', tags: [], sources: [] };
    const asked: unknown[] = [];
    const knowledge: AskKnowledge = (question, limit, token) => {
      asked.push([question.trim(), limit, token]);
      return question.includes('broken')
        ? Promise.reject(new AishError('knowledge_git', 'git is broken'))
        : Promise.resolve({ items: [hit], relaxed: false, fits: true });
    };
    const by = new Recall(db, items, null, knowledge);
    expect((await find('what of the heat pump', ANN, { by })).items[0]).toMatchObject({ kind: 'node', name: NODE.id });
    expect(asked).toEqual([['heat pump', 10, 'laptop']]);
    const ofAnApp = await find('what of the heat pump', WATCHER, { by });
    expect([ofAnApp.items.filter(({ kind }) => kind === 'node'), asked.length]).toEqual([[], 1]);
    const broken = await find('broken odin', ANN, { by });
    expect(broken).toMatchObject({ meaning: 'off', notes: ['without the knowledge base: git is broken'] });
    expect(broken.items.length).toBeGreaterThan(0);
    const none = new Recall(db, items, null, null);
    const only = { text: 'odin', limit: 10, kinds: ['item'] as const };
    expect((await none.find(only, { memory: ANN, token: 'laptop' }, signal())).items.every(({ kind }) => kind === 'item')).toBe(true);
  }); // prettier-ignore

  async function putNode(): Promise<void> {
    const passages = [{ title: NODE.title, content: NODE.summary }, BODY];
    await putNodeTexts(db.statements, [{ id: NODE.id, by: 'ann', at: new Date().toISOString(), passages }]);
  }
});

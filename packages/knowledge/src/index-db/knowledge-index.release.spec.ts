import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KnowledgeQuery } from '@aish/contracts/knowledge';
import { connectDatabase, type Database } from '@aish/database/client';
import { createTestDatabase, type TestDatabase } from '@aish/database/testing';
import { tokensOf } from '../query/terms.js';
import { makeGeneratedBase } from '../testing/generated-base.js';
import { generatedNode } from '../testing/generated-nodes.js';
import { ScratchBase } from '../testing/scratch-base.js';
import { KnowledgeIndex } from './knowledge-index.js';

const COUNT = 100;
let scratch: ScratchBase;
let database: TestDatabase;
let db: Database;
let index: KnowledgeIndex;

beforeAll(async () => {
  database = await createTestDatabase();
  db = connectDatabase(database.url);
  scratch = await ScratchBase.make();
  await makeGeneratedBase(scratch.base, COUNT);
  index = new KnowledgeIndex(db, scratch.base);
}, 90_000);
afterAll(async () => {
  scratch.remove();
  await db.close();
  await database.drop();
});

describe('the index in Postgres', () => {
  it('the index returns the same results as the search in files, in the same order', async () => {
    await index.sync({ full: true });
    const { title } = generatedNode(20);
    const words = tokensOf([3, 8, 15, 20].map((n) => generatedNode(n).title).join(' '));
    const some = [
      `${title.split(' ')[0]} zzz yyy`,
      `${title} zzz`,
      words.slice(0, 8).join(' '),
      words.slice(-8).join(' '),
    ];
    const whole = Array.from({ length: 6 }, (_, n) => questionOf(n));
    const questions = ['', 'zzz', '!!', 'ba', 'how do i do it', ...some, ...whole];
    const compare = async (subject: KnowledgeIndex) => {
      for (const text of questions) {
        for (const more of [{}, { project: 'emacs' }, { type: 'principle', limit: 3, offset: 2 }]) {
          const query = KnowledgeQuery.parse({ text, limit: 100, ...more });
          for (const scope of [null, ['homelab'], [], { person: ['generator'] }, { person: ["nobody's \\ own"] }]) {
            const [indexed, offline] = [await subject.query(query, scope), await scratch.base.query(query, scope)];
            expect({ query, scope, answer: indexed }).toEqual({ query, scope, answer: offline });
          }
        }
      }
    };
    await compare(index);
    // The server's statistics must not change any answer. The server may update them at any time.
    await db.pool.query('analyze knowledge_nodes');
    await compare(new KnowledgeIndex(db, scratch.base));
  }, 240_000);

  it('the index reports low confidence for a few matching words, and high confidence for nearly all', async () => {
    const { id, title } = generatedNode(20);
    const fits = async (text: string) => {
      const found = await index.query(KnowledgeQuery.parse({ text }), null);
      return [found.items.length > 0, found.fits];
    };
    expect(await fits(title)).toEqual([true, true]);
    expect(await fits(`what of ${title} zzz`)).toEqual([true, true]);
    expect(await fits(`${title.split(' ')[0]} zzz yyy`)).toEqual([true, false]);
    expect(await fits('zzz')).toEqual([false, false]);
    expect(await fits(id)).toEqual([true, true]);
  });

  it('the index returns the same nodes as the files', async () => {
    const { id } = generatedNode(7);
    const [indexed, offline] = [await index.read(id, null), await scratch.base.read(id, null)];
    const byId = (node: typeof indexed) => ({
      ...node,
      backlinks: node.backlinks.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      links: node.links.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    });
    expect(byId(indexed)).toEqual(byId(offline));
  });

  it('the next question to the index finds changes, deletions and manual commits', async () => {
    const { id, path, text } = generatedNode(3);
    await scratch.base.remember({ id, title: 'Quite another title' }, { name: 'me', scope: null });
    expect((await index.query(KnowledgeQuery.parse({ text: 'quite another' }), null)).items).toMatchObject([{ id }]);
    const last = generatedNode(COUNT - 1);
    scratch.git('rm', '--quiet', last.path);
    scratch.commitByHand({ [path]: text.replace(/^#\+title: .*$/m, '#+title: By hand') });
    expect((await index.query(KnowledgeQuery.parse({ text: 'by hand' }), null)).items[0]).toMatchObject({
      id,
      title: 'By hand',
    });
    await expect(index.read(last.id, null)).rejects.toMatchObject({ code: 'not_found' });
    const kept = await index.query(KnowledgeQuery.parse({ limit: 100 }), null);
    expect(await index.sync({ full: true })).toMatchObject({ added: COUNT - 1, full: true, skipped: [] });
    expect(await index.query(KnowledgeQuery.parse({ limit: 100 }), null)).toEqual(kept);
  });
});

describe('parts of nodes that recall finds', () => {
  const parts = async (id: string) =>
    (
      await db.pool.query<{ id: number; title: string; content: string }>(
        'select id, title, content from recall_texts where node_id = $1 order by part',
        [id],
      )
    ).rows;

  it('parts of nodes follow git like the index, and unchanged text keeps its row', async () => {
    const me = { name: 'me', scope: null };
    const body = 'Every night.\n* Disks\nodin has four\n* Nothing below';
    const made = await scratch.base.remember({ title: 'Backups', summary: 'How they run.', body }, me);
    const id = made.id ?? '';
    await index.sync({ full: false });
    const before = await parts(id);
    expect(before.map(({ title, content }) => `${title}|${content}`)).toEqual([
      'Backups|How they run.',
      'Backups|Every night.',
      'Backups: Disks|odin has four',
      'Backups: Nothing below|',
    ]);
    await scratch.base.remember({ id, summary: 'How they end.' }, me);
    await index.sync({ full: false });
    const after = await parts(id);
    expect(after.slice(1)).toEqual(before.slice(1));
    expect(after[0]).toMatchObject({ content: 'How they end.' });
    await index.sync({ full: true });
    expect(await parts(id)).toEqual(after);
    scratch.git('rm', '--quiet', made.path ?? '');
    scratch.commitByHand({});
    await index.sync({ full: false });
    expect(await parts(id)).toEqual([]);
    await db.pool.query(
      `insert into recall_texts (shelf, node_id, place, part, title, content, by, at)
       values ('nodes', $1, 0, 0, 'left', 'over', 'me', now())`,
      [id],
    );
    await index.sync({ full: true });
    expect(await parts(id)).toEqual([]);
  });
});

describe('the index with a model for embeddings', () => {
  const MISSING = '00000000-0000-4000-8000-000000000000';
  const alike = [generatedNode(9), generatedNode(4), generatedNode(11)].map(({ id }) => id);
  const withNear = () =>
    new KnowledgeIndex(db, scratch.base, () =>
      Promise.resolve({
        rankings: [[MISSING, ...alike].map((key) => ({ key, trust: 1 }))],
        meaning: 'used',
        fits: true,
      }),
    );
  const ids = async (text: string, more: object = {}, scope: readonly string[] | null = null) => {
    const hits = await withNear().query(KnowledgeQuery.parse({ text, ...more }), scope);
    return { ids: hits.items.map(({ id }) => id), relaxed: hits.relaxed, meaning: hits.meaning };
  };

  it('the index finds nodes by meaning, after those that contain all the words', async () => {
    expect(await ids('zzz')).toEqual({ ids: alike, relaxed: true, meaning: 'used' });
    const { id, title } = generatedNode(20);
    expect((await ids(title)).ids.slice(0, 4)).toEqual([id, ...alike]);
    const some = await ids(`${title.split(' ')[0]} zzz`);
    expect(some).toMatchObject({ relaxed: true, ids: expect.arrayContaining(alike) });
    expect((await ids('zzz', { limit: 1 })).ids).toEqual(alike.slice(0, 1));
    expect((await ids('zzz', { offset: 1 })).ids).toEqual([]);
    expect((await ids('', { limit: 3 })).meaning).toBeUndefined();
  });

  it('a search by meaning returns no node that the reader may not see or that a filter excludes', async () => {
    const all = await index.query(KnowledgeQuery.parse({ limit: 100 }), ['homelab']);
    const visible = new Set(all.items.map((hit) => hit.id));
    expect((await ids('zzz', {}, ['homelab'])).ids).toEqual(alike.filter((id) => visible.has(id)));
    expect((await ids('zzz', {}, [])).ids.every((id) => visible.has(id))).toBe(true);
    expect((await ids('zzz', { project: 'nosuch' })).ids).toEqual([]);
  });
});

describe('the index of a base that is too large to rank all matches', () => {
  const LARGE = 800;
  let large: ScratchBase;
  let apart: TestDatabase;
  let connection: Database;

  beforeAll(async () => {
    apart = await createTestDatabase();
    connection = connectDatabase(apart.url);
    large = await ScratchBase.make();
    await makeGeneratedBase(large.base, LARGE);
  }, 120_000);
  afterAll(async () => {
    large.remove();
    await connection.close();
    await apart.drop();
  });

  it('common words are ranked as in the search in files: by field, not by age', async () => {
    const counts = new Map<string, number>();
    for (let n = 0; n < LARGE; n += 1) {
      for (const word of new Set(tokensOf(generatedNode(n).text))) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    // These words are in more nodes than are ranked one by one, also in titles.
    const titles = new Set(Array.from({ length: 200 }, (_, n) => tokensOf(generatedNode(n).title)).flat());
    const common = [...counts].filter(([word]) => titles.has(word)).toSorted((a, b) => b[1] - a[1]);
    const [a = '', b = '', c = '', d = ''] = common.map(([word]) => word);
    expect(counts.get(d)).toBeGreaterThan(200);
    const subject = new KnowledgeIndex(connection, large.base);
    for (const text of [a, b, d, `${a} ${b}`, `${b} ${c}`, `${d} ${a}`, `${a} ${b} ${c}`]) {
      for (const [more, scope] of [
        [{ type: 'principle', limit: 4, offset: 3 }, null],
        [{ limit: 40 }, ['homelab']],
      ] as const) {
        const query = KnowledgeQuery.parse({ text, ...more });
        const [indexed, offline] = [await subject.query(query, scope), await large.base.query(query, scope)];
        const ids = ({ items, relaxed }: typeof indexed) => ({ query, scope, relaxed, ids: items.map(({ id }) => id) });
        expect(ids(indexed)).toEqual(ids(offline));
      }
    }
  }, 240_000);
});

function questionOf(n: number): string {
  const { title, id } = generatedNode(n * 5);
  const words = title.split(' ');
  return (
    [words[0] ?? '', `${words[0]} ${words[1]}`, title, id, id.slice(0, 8), (words[2] ?? '').slice(0, 3)][n % 6] ?? ''
  );
}

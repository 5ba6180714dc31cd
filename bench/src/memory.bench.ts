import { ReadDocument } from '@aish/contracts/memory-documents';
import { connectDatabase, type Database } from '@aish/database/client';
import { MemoryDocuments, MemoryItems } from '@aish/memory';
import { startLastingDatabase } from './lasting-database.js';
import { sized, type Benchmark, type Figures } from './benchmark.js';
import { fillItems, fillFacts, questions, type Question } from './memory.corpus.js';
import { percentile } from './statistics.js';

const ITEMS = sized(100_000, 20_000);
const SAMPLES = sized(300, 20);
const QUESTIONS = sized(400, 20);
/** The number of parts of a document. Each part has one kilobyte. */
const PARTS = sized(5_000, 200);
const APPENDS = sized(20, 2);
const WRITERS = 16;
const ROUND_MS = sized(2_000, 100);
const ROUNDS = sized(4, 1);
const OWNER = 'bench';

/** Measures the memory on a Postgres with the settings of `npm start`, including fsync. */
export const benchmark: Benchmark = {
  name: 'memory',
  about:
    `Adds per second, ${WRITERS} writers of one person and one writer alone, against inserts of the same text into a table ` +
    `with nothing but a key, taking turns. List, background block and search over ${ITEMS} items; sections of a document ` +
    'of 5 MB. recall@5: is the item among the first five that answers the question? substring_: the newest items that ' +
    'contain the whole question; substring_words_: those that contain all of its words. select_1: what a round trip to the ' +
    'database takes in this run.',
  goals: {
    adds_to_bare_ratio: { op: '>=', value: 0.5 },
    one_writer_to_bare_ratio: { op: '>=', value: 0.5 },
    list_p95_ms: { op: '<=', value: 20 },
    inject_p95_ms: { op: '<=', value: 20 },
    section_p95_ms: { op: '<=', value: 20 },
    search_p95_ms: { op: '<=', value: 30 },
  },
  async run(progress) {
    const database = await startLastingDatabase();
    const db = connectDatabase(database.url, { max: WRITERS });
    try {
      const items = new MemoryItems(db);
      progress('adds');
      const adds = await measureAdds(db, items);
      progress(`filling ${ITEMS} items`);
      await fillItems(db, OWNER, ITEMS);
      const asked = questions(QUESTIONS);
      progress('list and background');
      const newest = { mode: 'newest' as const, maxChars: 2_000 };
      const list = await timed(SAMPLES, () => items.list(OWNER, { state: 'active', limit: 100 }));
      const inject = await timed(SAMPLES, () => items.background(OWNER, newest, null));
      const bareTrip = await timed(SAMPLES, () => db.statements.$queryRaw`select 1`);
      progress('search');
      const search = await measureSearch(db, items, asked);
      progress('documents');
      const documents = await measureDocument(db);
      progress('which items a chat begins with');
      const injected = await measureInject(db, items);
      return {
        ...adds,
        select_1_p50_ms: percentile(bareTrip, 0.5),
        select_1_p95_ms: percentile(bareTrip, 0.95),
        list_p50_ms: percentile(list, 0.5),
        list_p95_ms: percentile(list, 0.95),
        inject_p50_ms: percentile(inject, 0.5),
        inject_p95_ms: percentile(inject, 0.95),
        ...search,
        ...documents,
        ...injected,
      };
    } finally {
      await db.close();
      await database.drop();
    }
  },
};

async function timed(samples: number, act: (n: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let n = -5; n < samples; n += 1) {
    const before = performance.now();
    await act(Math.max(0, n));
    if (n >= 0) times.push(performance.now() - before);
  }
  return times;
}

async function measureAdds(db: Database, items: MemoryItems): Promise<Figures> {
  await db.pool.query(
    'create table bare (id bigint generated always as identity primary key, owner text, content text)',
  );
  const content = (n: number) => `the service ${n} listens on port ${n % 65_536} of the machine odin`;
  const bare = (n: number) =>
    db.statements.$executeRaw`insert into bare (owner, content) values (${OWNER}, ${content(n)})`;
  const add = (n: number) => items.add('adds', { kind: 'fact', content: content(n), tags: [], by: 'bench' });
  const spread = (n: number) =>
    items.add(`adds-${n % WRITERS}`, { kind: 'fact', content: content(n), tags: [], by: 'bench' });
  const ways = { bare, add, spread };
  const many: Record<string, number[]> = { bare: [], add: [], spread: [] };
  const one: Record<string, number[]> = { bare: [], add: [] };
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [name, way] of Object.entries(ways)) {
      const rate = await perSecond(way, WRITERS);
      if (round >= 0) many[name]?.push(rate);
      if (name === 'spread') continue;
      const alone = await perSecond(way, 1);
      if (round >= 0) one[name]?.push(alone);
    }
  }
  const median = (rates: readonly number[] | undefined) => percentile(rates ?? [], 0.5);
  return {
    bare_per_s: median(many['bare']),
    adds_per_s: median(many['add']),
    adds_of_many_owners_per_s: median(many['spread']),
    adds_to_bare_ratio: median(many['add']) / median(many['bare']),
    one_writer_bare_per_s: median(one['bare']),
    one_writer_per_s: median(one['add']),
    one_writer_to_bare_ratio: median(one['add']) / median(one['bare']),
  };
}

async function perSecond(way: (n: number) => Promise<unknown>, writers: number): Promise<number> {
  const began = performance.now();
  let n = 0;
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (performance.now() - began < ROUND_MS) {
        n += 1;
        await way(n);
      }
    }),
  );
  return n / ((performance.now() - began) / 1000);
}

async function measureSearch(db: Database, items: MemoryItems, asked: readonly Question[]): Promise<Figures> {
  const found = { ours: 0, whole: 0, words: 0 };
  const times: number[] = [];
  const plain: number[] = [];
  for (const { text, answer } of asked.slice(0, 10)) await items.search(OWNER, `${text} ${answer.slice(0, 5)}`, 5);
  for (const { text, answer } of asked) {
    const before = performance.now();
    const hits = await items.search(OWNER, text, 5);
    times.push(performance.now() - before);
    if (hits.some((hit) => hit.content === answer)) found.ours += 1;
    const began = performance.now();
    if ((await containing(db, [text])).includes(answer)) found.whole += 1;
    plain.push(performance.now() - began);
    const words = text.split(/[^\p{L}\p{N}-]+/u).filter((word) => word.length > 3);
    if ((await containing(db, words)).includes(answer)) found.words += 1;
  }
  return {
    search_p50_ms: percentile(times, 0.5),
    search_p95_ms: percentile(times, 0.95),
    search_p99_ms: percentile(times, 0.99),
    'search_recall@5': found.ours / asked.length,
    'substring_recall@5': found.whole / asked.length,
    'substring_words_recall@5': found.words / asked.length,
    substring_p95_ms: percentile(plain, 0.95),
  };
}

/** Searches as `grep` does, and returns the newest five items that contain all words. */
async function containing(db: Database, words: readonly string[]): Promise<string[]> {
  const { rows } = await db.pool.query<{ content: string }>(
    `select content from memory_entries
     where owner = $1 and target is null and forgotten_by is null
       and lower(content) like all (select '%' || lower(word) || '%' from unnest($2::text[]) word)
     order by at desc, number desc limit 5`,
    [OWNER, words],
  );
  return rows.map((row) => row.content);
}

async function measureDocument(db: Database): Promise<Figures> {
  const documents = new MemoryDocuments(db);
  const me = { owner: OWNER, app: null };
  const content = Array.from({ length: PARTS }, (_, n) => `## Part ${n}\n\n${'some words '.repeat(94)}\n`).join('\n');
  const before = performance.now();
  await documents.write(me, 'user', { mode: 'replace', content });
  const writeMs = performance.now() - before;
  const read = (query: object) => documents.read(me, 'user', ReadDocument.parse(query));
  const section = await timed(SAMPLES, (n) =>
    read({ mode: 'section', section: `Part ${(n * 2_654_435_761) % PARTS}` }),
  );
  const tail = await timed(SAMPLES, () => read({ mode: 'tail' }));
  const append = await timed(APPENDS, (n) => documents.write(me, 'user', { mode: 'append', content: `entry ${n}` }));
  return {
    document_mb: content.length / 1_000_000,
    section_p50_ms: percentile(section, 0.5),
    section_p95_ms: percentile(section, 0.95),
    tail_p95_ms: percentile(tail, 0.95),
    document_replace_ms: writeMs,
    document_append_p50_ms: percentile(append, 0.5),
  };
}

/**
 * Measures how often the prompt of a chat that begins with a question about one of 2,000 facts contains the item that
 * answers it.
 */
async function measureInject(db: Database, items: MemoryItems): Promise<Figures> {
  const owner = 'inject';
  const asked = questions(QUESTIONS / 2);
  await fillFacts(db, owner, 2_000);
  const share = async (mode: 'newest' | 'relevant') => {
    let hits = 0;
    const times: number[] = [];
    for (const { text, answer } of asked) {
      const began = performance.now();
      const { text: block } = await items.background(owner, { mode, maxChars: 2_000 }, text);
      times.push(performance.now() - began);
      if (block?.includes(answer) === true) hits += 1;
    }
    return { hits: hits / asked.length, p95: percentile(times, 0.95) };
  };
  const newest = await share('newest');
  const relevant = await share('relevant');
  return {
    block_answers_newest_ratio: newest.hits,
    block_answers_relevant_ratio: relevant.hits,
    block_relevant_p95_ms: relevant.p95,
  };
}

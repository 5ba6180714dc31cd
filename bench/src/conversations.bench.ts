import { connectDatabase, type Database } from '@aish/database/client';
import { MemoryItems } from '@aish/memory';
import type { Benchmark, Figures } from './benchmark.js';
import { startLastingDatabase } from './lasting-database.js';
import { PlainBm25 } from './plain-bm25.js';
import { readConversations, type Conversation } from './recall/conversations.js';

const CUTS = [1, 5, 10] as const;
const DEEPEST = 10;

/** How often an answer was among the first so many. */
type Hits = Record<(typeof CUTS)[number], number>;

export const benchmark: Benchmark = {
  name: 'conversations',
  about:
    'questions over long conversations, as the public files of LoCoMo have them, read from a folder: each conversation the ' +
    'memory of one person, each turn an item with its date and speaker. Percent of questions with a turn that answers among ' +
    'the first 1, 5, 10. plain_: textbook BM25 in the same run over text, date and speaker; gain_: ours less plain. doubted: ' +
    'percent of the answers among the first 5 that are said to fit badly; false: percent of the same questions, asked of the ' +
    'next conversation with the names of its speakers, that get an answer which is not.',
  goals: {
    'gain@1': { op: '>=', value: 1 },
    'gain@5': { op: '>=', value: 1 },
    'gain@10': { op: '>=', value: 1 },
  },
  async run(progress, { folder } = {}) {
    if (folder === undefined) throw new Error('name the folder of the files: npm run bench -- conversations FOLDER');
    const conversations = readConversations(folder);
    const database = await startLastingDatabase();
    const db = connectDatabase(database.url);
    try {
      for (const [n, conversation] of conversations.entries()) await fill(db, `person${n}`, conversation);
      await db.pool.query('analyze memory_entries');
      const items = new MemoryItems(db);
      let [doubted, fooled] = [0, 0];
      const [ours, plain]: [Hits, Hits] = [
        { 1: 0, 5: 0, 10: 0 },
        { 1: 0, 5: 0, 10: 0 },
      ];
      for (const [n, { said, asked }] of conversations.entries()) {
        progress(`conversation ${n + 1} of ${conversations.length}: ${said.length} turns, ${asked.length} questions`);
        const textbook = new PlainBm25(
          said.map(({ text, by, at }) => `${text} ${by} ${at.toISOString().slice(0, 10)}`),
        );
        const [next, others] = [(n + 1) % conversations.length, conversations[(n + 1) % conversations.length]];
        for (const { text, answers } of asked) {
          const { items: found, fits } = await items.lookFor(`person${n}`, text.slice(0, 1_000), DEEPEST);
          const places = found.map(({ number }) => number - 1);
          count(ours, answers, places);
          count(plain, answers, textbook.find(text, DEEPEST));
          if (!fits && places.slice(0, 5).some((place) => answers.has(place))) doubted += 1;
          const asElsewhere = withNames(text, speakersOf(said), speakersOf(others?.said ?? []));
          const elsewhere = await items.lookFor(`person${next}`, asElsewhere.slice(0, 1_000), DEEPEST);
          if (elsewhere.items.length > 0 && elsewhere.fits) fooled += 1;
        }
      }
      const questions = conversations.reduce((sum, { asked }) => sum + asked.length, 0);
      const figures: Record<string, number> = {
        questions,
        doubted: (100 * doubted) / Math.max(1, ours[5]),
        false: (100 * fooled) / questions,
      };
      for (const cut of CUTS) {
        figures[`ours@${cut}`] = (100 * ours[cut]) / questions;
        figures[`plain@${cut}`] = (100 * plain[cut]) / questions;
        figures[`gain@${cut}`] = (100 * (ours[cut] - plain[cut])) / questions;
      }
      return figures satisfies Figures;
    } finally {
      await db.close();
      await database.drop();
    }
  },
};

function count(hits: Hits, answers: ReadonlySet<number>, found: readonly number[]): void {
  for (const cut of CUTS) if (found.slice(0, cut).some((place) => answers.has(place))) hits[cut] += 1;
}

function speakersOf(said: Conversation['said']): readonly string[] {
  return [...new Set(said.map(({ by }) => by))];
}

function withNames(text: string, from: readonly string[], to: readonly string[]): string {
  return from.reduce((changed, name, n) => changed.replaceAll(name, to[n % to.length] ?? name), text);
}

async function fill(db: Database, owner: string, { said }: Conversation): Promise<void> {
  await db.pool.query(
    `insert into memory_entries (owner, number, kind, content, tags, origin, by, at)
     select $1, n, 'fact', content, '{}', 'typed', name, at
     from unnest($2::text[], $3::text[], $4::timestamptz[]) with ordinality as turn(content, name, at, n)`,
    [owner, said.map(({ text }) => text), said.map(({ by }) => by), said.map(({ at }) => at.toISOString())],
  );
}

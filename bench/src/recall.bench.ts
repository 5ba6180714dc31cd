import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embed as embedOf } from '@aish/broker';
import { Presets, presetsOf, type Preset } from '@aish/contracts/config/presets.settings';
import { KnowledgeQuery } from '@aish/contracts/knowledge';
import { connectDatabase, type Database } from '@aish/database/client';
import { KnowledgeBase, KnowledgeIndex } from '@aish/knowledge';
import { makeGeneratedBase } from '@aish/knowledge/testing';
import { MemoryItems, meaningOf } from '@aish/memory';
import { startScriptedEmbeddings } from '@aish/rehearsal';
import type { Benchmark, Figures } from './benchmark.js';
import { fillItems, questions } from './memory.corpus.js';
import { startLastingDatabase } from './lasting-database.js';
import { PlainBm25 } from './plain-bm25.js';
import { MEANINGS, NOTES, recallQuestions, type QuestionKind } from './recall.corpus.js';
import { percentile } from './statistics.js';

const OWNER = 'bench';
const MANY_OWNER = 'many';
const MANY = 100_000;
const DIMENSIONS = 768;
const CUTS = [1, 5, 10] as const;
const KINDS: readonly QuestionKind[] = ['own', 'paraphrase', 'when-who'];

/** Whoever answers gives the numbers of notes, best first. */
type Finder = (question: string) => Promise<readonly number[]>;

export const benchmark: Benchmark = {
  name: 'recall',
  about:
    '300 questions over 600 notes of a household: in the words of the note, in other words, by date or person, and 75 that ' +
    'no note answers. Percent of questions whose note is among the first 1, 5, 10; false_: percent of the 75 that get an ' +
    'answer. plain_: textbook BM25 in the same run, over text, date and name. gain_: ours less plain. hybrid_: by words and by ' +
    'meaning, with a scripted model that knows which phrases mean the same; 100k: searches in 100 000 items of 768 numbers with the vector of the question at hand, ' +
    'first_ with all of them to load.',
  goals: {
    'gain_lexical@1': { op: '>=', value: 1 },
    'gain_lexical@5': { op: '>=', value: 1 },
    'gain_lexical@10': { op: '>=', value: 1 },
    'hybrid_paraphrase@5': { op: '>=', value: 90 },
    hybrid_100k_p95_ms: { op: '<=', value: 60 },
    'gain_knowledge@1': { op: '>=', value: 1 },
    'gain_knowledge@5': { op: '>=', value: 1 },
    'gain_knowledge@10': { op: '>=', value: 1 },
  },
  async run(progress) {
    const database = await startLastingDatabase();
    const db = connectDatabase(database.url);
    try {
      await fill(db);
      progress('plain');
      const textbook = new PlainBm25(NOTES.map(({ text, at, by }) => `${text} ${by} ${at.toISOString().slice(0, 10)}`));
      const plain = await measure('plain', (question) => Promise.resolve(textbook.find(question, 10)));
      progress('lexical');
      const items = new MemoryItems(db);
      const lexical = await measure('lexical', async (question) => {
        return (await items.search(OWNER, question, 10)).map(({ number }) => number - 1);
      });
      progress('hybrid');
      const hybrid = await measureHybrid(db);
      progress('knowledge');
      const knowledge = await measureKnowledge(db);
      return {
        ...plain,
        ...lexical,
        ...gain('lexical', lexical, plain),
        ...hybrid,
        ...knowledge,
        ...gain('knowledge', knowledge, plain),
      };
    } finally {
      await db.close();
      await database.drop();
    }
  },
};

/** By how many percent of the questions ours finds more. */
function gain(name: string, ours: Figures, plain: Figures): Figures {
  return Object.fromEntries(
    CUTS.map((cut) => [`gain_${name}@${cut}`, (ours[`${name}@${cut}`] ?? 0) - (plain[`plain@${cut}`] ?? 0)]),
  );
}

/** By meaning, too: with a scripted model that knows the paraphrases, so this is what the mechanism makes of a good one. */
async function measureHybrid(db: Database): Promise<Figures> {
  const model = await startScriptedEmbeddings(MEANINGS, { dimensions: DIMENSIONS });
  const embed: Preset = { ...presetsOf(Presets.parse({}))[0], name: 'embed', baseUrl: model.url } as Preset;
  const meaning = meaningOf(db, [embed]);
  const items = new MemoryItems(db, meaning);
  try {
    await meaning?.makeMissing(AbortSignal.timeout(300_000));
    const figures = await measure('hybrid', async (question) => {
      return (await items.search(OWNER, question, 10)).map(({ number }) => number - 1);
    });
    await fillMany(db, model.model);
    // Another one: how rare words are is kept for a minute.
    const { vectors } = await embedOf(embed, ['the vector at hand'], 1_000, AbortSignal.timeout(1_000));
    const atHand: typeof embedOf = () => Promise.resolve({ model: model.model, vectors });
    const many = new MemoryItems(db, meaningOf(db, [embed], atHand));
    const began = performance.now();
    await many.search(MANY_OWNER, 'the first question', 10);
    const firstMs = performance.now() - began;
    const times: number[] = [];
    for (const { text } of questions(400)) {
      const before = performance.now();
      await many.search(MANY_OWNER, text, 10);
      times.push(performance.now() - before);
    }
    return {
      ...figures,
      hybrid_100k_first_ms: firstMs,
      hybrid_100k_p50_ms: percentile(times, 0.5),
      hybrid_100k_p95_ms: percentile(times, 0.95),
    };
  } finally {
    await model.close();
  }
}

/** Items with vectors that mean nothing: only how long it takes is asked. */
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

/** The same notes as nodes. */
async function measureKnowledge(db: Database): Promise<Figures> {
  const dir = await mkdtemp(join(tmpdir(), 'aish-recall-'));
  const base = new KnowledgeBase({ dir, env: process.env });
  try {
    await base.init();
    await makeGeneratedBase(base, NOTES.length, nodeOf);
    const index = new KnowledgeIndex(db, base);
    await index.sync({ full: true });
    return await measure('knowledge', async (text) => {
      const { items } = await index.query(KnowledgeQuery.parse({ text, limit: 10 }), null);
      return items.map(({ id }) => Number.parseInt(id.slice(0, 8), 16));
    });
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
  const questions = recallQuestions();
  const found: (readonly number[])[] = [];
  for (const { text } of questions) found.push(await find(text));
  const share = (cut: number, kinds: readonly QuestionKind[]): number => {
    const asked = questions.flatMap(({ kind, answer }, n) => (kinds.includes(kind) ? [{ answer, n }] : []));
    const hits = asked.filter(({ answer, n }) => answer !== null && found[n]?.slice(0, cut).includes(answer) === true);
    return (100 * hits.length) / asked.length;
  };
  for (const cut of CUTS) figures[`${name}@${cut}`] = share(cut, KINDS);
  for (const kind of KINDS) for (const cut of [1, 5]) figures[`${name}_${kind}@${cut}`] = share(cut, [kind]);
  const none = questions.flatMap(({ kind }, n) => (kind === 'none' ? [n] : []));
  figures[`${name}_false`] = (100 * none.filter((n) => (found[n]?.length ?? 0) > 0).length) / none.length;
  return figures;
}

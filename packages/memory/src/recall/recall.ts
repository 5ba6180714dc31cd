import type { KnowledgeHits } from '@aish/contracts/knowledge';
import type { MemoryCaller } from '@aish/contracts/memory';
import { AishError } from '@aish/contracts/problems';
import { RecallKind, type RecallHit, type RecallHits } from '@aish/contracts/recall';
import type { Database } from '@aish/database/client';
import { TEXT_WORDS } from '@aish/database/memory-search.repository';
import { findTexts, spacesWithDocuments, type FoundText } from '@aish/database/recall-texts.repository';
import { TEXT_VECTORS } from '@aish/database/vectors.repository';
import { fused, probablyAnswers, withoutFillers, type Place } from '@aish/ranking';
import { documentKey } from '../document-key.js';
import type { MemoryItems } from '../items.js';
import { standsOut, type Asked, type Meaning } from '../meaning.js';
import { scopesFor } from '../permissions.js';
import { FUSED_DEPTH } from '../search.js';
import { WordSearch } from '../word-search.js';
import { cutSome, ofDocument, saidBy } from './cut.js';
import { snippetOf } from './pieces.js';

/** Maximum number of results per session or document, so that other results appear, too. */
const OF_ONE_MAX = 2;
/** The value of a node that contains all the words, and of one that contains some. */
const [ALL_WORDS, SOME_WORDS] = [1, 0.5];
/**
 * Maximum number of spaces whose documents are searched. A person may read the documents of all spaces, but only the
 * most recently written ones are searched.
 */
const SPACES_MAX = 30;
const ALL_KINDS: readonly RecallKind[] = RecallKind.options;

/** The caller. `token` identifies the caller for the knowledge base. */
export interface RecallCaller {
  readonly memory: MemoryCaller;
  readonly token: string;
}

export interface RecallQuestion {
  readonly text: string;
  readonly limit: number;
  readonly kinds?: readonly RecallKind[];
  /** The session that asks. It already knows its own content, so the search excludes it. */
  readonly except?: string | null;
}

/** Searches nodes for the owner of a token. */
export type AskKnowledge = (
  question: string,
  limit: number,
  token: string,
  signal: AbortSignal,
) => Promise<Pick<KnowledgeHits, 'items' | 'relaxed' | 'fits'>>;

interface Found {
  readonly hits: readonly RecallHit[];
  /** Whether one of the nodes probably answers the question. */
  readonly fits: boolean;
  readonly notes: readonly string[];
}

const NOTHING: Found = { hits: [], fits: false, notes: [] };

/** Searches items, documents, nodes, chats and goals at once, limited to texts that the caller may see. */
export class Recall {
  private readonly words: WordSearch;

  /** @param knowledge null if there is no knowledge base. */
  constructor(
    private readonly db: Database,
    private readonly items: MemoryItems,
    private readonly meaning: Meaning | null,
    private readonly knowledge: AskKnowledge | null,
  ) {
    this.words = new WordSearch(db, TEXT_WORDS);
  }

  /** Returns results, best first. An unavailable source is reported and skipped. */
  async find(question: RecallQuestion, caller: RecallCaller, signal: AbortSignal): Promise<RecallHits> {
    const kinds = question.kinds ?? ALL_KINDS;
    const asking = this.meaning?.ask(question.text) ?? Promise.resolve(null);
    const [items, texts, nodes, asked] = await Promise.all([
      kinds.includes('item') ? this.findItems(question, caller, asking) : NOTHING,
      this.findTexts(question, caller, kinds, asking),
      kinds.includes('node') ? this.findNodes(question, caller, signal) : NOTHING,
      asking,
    ]);
    const all = [...items.hits, ...texts.hits, ...nodes.hits].toSorted(
      (a, b) => b.score - a.score || (a.at < b.at ? 1 : -1),
    );
    const meaning = this.meaning === null ? 'off' : asked === null ? 'unavailable' : 'used';
    const fits = items.fits || texts.fits || nodes.fits;
    return { items: withFewOfEach(all).slice(0, question.limit), meaning, fits, notes: [...nodes.notes] };
  }

  private async findItems(
    { text, limit }: RecallQuestion,
    { memory }: RecallCaller,
    asking: Promise<Asked | null>,
  ): Promise<Found> {
    const { items, fits } = await this.items.lookFor(memory.owner, text, limit, asking);
    const hits = items.map(({ number, content, by, at, score }): RecallHit => ({
      kind: 'item',
      name: String(number),
      title: '',
      text: snippetOf(content, text),
      place: null,
      by,
      at,
      // If the item was found by spelling alone, its score has a different scale.
      score: Math.min(score, 2 * placeValue(0, ALL_WORDS)),
    }));
    return { hits, fits, notes: [] };
  }

  private async findTexts(
    { text, limit, except = null }: RecallQuestion,
    { memory }: RecallCaller,
    kinds: readonly RecallKind[],
    asking: Promise<Asked | null>,
  ): Promise<Found> {
    const isSaid = kinds.includes('chat') || kinds.includes('goal');
    if (!isSaid && !kinds.includes('document')) return NOTHING;
    await cutSome(this.db);
    const documents = kinds.includes('document') ? await readableDocuments(this.db, memory) : [];
    const shelves = [...(isSaid ? [saidBy(memory)] : []), ...documents];
    const depth = Math.max(4 * limit, FUSED_DEPTH);
    const [words, near] = await Promise.all([this.words.rank(shelves, text, depth), this.near(shelves, asking, depth)]);
    const ranking = fused([words, near.places]);
    const found = await findTexts(
      this.db.statements,
      ranking.map(({ key }) => key),
      shelves,
    );
    const byId = new Map(found.map((each) => [each.id, each]));
    const hits = ranking.flatMap(({ key, score }) => {
      const each = byId.get(key);
      const hit = each === undefined || each.session?.id === except ? null : hitOf(each, score, text);
      return hit !== null && kinds.includes(hit.kind) ? [hit] : [];
    });
    return { hits, fits: hits.length > 0 && (words.some(probablyAnswers) || near.standsOut), notes: [] };
  }

  private async near(
    shelves: readonly string[],
    asking: Promise<Asked | null>,
    depth: number,
  ): Promise<{ readonly places: readonly Place[]; readonly standsOut: boolean }> {
    const asked = await asking;
    if (asked === null || this.meaning === null) return { places: [], standsOut: false };
    const { meaning } = this;
    const found = await Promise.all(shelves.map((shelf) => meaning.near(asked, TEXT_VECTORS, shelf, depth)));
    const places = found
      .flatMap(({ near }) => near)
      .toSorted((a, b) => b.likeness - a.likeness)
      .slice(0, depth);
    const measured = found.filter(({ distance }) => distance !== null);
    const isFar = measured.some(({ distance }) => standsOut(distance));
    return { places, standsOut: places.length > 0 && (measured.length === 0 || isFar) };
  }

  private async findNodes(
    { text, limit }: RecallQuestion,
    { memory, token }: RecallCaller,
    signal: AbortSignal,
  ): Promise<Found> {
    // The token of an app may not read the knowledge base.
    if (this.knowledge === null || memory.app !== null) return NOTHING;
    try {
      const { items, relaxed, fits } = await this.knowledge(withoutFillers(text), limit, token, signal);
      const trust = relaxed ? SOME_WORDS : ALL_WORDS;
      const hits = items.map(({ id, title, summary, updated }, n): RecallHit => {
        const fields = { title, text: snippetOf(summary, text), place: null, by: '', at: updated };
        return { kind: 'node', name: id, ...fields, score: placeValue(n, trust) };
      });
      return { hits, fits: fits && hits.length > 0, notes: [] };
    } catch (error) {
      if (!(error instanceof AishError) || signal.aborted) throw error;
      if (error.code === 'knowledge_missing') return NOTHING;
      return { hits: [], fits: false, notes: [`without the knowledge base: ${error.message}`] };
    }
  }
}

/** Returns the value of a place in a ranking, as in `fused`. */
function placeValue(n: number, trust: number): number {
  return fused([Array.from({ length: n + 1 }, (_, key) => ({ key, trust }))])[n]?.score ?? 0;
}

function hitOf(found: FoundText, score: number, question: string): RecallHit | null {
  const { session, document, place, title, content, by, at } = found;
  const fields = {
    text: snippetOf(content === '' ? title : content, question),
    place,
    by,
    at: at.toISOString(),
    score,
  };
  if (session !== null) {
    const { goal, number, title: called } = session;
    return goal === null
      ? { kind: 'chat', name: `c${number}`, title: called, ...fields }
      : { kind: 'goal', name: `g${goal}`, title: called, ...fields };
  }
  if (document === null) return null;
  const name = document.space === null ? document.scope : `${document.scope}/${document.space}`;
  return { kind: 'document', name, title, ...fields };
}

function withFewOfEach(hits: readonly RecallHit[]): RecallHit[] {
  const counts = new Map<string, number>();
  return hits.filter(({ kind, name, place }) => {
    if (place === null) return true;
    const count = (counts.get(`${kind} ${name}`) ?? 0) + 1;
    counts.set(`${kind} ${name}`, count);
    return count <= OF_ONE_MAX;
  });
}

/** Returns the documents that the caller may read, according to the document permissions. */
async function readableDocuments(db: Pick<Database, 'statements'>, caller: MemoryCaller): Promise<string[]> {
  const own = scopesFor(caller, 'read').map((scope) => documentKey(caller, scope).key);
  const spaces = caller.app === null ? await spacesWithDocuments(db.statements, SPACES_MAX) : [];
  return [...new Set([...own, ...spaces])].map(ofDocument);
}

import type { Database } from '@aish/database/client';
import { TEXT_WORDS } from '@aish/database/memory-search.repository';
import { NODES_SHELF, findTexts } from '@aish/database/recall-texts.repository';
import { TEXT_VECTORS } from '@aish/database/vectors.repository';
import { probablyAnswers, type Place } from '@aish/ranking';
import { standsOut, type Meaning } from '../meaning.js';
import { WordSearch } from '../word-search.js';

/** The number of parts that are fetched for each node, because several parts of one node may be near. */
const PARTS_OF_EACH = 3;

export interface FoundNodes {
  /** IDs of nodes by the words of their parts, and by meaning, best first. */
  readonly rankings: readonly (readonly Place<string>[])[];
  readonly meaning: 'off' | 'used' | 'unavailable';
  /** Whether one of the nodes probably answers the question. */
  readonly fits: boolean;
}

/**
 * Ranks nodes by the words and the meaning of their parts, and of questions that a model wrote about them. The
 * knowledge base decides who may see which.
 */
export function nearNodes(
  db: Database,
  meaning: Meaning | null,
): (question: string, limit: number) => Promise<FoundNodes> {
  const words = new WordSearch(db, TEXT_WORDS);
  return async (question, limit) => {
    const depth = limit * PARTS_OF_EACH;
    const [asked, byWords] = await Promise.all([
      meaning?.ask(question) ?? null,
      words.rank([NODES_SHELF], question, depth),
    ]);
    const { near = [], distance = 0 } =
      asked === null ? {} : ((await meaning?.near(asked, TEXT_VECTORS, NODES_SHELF, depth)) ?? {});
    const keys = [...new Set([...byWords, ...near].map(({ key }) => key))];
    const found = new Map((await findTexts(db.statements, keys, [NODES_SHELF])).map(({ id, nodeId }) => [id, nodeId]));
    const gone = keys.filter((key) => !found.has(key));
    meaning?.leaveOut(TEXT_VECTORS, NODES_SHELF, gone);
    return {
      rankings: [byWords, near].map((parts) => nodesOf(parts, found).slice(0, limit)),
      meaning: meaning === null ? 'off' : asked === null ? 'unavailable' : 'used',
      fits: byWords.some(probablyAnswers) || (near.length > 0 && standsOut(distance)),
    };
  };
}

/** Ranks each node at the place of its best part. */
function nodesOf(parts: readonly Place[], nodes: ReadonlyMap<number, string | null>): Place<string>[] {
  const best = new Map<string, Place<string>>();
  for (const { key, trust } of parts) {
    const node = nodes.get(key);
    if (typeof node === 'string' && !best.has(node)) best.set(node, { key: node, trust });
  }
  return [...best.values()];
}

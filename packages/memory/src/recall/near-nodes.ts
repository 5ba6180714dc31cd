import type { Database } from '@aish/database/client';
import { TEXT_WORDS } from '@aish/database/memory-search.repository';
import { NODES_SHELF, findTexts } from '@aish/database/recall-texts.repository';
import { TEXT_VECTORS } from '@aish/database/vectors.repository';
import { fused, probablyAnswers } from '@aish/ranking';
import { standsOut, type Meaning } from '../meaning.js';
import { WordSearch } from '../word-search.js';

/** Several parts of one node may be near. */
const PARTS_OF_EACH = 3;

export interface FoundNodes {
  readonly ids: readonly string[];
  readonly meaning: 'off' | 'used' | 'away';
  /** Whether one of them probably answers. */
  readonly fits: boolean;
}

/**
 * Nodes by what their parts mean, and by questions that a model wrote of them, nearest first. Who may see which is for
 * the knowledge base to say.
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
    const ranking = fused([byWords, near]);
    const keys = ranking.map(({ key }) => key);
    const found = new Map((await findTexts(db.statements, keys, [NODES_SHELF])).map(({ id, nodeId }) => [id, nodeId]));
    const gone = keys.filter((key) => !found.has(key));
    meaning?.leaveOut(TEXT_VECTORS, NODES_SHELF, gone);
    return {
      ids: [...new Set(keys.flatMap((key) => found.get(key) ?? []))].slice(0, limit),
      meaning: meaning === null ? 'off' : asked === null ? 'away' : 'used',
      fits: byWords.some(probablyAnswers) || (near.length > 0 && standsOut(distance)),
    };
  };
}

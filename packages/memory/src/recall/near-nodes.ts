import type { Database } from '@aish/database/client';
import { TEXT_WORDS } from '@aish/database/memory-search.repository';
import { findTexts } from '@aish/database/recall-texts.repository';
import { TEXT_VECTORS } from '@aish/database/vectors.repository';
import { fused } from '@aish/ranking';
import type { Meaning } from '../meaning.js';
import { WordSearch } from '../word-search.js';
import { NODES } from './shelves.js';

export interface FoundNodes {
  readonly ids: readonly string[];
  readonly meaning: 'off' | 'used' | 'away';
}

/**
 * Nodes by what they mean, and by questions that a model wrote of them, nearest first. Who may see which is for the
 * knowledge base to say.
 */
export function nearNodes(
  db: Database,
  meaning: Meaning | null,
): (question: string, limit: number) => Promise<FoundNodes> {
  const words = new WordSearch(db, TEXT_WORDS);
  return async (question, limit) => {
    const [asked, byWords] = await Promise.all([meaning?.ask(question) ?? null, words.rank([NODES], question, limit)]);
    const near = asked === null ? [] : ((await meaning?.near(asked, TEXT_VECTORS, NODES, limit)) ?? []);
    const ranking = fused([byWords, near.map(({ key }) => ({ key, trust: 1 }))]).slice(0, limit);
    const keys = ranking.map(({ key }) => key);
    const found = new Map((await findTexts(db.statements, keys, [NODES])).map(({ id, nodeId }) => [id, nodeId]));
    const gone = keys.filter((key) => !found.has(key));
    meaning?.leaveOut(TEXT_VECTORS, NODES, gone);
    const ids = keys.flatMap((key) => found.get(key) ?? []);
    return { ids, meaning: meaning === null ? 'off' : asked === null ? 'away' : 'used' };
  };
}

import type { Arena } from './arena.js';
import { missing, type Gate, type Miss } from './measure.js';

const MAX_RUNS = 200;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']', "'": "'", '"': '"', '`': '`' };

type Pieces = readonly string[];

/** Returns a shorter command with the same miss: pieces are removed as long as the miss remains. */
export async function minimised(arena: Arena, gate: Gate, miss: Miss): Promise<Miss> {
  let best = miss;
  let pieces: Pieces = miss.cmd.match(/\s+|[\w./-]+|[^\w\s]/g) ?? [];
  let runs = 0;
  const isStillMissed = async (fewer: Pieces): Promise<boolean> => {
    const cmd = fewer.join('').trim();
    if (cmd === '' || cmd === best.cmd || runs >= MAX_RUNS) return false;
    runs += 1;
    const shorter = await missing(arena, gate, { ...miss, cmd });
    if (shorter?.level !== miss.level) return false;
    best = shorter;
    return true;
  };
  for (let before = Infinity; pieces.length < before;) {
    before = pieces.length;
    for (let size = Math.ceil(pieces.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
      for (let at = 0; at < pieces.length;)
        if (await isStillMissed(pieces.toSpliced(at, size))) pieces = pieces.toSpliced(at, size);
        else at += size;
    for (const fewer of withoutPairs(pieces)) {
      if (!(await isStillMissed(fewer))) continue;
      pieces = fewer;
      break;
    }
  }
  return best;
}

/** Returns all variants with one pair of brackets or quotes removed. */
const withoutPairs = (pieces: Pieces): readonly Pieces[] =>
  pieces.flatMap((opening, from) =>
    pieces.flatMap((piece, to) =>
      to > from && piece === CLOSING[opening] ? [pieces.filter((_, at) => at !== from && at !== to)] : [],
    ),
  );

import type { Arena } from './arena.js';
import { missing, type Gate, type Miss } from './measure.js';

const MAX_RUNS = 120;

/** A shorter command that is missed in the same way: pieces are left out as long as it still is. */
export async function minimised(arena: Arena, gate: Gate, miss: Miss): Promise<Miss> {
  let best = miss;
  let runs = 0;
  let pieces = piecesOf(miss.cmd);
  for (let size = Math.ceil(pieces.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < pieces.length && runs < MAX_RUNS;) {
      const fewer = pieces.toSpliced(at, size);
      const cmd = fewer.join('').trim();
      const shorter = cmd === '' || cmd === best.cmd ? null : await missing(arena, gate, { ...miss, cmd });
      runs += 1;
      if (shorter !== null && shorter.level === miss.level) {
        best = shorter;
        pieces = fewer;
      } else at += size;
    }
  }
  return best;
}

const piecesOf = (cmd: string): readonly string[] => cmd.match(/\s+|[\w./-]+|[^\w\s]/g) ?? [];

import { LineAsker } from './ask-line.js';
import type { Io } from './io.js';

/** Asks a person on stdin; nobody there is a no. */
export async function askYes(io: Io, question: string): Promise<boolean> {
  const asker = new LineAsker(io);
  try {
    return /^\s*y(?:es)?\s*$/i.test((await asker.ask(`${question} [y/N] `)) ?? '');
  } finally {
    asker.close();
  }
}

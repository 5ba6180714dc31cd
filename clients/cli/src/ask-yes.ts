import { LineAsker } from './ask-line.js';
import type { Io } from '@aish/client/io';

/** An empty answer is a no; undefined: it is neither. */
export function yesOrNo(answer: string): boolean | undefined {
  if (/^y(?:es)?$/i.test(answer)) return true;
  return /^(?:no?)?$/i.test(answer) ? false : undefined;
}

/** Asks a person on stdin; nobody there is a no. */
export async function askYes(io: Io, question: string): Promise<boolean> {
  const asker = new LineAsker(io);
  try {
    return (await asker.askUntil(`${question} [y/N] `, 'y or n', yesOrNo)) ?? false;
  } finally {
    asker.close();
  }
}

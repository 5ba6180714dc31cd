import { LineAsker } from './ask-line.js';
import type { Io } from '@aish/client/io';

/** Returns the meaning of an answer. An empty answer means no, and undefined means neither yes nor no. */
export function yesOrNo(answer: string): boolean | undefined {
  if (/^y(?:es)?$/i.test(answer)) return true;
  return /^(?:no?)?$/i.test(answer) ? false : undefined;
}

/** Asks a person on stdin. Without a person the answer is no. */
export async function askYes(io: Io, question: string): Promise<boolean> {
  const asker = new LineAsker(io);
  try {
    return (await asker.askUntil(`${question} [y/N] `, 'y or n', yesOrNo)) ?? false;
  } finally {
    asker.close();
  }
}

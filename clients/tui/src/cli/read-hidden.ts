import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Io } from './io.js';

/** Asks for one line at a terminal; what is typed is not shown. */
export async function readHidden({ stdin, stderr, signal }: Io, question: string): Promise<string> {
  stderr.write(question);
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: nowhere, terminal: true });
  try {
    return await terminal.question('', { signal });
  } finally {
    terminal.close();
    stderr.write('\n');
  }
}

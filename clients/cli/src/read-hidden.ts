import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { AishError } from '@aish/contracts/problems';
import type { Io } from '@aish/client/io';

/**
 * Asks for one line at a terminal without showing the input. @throws AishError `aborted` on Ctrl-C and Ctrl-D, because
 * no input is not the same as an empty line
 */
export async function readHidden({ stdin, stderr, signal }: Io, question: string): Promise<string> {
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  // The terminal hides input from here on, so the question comes after this.
  const terminal = createInterface({ input: stdin, output: nowhere, terminal: true });
  stderr.write(question);
  const left = new Promise<never>((_, reject) => {
    terminal.once('close', () => reject(new AishError('aborted', 'Nothing was entered')));
  });
  left.catch(() => undefined);
  try {
    return await Promise.race([terminal.question('', { signal }), left]);
  } finally {
    terminal.close();
    stderr.write('\n');
  }
}

import { secretsNote } from '../secrets-note.js';
import { note, type Io } from './io.js';

/** Says on stderr what `secretsNote` says, if anything. */
export async function tellOfSecrets(io: Io, what: string, text: string): Promise<void> {
  const said = await secretsNote(what, text);
  if (said !== null) note(io, said);
}

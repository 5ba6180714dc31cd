import { note, type Io } from './io.js';

/** More is not looked through: a note must not keep anybody waiting. */
const TEXT_MAX_CHARS = 1_000_000;

/**
 * What is said of a text on its way to a model that looks like it holds a secret: it is sent all the same.
 * @param what as the sentence begins.
 * @returns null where nothing looks like one.
 */
export async function secretsNote(what: string, text: string): Promise<string | null> {
  if (text.length > TEXT_MAX_CHARS) return null;
  // Loaded only here, beside the request: the rules take a moment.
  const { sureSecrets } = await import('@aish/secrets');
  const titles = await sureSecrets(text);
  if (titles.length === 0) return null;
  return `${what} looks like it holds ${titles.join(', ')}. Models see it, and it stays in the record.`;
}

/** Says on stderr what `secretsNote` says, if anything. */
export async function tellOfSecrets(io: Io, what: string, text: string): Promise<void> {
  const said = await secretsNote(what, text);
  if (said !== null) note(io, said);
}

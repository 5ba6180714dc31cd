import { note, type Io } from './io.js';

/** Maximum length of a text that is searched, so that nobody has to wait. */
const TEXT_MAX_CHARS = 1_000_000;

/**
 * Returns a warning about a text for a model that seems to contain a secret. The text is sent anyway.
 *
 * @param what the beginning of the sentence.
 * @returns null if nothing looks like a secret.
 */
export async function secretsNote(what: string, text: string): Promise<string | null> {
  if (text.length > TEXT_MAX_CHARS) return null;
  // The rules are loaded during the request, because loading them takes a moment.
  const { sureSecrets } = await import('@aish/secrets');
  const titles = await sureSecrets(text);
  if (titles.length === 0) return null;
  return `${what} looks like it contains ${titles.join(', ')}. Models will see it, and it stays in the history.`;
}

/** Prints the warning of `secretsNote` to stderr, if any. */
export async function warnOfSecrets(io: Io, what: string, text: string): Promise<void> {
  const warning = await secretsNote(what, text);
  if (warning !== null) note(io, warning);
}

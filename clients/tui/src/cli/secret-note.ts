import { note, type Io } from './io.js';

/** More is not looked through: a note must not keep anybody waiting. */
const TEXT_MAX_CHARS = 1_000_000;

/**
 * Says on stderr that what is on its way to a model looks like it holds a secret: it is sent all the same, and stays in the record.
 * @param what as the sentence begins.
 */
export async function tellOfSecrets(io: Io, what: string, text: string): Promise<void> {
  if (text.length > TEXT_MAX_CHARS) return;
  // Loaded only here, beside the request: the rules take a moment.
  const { findSecrets } = await import('@aish/knowledge/offline');
  const titles = new Set((await findSecrets(text)).filter(({ isSure }) => isSure).map(({ title }) => title));
  if (titles.size > 0)
    note(io, `${what} looks like it holds ${[...titles].join(', ')}. Models see it, and it stays in the record.`);
}

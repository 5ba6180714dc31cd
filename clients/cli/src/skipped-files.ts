import { isSkippedList, skippedIn, SKIPPED_LIST_MAX_BYTES, type Skipped } from '@aish/contracts/skipped';
import { oneLine } from '@aish/views/sanitise';
import { note, type Io } from '@aish/client/io';

/** Passes a tar on, and tells at its end what the server says that it does not hold. */
export async function* tellingSkipped(
  bytes: AsyncIterable<Uint8Array>,
  tell: (skipped: readonly Skipped[]) => void,
): AsyncGenerator<Uint8Array> {
  // Loaded only here: hardly any command reads archives.
  const { list } = await import('tar');
  const parser = list({
    sync: false,
    onReadEntry: (entry) => {
      if (!isSkippedList(entry.path) || entry.size > SKIPPED_LIST_MAX_BYTES) return;
      const chunks: Buffer[] = [];
      entry.on('data', (chunk: Buffer) => chunks.push(chunk));
      entry.on('end', () => tell(skippedIn(Buffer.concat(chunks).toString())));
    },
  });
  for await (const chunk of bytes) {
    parser.write(Buffer.from(chunk));
    yield chunk;
  }
  parser.end();
}

/** A line for each on stderr; a file name of a workspace may be anything. */
export function noteSkipped(io: Io, skipped: readonly (Skipped & { readonly sessionId?: string })[]): void {
  for (const { sessionId, path, why } of skipped) {
    const where = [sessionId, path].filter((part) => part !== undefined && part !== '').join(' ');
    note(io, `skipped: ${oneLine(`${where}${where === '' ? '' : ': '}${why}`)}`);
  }
}

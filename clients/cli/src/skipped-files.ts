import { isSkippedList, parseSkipped, SKIPPED_LIST_MAX_BYTES, type Skipped } from '@aish/contracts/skipped';
import { oneLine } from '@aish/views/sanitise';
import { note, type Io } from '@aish/client/io';

/** Passes a tar through and then reports the files that the server skipped. */
export async function* reportingSkipped(
  bytes: AsyncIterable<Uint8Array>,
  tell: (skipped: readonly Skipped[]) => void,
): AsyncGenerator<Uint8Array> {
  // This package is loaded lazily, because few commands read archives.
  const { list } = await import('tar');
  const parser = list({
    sync: false,
    onReadEntry: (entry) => {
      if (!isSkippedList(entry.path) || entry.size > SKIPPED_LIST_MAX_BYTES) return;
      const chunks: Buffer[] = [];
      entry.on('data', (chunk: Buffer) => chunks.push(chunk));
      entry.on('end', () => tell(parseSkipped(Buffer.concat(chunks).toString())));
    },
  });
  for await (const chunk of bytes) {
    parser.write(Buffer.from(chunk));
    yield chunk;
  }
  parser.end();
}

/** Prints one line per file on stderr. A file name in a workspace can contain any characters. */
export function noteSkipped(io: Io, skipped: readonly (Skipped & { readonly sessionId?: string })[]): void {
  for (const { sessionId, path, why } of skipped) {
    const where = [sessionId, path].filter((part) => part !== undefined && part !== '').join(' ');
    note(io, `skipped: ${oneLine(`${where}${where === '' ? '' : ': '}${why}`)}`);
  }
}

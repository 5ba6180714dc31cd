import { Duplex, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AishError } from '@aish/contracts/problems';
import { extract, pack, type Headers } from 'tar-stream';
import { staysInside } from './workspace-path.js';

const ENTRIES_MAX = 100_000;
const TYPES = new Set(['file', 'contiguous-file', 'directory', 'symlink', 'link']);

/**
 * Parses a tar and writes it again. This way exactly the checked content is unpacked later, even if another tar program
 * would read the original differently. Only files and folders with names below the folder, links that stay inside, and
 * no setuid bits are allowed. The stream fails with AishError `path_not_allowed`, or with `invalid_body` if it is not a
 * tar.
 */
export function checkedTar(): Duplex {
  const parsed = extract();
  const packed = pack();
  let entries = 0;
  parsed.on('entry', (headers, stream, next) => {
    stream.on('error', () => undefined); // `parsed` reports the error
    entries += 1;
    const take = async (): Promise<Error | undefined> => {
      try {
        if (entries > ENTRIES_MAX) throw refused(headers, `the archive has more than ${ENTRIES_MAX} entries`);
        await copy(checked(headers), stream, packed);
        return undefined;
      } catch (error) {
        return error as Error;
      }
    };
    void (async () => next(await take()))();
  });
  parsed.on('finish', () => {
    // A tar without entries still has an end mark, but this parser accepts an empty input.
    if (entries === 0) packed.destroy(notTar('it has no entries'));
    else packed.finalize();
  });
  parsed.on('error', (error: Error) => packed.destroy(error instanceof AishError ? error : notTar(error.message)));
  return Duplex.from({ writable: parsed, readable: packed });
}

async function copy(headers: Headers, from: Readable, packed: ReturnType<typeof pack>): Promise<void> {
  const isFile = headers.type === 'file';
  await new Promise<void>((resolve, reject) => {
    const entry = packed.entry(headers, (error) => (error ? reject(error) : resolve()));
    if (isFile) pipeline(from, entry).catch(reject);
    else from.resume();
  });
}

function checked(headers: Headers): Headers {
  const { name, size = 0, mode = 0o644, mtime } = headers;
  const type = headers.type === 'contiguous-file' ? 'file' : (headers.type ?? 'file');
  if (!TYPES.has(type)) throw refused(headers, `it is a ${type}`);
  const parts = partsOf(name, headers);
  const common = { name: parts.join('/') || '.', mode: mode & 0o777, ...(mtime === undefined ? {} : { mtime }) };
  switch (type) {
    case 'directory':
      return { ...common, type, size: 0 };
    case 'symlink': {
      const linkname = headers.linkname ?? '';
      if (!staysInside(parts.slice(0, -1), linkname))
        throw refused(headers, 'it is a link out of the archive’s folder');
      return { ...common, type, linkname, size: 0 };
    }
    case 'link':
      // The target of a hard link is a name in the archive.
      return { ...common, type, linkname: partsOf(headers.linkname ?? '', headers).join('/'), size: 0 };
    default:
      return { ...common, type: 'file', size };
  }
}

function partsOf(name: string, headers: Headers): string[] {
  if (name.startsWith('/')) throw refused(headers, 'its name begins with /');
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw refused(headers, 'its name contains ..');
  if (name.includes('\0')) throw refused(headers, 'its name contains a NUL character');
  return parts;
}

function refused({ name }: Headers, why: string): AishError {
  return new AishError('path_not_allowed', `Nothing was unpacked, because of ${JSON.stringify(name)}: ${why}`, {
    name,
  });
}

function notTar(why: string): AishError {
  return new AishError('invalid_body', `The body is not a tar archive: ${why}`, { errors: [] });
}

import { filesApi } from '@aish/contracts/endpoints/files';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rename, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileForm } from '@aish/contracts/files';
import type { Skipped } from '@aish/contracts/skipped';
import { span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { behaviour, flag, maybe, one } from './command.js';
import { note, writeJson, writeLines, type Io, localError } from '@aish/client/io';
import { EXIT } from '@aish/client/exit-codes';
import { workplaceReference } from './reference.js';
import { noteSkipped, reportingSkipped } from './skipped-files.js';
import { warnOfSecrets } from '@aish/client/secrets-note';
import { sessionOf } from './session-of.js';

const SEARCHED_MAX_BYTES = 1_048_576;

const MARKS = { file: '', folder: '/', link: '@', other: '?' } as const;

const REF = one('a goal (g4 or 4), a chat (c12), or the UUID of either', workplaceReference, { suggests: 'goal' });

export const filesLs = behaviour({
  args: { ref: REF, path: maybe('below /workspace') },
  json: 'print the response as JSON',
  examples: ['aish file list 4', 'aish file list 4 logs'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const list = await client.call(
      filesApi.list,
      { params: { id: await sessionOf(client, args.ref, io) }, query: { path: args.path ?? '' } },
      io.signal,
    );
    if (options.json) return writeJson(io, list);
    writeLines(
      io,
      list.items.map((entry): Line => [
        span(`${String(entry.sizeBytes).padStart(12)}  ${entry.modifiedAt}  `, 'dim'),
        span(`${oneLine(entry.name)}${MARKS[entry.type]}`, entry.type === 'folder' ? 'bold' : 'plain'),
        span(entry.target === null ? '' : ` -> ${oneLine(entry.target)}`, 'dim'),
      ]),
    );
    if (list.isCut) note(io, `These are the first ${list.items.length}; there are more.`);
  },
});

export const filesPull = behaviour({
  args: {
    ref: REF,
    path: one('below /workspace'),
    local: maybe('target file, or - for stdout (default: the same name here)', { suggests: 'file' }),
  },
  options: { tar: flag('fetch a tar without unpacking it') },
  examples: ['aish file pull 4 report.md', 'aish file pull 4 src --tar - | tar x'],
  exits: { 5: '--tar: some files were skipped (see stderr and the last file of the tar)' },
  run: async ({ args: { ref, path, local }, options, io, connect, exit }) => {
    const { client } = connect();
    const form: FileForm = options.tar ? 'archive' : 'file';
    const target = local ?? `${basename(path) || 'workspace'}${options.tar ? '.tar' : ''}`;
    const pulled = client.pullFile(await sessionOf(client, ref, io), path, form, io.signal);
    const tell = (skipped: readonly Skipped[]) => {
      noteSkipped(io, skipped);
      exit(EXIT.notDone);
    };
    const bytes = options.tar ? reportingSkipped(pulled, tell) : pulled;
    if (target === '-') return toStdout(bytes, io);
    await toFile(bytes, target);
  },
});

export const filesPush = behaviour({
  args: {
    ref: REF,
    path: one('target file or folder below /workspace'),
    local: maybe('source file, or - for stdin (default: the same name here)', { suggests: 'file' }),
  },
  options: { tar: flag('the source is a tar') },
  examples: ['aish file push 4 data/in.csv ./in.csv', 'tar c folder | aish file push 4 . --tar -'],
  run: async ({ args: { ref, path, local }, options, io, connect }) => {
    const { client } = connect();
    const source = local ?? basename(path);
    if (source !== '-' && options.tar !== true) await lookInto(source, io);
    const from = source === '-' ? io.stdin : await opened(source);
    const upload = Readable.toWeb(Readable.from(from, { objectMode: false })) as ReadableStream<Uint8Array>;
    const sessionId = await sessionOf(client, ref, io);
    await client.pushFile(sessionId, path, options.tar ? 'archive' : 'file', upload, io.signal);
  },
});

/** Checks a file for secrets. Large files, and paths that are not files, are sent without a check. */
async function lookInto(file: string, io: Io): Promise<void> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true || found.size > SEARCHED_MAX_BYTES) return;
  const text = await readFile(file, 'utf8').catch(() => '');
  await warnOfSecrets(io, oneLine(basename(file)), text);
}

async function toStdout(bytes: AsyncIterable<Uint8Array>, { stdout }: Io): Promise<void> {
  for await (const chunk of bytes) {
    if (!stdout.write(chunk)) await new Promise<void>((resolve) => stdout.once?.('drain', resolve) ?? resolve());
  }
}

/** Writes the whole file, or nothing if that fails. */
async function toFile(bytes: AsyncIterable<Uint8Array>, target: string): Promise<void> {
  const partial = `${target}.aish-partial`;
  try {
    await pipeline(bytes, createWriteStream(partial, { flags: 'wx' }));
    await rename(partial, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(partial, { force: true });
    throw localError(error);
  }
}

async function opened(path: string): Promise<Readable> {
  const stream = createReadStream(path);
  await new Promise<void>((resolve, reject) => {
    stream.once('open', () => resolve());
    stream.once('error', (error) => reject(localError(error) as Error));
  });
  return stream;
}

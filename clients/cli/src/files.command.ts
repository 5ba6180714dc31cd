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
import { noteSkipped, tellingSkipped } from './skipped-files.js';
import { tellOfSecrets } from '@aish/client/secrets-note';
import { sessionOf } from './session-of.js';

const SEARCHED_MAX_BYTES = 1_048_576;

const MARKS = { file: '', folder: '/', link: '@', other: '?' } as const;

const REF = one('a goal (g4 or 4), a chat (c12), or the UUID of either', workplaceReference, { suggests: 'goal' });

export const filesLs = behaviour({
  args: { ref: REF, path: maybe('below /workspace') },
  json: 'print the api’s answer',
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
    if (list.isCut) note(io, `There are more; these are the first ${list.items.length}.`);
  },
});

export const filesPull = behaviour({
  args: {
    ref: REF,
    path: one('below /workspace'),
    local: maybe('where to; - is stdout; else the same name, here', { suggests: 'file' }),
  },
  options: { tar: flag('as a tar, which is not unpacked') },
  examples: ['aish file pull 4 report.md', 'aish file pull 4 src --tar - | tar x'],
  exits: { 5: '--tar: some files were skipped; stderr and the last file of the tar say which' },
  run: async ({ args: { ref, path, local }, options, io, connect, exit }) => {
    const { client } = connect();
    const form: FileForm = options.tar ? 'archive' : 'file';
    const target = local ?? `${basename(path) || 'workspace'}${options.tar ? '.tar' : ''}`;
    const pulled = client.pullFile(await sessionOf(client, ref, io), path, form, io.signal);
    const tell = (skipped: readonly Skipped[]) => {
      noteSkipped(io, skipped);
      exit(EXIT.notDone);
    };
    const bytes = options.tar ? tellingSkipped(pulled, tell) : pulled;
    if (target === '-') return toStdout(bytes, io);
    await toFile(bytes, target);
  },
});

export const filesPush = behaviour({
  args: {
    ref: REF,
    path: one('below /workspace: the file’s name there, or the folder to unpack into'),
    local: maybe('what; - is stdin; else the same name, here', { suggests: 'file' }),
  },
  options: { tar: flag('it is a tar') },
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

/** What is large, or no file, is sent as it is. */
async function lookInto(file: string, io: Io): Promise<void> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true || found.size > SEARCHED_MAX_BYTES) return;
  const text = await readFile(file, 'utf8').catch(() => '');
  await tellOfSecrets(io, oneLine(basename(file)), text);
}

async function toStdout(bytes: AsyncIterable<Uint8Array>, { stdout }: Io): Promise<void> {
  for await (const chunk of bytes) {
    if (!stdout.write(chunk)) await new Promise<void>((resolve) => stdout.once?.('drain', resolve) ?? resolve());
  }
}

/** The file is there whole or not at all. */
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

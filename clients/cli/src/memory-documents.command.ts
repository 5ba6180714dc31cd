import { documentsApi } from '@aish/contracts/endpoints/memory';
import { DocumentScope, MEMORY_DOCUMENT_MAX_BYTES, ReadMode } from '@aish/contracts/memory-documents';
import { AishError } from '@aish/contracts/problems';
import { InvalidArgumentError } from 'commander';
import { documentLines, flagLines } from '@aish/views/memory.format';
import { line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { any, choice, behaviour, flag, oneOf, option } from './command.js';
import { note, writeJson, writeLines, type Io } from '@aish/client/io';

const scope = oneOf('whose document: of a person, a space or an app', DocumentScope.options);
const space = option('name', 'the space, for scope space');

function count(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError('It must be a whole number.');
}

export const memoryRead = behaviour({
  args: { scope },
  options: {
    mode: choice('mode', 'how much to print (default: full)', ReadMode.options),
    section: option('title', 'one section: a title, or "Parent > Child"'),
    lines: option('n', 'number of lines of the tail', { read: count }),
    path: option('path', 'an archive, such as memory/2026-02-22-1530'),
    space,
  },
  json: 'print the response as JSON',
  examples: [
    'aish memory document show user',
    'aish memory document show space --space home --mode headers',
    'aish memory document show user --section State',
  ],
  run: async ({ args, options: { json, section, lines, mode, path, space }, io, connect }) => {
    const implied = section !== undefined ? 'section' : lines !== undefined ? 'tail' : undefined;
    const reading = await connect().client.call(
      documentsApi.read,
      { params: { scope: args.scope }, query: { mode: mode ?? implied, section, lines, path, space } },
      io.signal,
    );
    if (json) return writeJson(io, reading);
    writeLines(io, documentLines(reading.text));
    for (const each of reading.notes) note(io, oneLine(each));
  },
});

export const memoryWrite = behaviour({
  args: { scope, text: any('the text') },
  options: {
    replace: flag('replace the whole document with the text'),
    archive: flag('keep the text as an archive of the document instead'),
    slug: option('words', 'part of the archive’s name, such as nas-migration'),
    expect: option('version', 'fail if the document has another version', { read: count }),
    space,
  },
  json: 'print the response as JSON',
  examples: [
    'aish memory document add user "prefers podman"',
    'aish memory document add space --space home --replace < state.md',
    'aish memory document add user "moved the NAS to btrfs" --archive --slug nas-migration',
  ],
  run: async ({ args, options, io, connect }) => {
    const content = args.text.length > 0 ? args.text.join(' ') : await stdinOf(io);
    const { client } = connect();
    const params = { scope: args.scope };
    const inSpace = options.space === undefined ? {} : { space: options.space };
    if (options.archive) {
      const body = { content, ...inSpace, ...(options.slug === undefined ? {} : { slug: options.slug }) };
      const saved = await client.call(documentsApi.saveSummary, { params, body }, io.signal);
      return options.json ? writeJson(io, saved) : writeLines(io, [line(oneLine(saved.path))]);
    }
    const written = await client.call(
      documentsApi.write,
      {
        params,
        body: {
          mode: options.replace ? 'replace' : 'append',
          content,
          ...(options.expect === undefined ? {} : { expectedVersion: options.expect }),
          ...inSpace,
        },
      },
      io.signal,
    );
    if (options.json) return writeJson(io, written);
    writeLines(io, [
      line(`version ${written.version}, ${written.sizeBytes} bytes`),
      ...flagLines({ duplicates: [], secrets: written.secrets }),
    ]);
  },
});

async function stdinOf({ stdin, signal }: Io): Promise<string> {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) {
    signal.throwIfAborted();
    text += String(chunk);
    if (text.length > MEMORY_DOCUMENT_MAX_BYTES)
      throw new AishError('payload_too_large', 'A document can be at most 16 MiB');
  }
  return text;
}

import { candidatesApi, memoryApi } from '@aish/contracts/endpoints/memory';
import { readFile, writeFile } from 'node:fs/promises';
import type { MemoryCandidate } from '@aish/contracts/memory';
import { plural } from '@aish/contracts/plural';
import { requestTo } from '@aish/client/http.client';
import type { ApiClient } from '@aish/client/api.client';
import { candidateLines } from '@aish/views/memory.format';
import { line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { LineAsker } from './ask-line.js';
import { behaviour, flag, many, maybe, one, option } from './command.js';
import { note, writeJson, writeLines, type Io, localFile } from '@aish/client/io';
import { itemNumber } from './memory-items.command.js';
import { sessionOf } from './session-of.js';

export const memorySummarize = behaviour({
  args: { session: one('a session, or the number of a goal', String, { suggests: 'session' }) },
  options: {
    preset: option('name', 'model preset to ask'),
    later: flag('do not wait, if automatic proposals are on'),
  },
  json: 'print the proposals for a later aish memory review',
  examples: ['aish memory summarize 4', 'aish memory summarize 4 --json', 'aish memory summarize c12 --later'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const sessionId = await sessionOf(client, args.session, io);
    if (options.later) {
      const ended = await client.call(memoryApi.sessionEnded, { body: { sessionId } }, io.signal);
      if (options.json) return writeJson(io, ended);
      return writeLines(io, [
        line(
          ended.summarizing
            ? 'a model is looking for memories to propose'
            : 'nothing to do: automatic proposals are off',
        ),
      ]);
    }
    const body = { sessionId, ...(options.preset === undefined ? {} : { preset: options.preset }) };
    const summary = await client.call(candidatesApi.summarize, { body }, io.signal);
    if (options.json) return writeJson(io, summary);
    if (summary.omittedTurns > 0) note(io, `${summary.omittedTurns} older turns did not fit.`);
    if (summary.repeated > 0) note(io, `${summary.repeated} had been proposed before.`);
    if (summary.candidates.length === 0) return note(io, 'Nothing new worth remembering was found.');
    await review(summary.candidates, client, io);
  },
});

export const memoryReview = behaviour({
  json: 'print the candidates without asking',
  examples: ['aish memory review', 'aish memory review --json'],
  run: async ({ options, io, connect }) => {
    const { client } = connect();
    const list = await client.call(candidatesApi.list, { query: { state: 'pending' } }, io.signal);
    if (options.json) return writeJson(io, list);
    if (list.items.length === 0) return note(io, 'No candidates to review.');
    await review(list.items, client, io);
  },
});

export const memoryReject = behaviour({
  args: { numbers: many('numbers of candidates') },
  json: 'print the candidates',
  examples: ['aish memory reject 12 13'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const items = [];
    for (const each of args.numbers.map(itemNumber))
      items.push(await client.call(candidatesApi.reject, { params: { number: each } }, io.signal));
    if (options.json) return writeJson(io, { items });
    writeLines(
      io,
      items.map((item) => line(`rejected candidate ${item.number}`)),
    );
  },
});

export const memoryExport = behaviour({
  args: { file: maybe('target file (default: stdout)', { suggests: 'file' }) },
  examples: ['aish memory export memory.jsonl', 'aish memory export | jq .content'],
  run: async ({ args, io, connect }) => {
    const text = await connect().client.text(requestTo(memoryApi.export, {}), io.signal);
    if (args.file === undefined) io.stdout.write(text);
    else await localFile(() => writeFile(String(args.file), text, { flag: 'wx', mode: 0o600 }));
  },
});

export const memoryImport = behaviour({
  args: { file: one('the file', String, { suggests: 'file' }) },
  json: 'print the report',
  examples: ['aish memory import ~/.local/share/aish/memory.jsonl'],
  run: async ({ args, options, io, connect }) => {
    const text = await localFile(() => readFile(args.file, 'utf8'));
    const report = await connect().client.call(memoryApi.import, { body: { jsonl: text } }, io.signal);
    if (options.json) return writeJson(io, report);
    const { imported, known, renumbered, broken } = report;
    writeLines(io, [
      line(`imported ${imported}${known === 0 ? '' : `, ${known} already existed`}`),
      ...renumbered.map(({ line: at, from, to }) => line(`line ${at}: ${from} was imported as ${to}`, 'warn')),
      ...broken.map(({ line: at, reason }) => line(`line ${at}: skipped: ${oneLine(reason)}`, 'bad')),
    ]);
  },
});

/** Asks about each candidate. Unanswered candidates stay pending. */
async function review(candidates: readonly MemoryCandidate[], client: ApiClient, io: Io): Promise<void> {
  if (io.onCandidates !== undefined) return io.onCandidates(candidates.length);
  const asker = new LineAsker(io);
  let added = 0;
  let left = candidates.length;
  let nobody = false;
  try {
    for (const candidate of candidates) {
      writeLines(io, candidateLines(candidate));
      if (nobody) continue; // without a person, only list the pending candidates
      const answer = (await asker.ask('keep? [y/N/edit] '))?.trim().toLowerCase();
      nobody = answer === undefined;
      if (answer === undefined) continue;
      const content = /^e(?:dit)?$/.test(answer) ? await asker.ask('text: ', candidate.content) : null;
      left -= 1;
      if (/^y(?:es)?$/.test(answer))
        await client.call(candidatesApi.accept, { params: { number: candidate.number }, body: {} }, io.signal);
      else if (content !== null && content.trim() !== '') {
        await client.call(
          candidatesApi.accept,
          { params: { number: candidate.number }, body: { content: content.trim() } },
          io.signal,
        );
      } else {
        await client.call(candidatesApi.reject, { params: { number: candidate.number } }, io.signal);
        continue;
      }
      added += 1;
    }
  } finally {
    asker.close();
  }
  io.signal.throwIfAborted();
  writeLines(io, [line(`[aish] memory: added ${added} candidates.`)]);
  if (left > 0) note(io, `${plural(left, 'candidate')} to review: aish memory review`);
}

import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { sessionsApi } from '@aish/contracts/endpoints/sessions';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { requestTo } from '@aish/client/http.client';
import type { ActionOutput } from '@aish/contracts/actions';
import { AishError } from '@aish/contracts/problems';
import { plural } from '@aish/contracts/plural';
import { line } from '@aish/views/line';
import { cleanText, oneLine } from '@aish/views/sanitise';
import { changeLine } from '@aish/contracts/effect-lines';
import { actionChanges, outputPages } from '@aish/client/actions.api';
import type { ApiClient } from '@aish/client/api.client';
import { behaviour, maybe, one, option } from './command.js';
import { localFile, note, writeJson, writeLines, type Io } from '@aish/client/io';
import { decisionReference, sessionReference, stepReference } from './reference.js';

export const output = behaviour({
  args: {
    ref: one('a step of a goal (4.3), the UUID of an action, or a chat (c12)'),
    handle: maybe('of a chat: handle of a large result or attachment, such as r3'),
  },
  options: { out: option('file', 'with a handle: write it to this file', { suggests: 'file' }) },
  json: 'print the response, all pages as one',
  examples: ['aish output 4.3', 'aish output 4.3 | less', 'aish output c12 r3', 'aish output c12 r4 --out plot.png'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    if (args.handle !== undefined) return printResult(client, args.ref, args.handle, options.out, io);
    const pages: ActionOutput[] = [];
    for await (const page of outputPages(client, await actionOf(client, args.ref, io), io.signal)) {
      if (options.json) pages.push(page);
      // The output of a command must not control the terminal. A file or a pipe gets the output unchanged.
      else io.stdout.write(io.stdout.isTTY === true ? cleanText(page.output) : page.output);
      if (page.from === 1 && page.omittedBytes > 0)
        note(io, `${plural(page.omittedBytes, 'byte')} in the middle are omitted`);
    }
    if (options.json) writeJson(io, { ...pages[0], output: pages.map((page) => page.output).join('') });
  },
});

/** Lists the files that the command of a decision, a step or an action changed. */
export async function showChanges(client: ApiClient, ref: string, json: boolean, io: Io): Promise<void> {
  const all = await actionChanges(client, await actionAsked(client, ref, io), io.signal);
  if (json) return writeJson(io, all);
  if (all.items.length === 0) return note(io, 'It changed no file in its workspace.');
  writeLines(
    io,
    all.items.map((each) => line(oneLine(changeLine(each)))),
  );
  if (!all.complete) note(io, 'The list is incomplete: not all changes could be read.');
}

/** Prints a large result or an attachment of a tool. */
async function printResult(
  client: ApiClient,
  chat: string,
  handle: string,
  out: string | undefined,
  io: Io,
): Promise<void> {
  const params = { ref: sessionReference(chat), handle };
  const bytes = client.bytes(requestTo(sessionsApi.result, { params }), io.signal);
  if (out !== undefined) return localFile(() => pipeline(bytes, createWriteStream(out)));
  if (io.stdout.isTTY !== true) {
    for await (const chunk of bytes) io.stdout.write(chunk);
    return;
  }
  // Text from a server must not control the terminal.
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  io.stdout.write(`${cleanText(Buffer.concat(chunks).toString('utf8'))}\n`);
}

/** Returns the action of a decision. */
async function actionAsked(client: ApiClient, ref: string, io: Io): Promise<string> {
  if (!/^d-?\d+$/i.test(ref)) return actionOf(client, ref, io);
  const { actionId, number } = await client.call(
    decisionsApi.show,
    { params: { ref: decisionReference(ref) } },
    io.signal,
  );
  if (actionId === null) throw new AishError('not_found', `Decision d${number} has no command or tool call`);
  return actionId;
}

async function actionOf(client: ApiClient, ref: string, io: Io): Promise<string> {
  const named = stepReference(ref);
  if (named === null) return ref;
  const { actions } = await client.call(goalsApi.show, { params: { ref: named.goal } }, io.signal);
  const action = actions.findLast(({ stepNumber }) => stepNumber === named.step);
  if (action === undefined)
    throw new AishError('not_found', `Step ${named.step} of goal ${named.goal} did not run a command`);
  return action.id;
}

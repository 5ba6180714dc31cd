import { sessionToolsApi, sessionsApi } from '@aish/contracts/endpoints/sessions';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { ToolGrantList } from '@aish/contracts/chat';
import { requestTo } from '@aish/client/http.client';
import { line, span, type Line } from '@aish/views/line';
import { cleanText, oneLine } from '@aish/views/sanitise';
import { command, one, option } from './command.js';
import { note, writeJson, writeLines, type Io, localFile } from '@aish/client/io';
import { sessionReference } from './reference.js';

const session = one('a session: c12, 12 or its UUID', sessionReference, { suggests: 'session' });
const tool = one('a tool as alias.name, or alias.* for all of a server');

export const sessionTools = command({
  name: 'sessions tools',
  about: 'list the tools that there are for a session',
  args: { session },
  json: 'print the api’s answer',
  examples: ['aish sessions tools 12'],
  run: async ({ args, options, io, connect }) => {
    const list = await connect().client.call(sessionToolsApi.list, { params: { ref: args.session } }, io.signal);
    if (options.json) return writeJson(io, list);
    if (list.items.length === 0) return note(io, 'There are no tools for this session.');
    writeLines(
      io,
      list.items.map(({ label, description }): Line => [
        span(`${oneLine(label)}  `, 'bold'),
        span(oneLine(description).slice(0, 100), 'dim'),
      ]),
    );
  },
});

export const sessionGrants = command({
  name: 'sessions grants',
  about: 'list the tools that are called without a question in a session',
  args: { session },
  json: 'print the api’s answer',
  examples: ['aish sessions grants 12'],
  run: async ({ args, options, io, connect }) => {
    say(
      io,
      await connect().client.call(sessionToolsApi.grants, { params: { ref: args.session } }, io.signal),
      options.json,
    );
  },
});

export const sessionGrant = command({
  name: 'sessions grant',
  about: 'let a tool be called without a question in a session',
  args: { session, tool },
  json: 'print what is granted now',
  examples: ['aish sessions grant 12 files.read_file', "aish sessions grant 12 'files.*'"],
  run: async ({ args, options, io, connect }) => {
    say(
      io,
      await connect().client.call(
        sessionToolsApi.grant,
        { params: { ref: args.session }, body: { tool: args.tool } },
        io.signal,
      ),
      options.json,
    );
  },
});

export const sessionRevoke = command({
  name: 'sessions revoke',
  about: 'have a tool asked about again in a session',
  args: { session, tool },
  json: 'print what is granted now',
  examples: ["aish sessions revoke 12 'files.*'"],
  run: async ({ args, options, io, connect }) => {
    say(
      io,
      await connect().client.call(
        sessionToolsApi.revoke,
        { params: { ref: args.session }, body: { tool: args.tool } },
        io.signal,
      ),
      options.json,
    );
  },
});

export const sessionResult = command({
  name: 'sessions result',
  about: 'print a large result or an attachment of a tool',
  args: { session, handle: one('its handle, as the model was given it') },
  options: { out: option('file', 'write it there', { suggests: 'file' }) },
  examples: ['aish sessions result 12 r3', 'aish sessions result 12 r4 --out plot.png'],
  run: async ({ args, options, io, connect }) => {
    const bytes = connect().client.bytes(
      requestTo(sessionsApi.result, { params: { ref: args.session, handle: args.handle } }),
      io.signal,
    );
    const { out } = options;
    if (out !== undefined) return localFile(() => pipeline(bytes, createWriteStream(out)));
    if (io.stdout.isTTY !== true) {
      for await (const chunk of bytes) io.stdout.write(chunk);
      return;
    }
    // What a server sent must not move the cursor of a terminal.
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes) chunks.push(chunk);
    io.stdout.write(`${cleanText(Buffer.concat(chunks).toString('utf8'))}\n`);
  },
});

function say(io: Io, list: ToolGrantList, json: boolean): void {
  if (json) return writeJson(io, list);
  if (list.items.length === 0) return note(io, 'Every call is asked about in this session.');
  writeLines(
    io,
    list.items.map((grant) => line(oneLine(grant.tool))),
  );
}

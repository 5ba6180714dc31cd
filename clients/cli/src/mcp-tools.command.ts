import { mcpApi } from '@aish/contracts/endpoints/mcp';
import { sessionToolsApi } from '@aish/contracts/endpoints/sessions';
import type { ApiClient } from '@aish/client/api.client';
import type { McpFailure } from '@aish/contracts/mcp';
import { AishError } from '@aish/contracts/problems';
import type { z } from 'zod';
import { line, span, type Line } from '@aish/views/line';
import { cleanText, oneLine } from '@aish/views/sanitise';
import { any, behaviour, flag, maybe, one, option } from './command.js';
import { sessionReference } from './reference.js';
import { EXIT } from '@aish/client/exit-codes';
import { note, writeJson, writeLines, type Io } from '@aish/client/io';

export const mcpShow = behaviour({
  args: {
    server: maybe('alias of the server, or a tool as alias.tool'),
    name: maybe('the URI of a resource, or the name of a prompt'),
    values: any('arguments of the prompt, as name=value'),
  },
  options: {
    resource: flag('list resources, or print one'),
    prompt: flag('list prompts, or print one'),
    chat: option('chat', 'only the tools of this chat', { read: sessionReference, suggests: 'session' }),
  },
  json: 'print the response as JSON',
  examples: [
    'aish mcp show',
    'aish mcp show every.echo',
    'aish mcp show --chat c12',
    'aish mcp show --resource',
    'aish mcp show --resource docs file:///readme.md',
    'aish mcp show --prompt every args-prompt city=Paris',
  ],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    if (options.resource) return showResources(client, args, options.json, io);
    if (options.prompt) return showPrompts(client, args, options.json, io);
    const { server } = args;
    if (server?.includes('.') === true) return showTool(client, server, options.json, io);
    const ref = options.chat;
    const all =
      ref === undefined
        ? await client.call(mcpApi.tools, {}, io.signal)
        : await client.call(sessionToolsApi.list, { params: { ref } }, io.signal);
    const items = all.items.filter(({ label }) => server === undefined || label.startsWith(`${server}.`));
    if (options.json) return writeJson(io, { ...all, items });
    if (ref !== undefined && items.length === 0) return note(io, 'This chat has no tools.');
    writeLines(
      io,
      items.map((each): Line => [
        span(oneLine(each.label), 'bold'),
        span('autoApproved' in each && each.autoApproved ? '  runs without asking' : '', 'warn'),
        span(`  ${oneLine(each.description).slice(0, ref === undefined ? undefined : 100)}`),
      ]),
    );
  },
});

async function showTool(client: ApiClient, label: string, json: boolean, io: Io): Promise<void> {
  const tool = await client.call(mcpApi.tool, { params: { label } }, io.signal);
  if (json) return writeJson(io, tool);
  writeLines(io, [
    [span(oneLine(tool.label), 'bold'), span(`  as ${tool.name} for models`, 'dim')],
    ...textLines(tool.description),
  ]);
  writeJson(io, tool.inputSchema);
}

export const mcpCall = behaviour({
  args: { tool: one('alias.tool'), arguments: maybe('its arguments, as a JSON object') },
  options: { yes: flag('call it even if the safety gate stops it; needs scope decide') },
  json: 'print the result',
  examples: [`aish mcp call every.echo '{"message":"hello"}'`],
  exits: { 1: 'the tool reports an error' },
  run: async ({ args, options, io, connect, exit }) => {
    const body = { arguments: readArguments(args.arguments ?? '{}'), confirmed: options.yes === true };
    const result = await connect().client.call(mcpApi.call, { params: { label: args.tool }, body }, io.signal);
    if (result.isError) exit(EXIT.refused);
    if (options.json) return writeJson(io, result);
    writeLines(io, textLines(result.text));
    if (result.omittedBytes > 0) note(io, `${result.omittedBytes} bytes are omitted`);
  },
});

interface Named {
  readonly server: string | undefined;
  readonly name: string | undefined;
  readonly values: readonly string[];
}

async function showResources(
  client: ApiClient,
  { server: alias, name: uri }: Named,
  json: boolean,
  io: Io,
): Promise<void> {
  if (alias !== undefined && uri !== undefined) {
    const content = await client.call(mcpApi.read, { query: { alias, uri } }, io.signal);
    if (json) return writeJson(io, content);
    for (const { text, blob, mimeType } of content.items) {
      writeLines(
        io,
        text === null ? [line(`[${mimeType ?? 'bytes'}, ${blob?.length ?? 0} characters of base64]`)] : textLines(text),
      );
    }
    return;
  }
  const list = await client.call(mcpApi.resources, {}, io.signal);
  if (json) return writeJson(io, list);
  writeLines(
    io,
    list.items
      .filter((resource) => alias === undefined || resource.alias === alias)
      .map((resource): Line => [
        span(`${oneLine(resource.alias)}  `, 'bold'),
        span(oneLine(resource.uri)),
        span(`  ${oneLine(resource.name)}${resource.isTemplate ? '  (template)' : ''}`, 'dim'),
      ]),
  );
  noteFailures(io, list.failed);
}

async function showPrompts(
  client: ApiClient,
  { server: alias, name, values: given }: Named,
  json: boolean,
  io: Io,
): Promise<void> {
  if (alias !== undefined && name !== undefined) {
    const values = Object.fromEntries(given.map(readValue));
    const prompt = await client.call(mcpApi.prompt, { body: { alias, name, arguments: values } }, io.signal);
    if (json) return writeJson(io, prompt);
    for (const { role, text } of prompt.messages) writeLines(io, [[span(`${role}:`, 'bold')], ...textLines(text)]);
    return;
  }
  const list = await client.call(mcpApi.prompts, {}, io.signal);
  if (json) return writeJson(io, list);
  writeLines(
    io,
    list.items
      .filter((prompt) => alias === undefined || prompt.alias === alias)
      .map((prompt): Line => [
        span(`${oneLine(prompt.alias)}  ${oneLine(prompt.name)}`, 'bold'),
        span(prompt.arguments.map((argument) => `  ${oneLine(argument.name)}${argument.required ? '' : '?'}`).join('')),
        span(`  ${oneLine(prompt.description ?? '')}`, 'dim'),
      ]),
  );
  noteFailures(io, list.failed);
}

/** Splits a server's text into lines, without control characters for the terminal. */
function textLines(text: string): Line[] {
  return cleanText(text)
    .split('\n')
    .map((each): Line => [span(each)]);
}

function noteFailures(io: Io, failed: readonly z.infer<typeof McpFailure>[]): void {
  for (const { detail } of failed) note(io, oneLine(detail));
}

function readArguments(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AishError('invalid_body', 'The arguments are not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AishError('invalid_body', 'The arguments must be a JSON object, such as {"path":"."}');
  }
  return { ...value };
}

function readValue(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new AishError('invalid_body', `${oneLine(text)} is not an argument. Write it as name=value`);
  return [text.slice(0, at), text.slice(at + 1)];
}

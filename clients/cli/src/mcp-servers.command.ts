import { mcpApi } from '@aish/contracts/endpoints/mcp';
import { readFile } from 'node:fs/promises';
import { McpProtocol } from '@aish/contracts/mcp-config';
import { AishError } from '@aish/contracts/problems';
import { mcpServerLines } from '@aish/views/mcp.format';
import { oneLine } from '@aish/views/sanitise';
import { choice, behaviour, flag, maybe, one, option, repeated } from './command.js';
import { EXIT } from '@aish/client/exit-codes';
import { writeJson, writeLines, localFile } from '@aish/client/io';

export const mcpConnect = behaviour({
  args: {
    url: one('its address, such as http://host:port/mcp'),
    alias: maybe('its alias (default: from its host)'),
  },
  options: {
    save: flag('keep the connection until it is disconnected'),
    header: repeated('header', "'Name: value', sent with every request; repeatable", '-H'),
    bearerFile: option('file', 'file that contains the token for the server', { suggests: 'file' }),
    oauth: flag('authorize aish on the server’s page in a browser'),
    protocol: choice('version', 'use only this transport', McpProtocol.options),
  },
  json: 'print the response as JSON',
  examples: ['aish mcp connect http://127.0.0.1:3001/mcp every --save'],
  exits: { 1: 'the server is saved, but the connection failed' },
  run: async ({ args, options, io, connect, exit }) => {
    const { url, alias } = args;
    const bearerToken =
      options.bearerFile === undefined
        ? undefined
        : (await localFile(() => readFile(String(options.bearerFile), 'utf8'))).trim();
    const server = await connect().client.call(
      mcpApi.connect,
      {
        body: {
          url,
          ...(alias === undefined ? {} : { alias }),
          save: options.save === true,
          oauth: options.oauth === true,
          ...(options.protocol === undefined ? {} : { protocol: options.protocol }),
          headers: Object.fromEntries((options.header ?? []).map(readHeader)),
          ...(bearerToken === undefined ? {} : { bearerToken }),
        },
      },
      io.signal,
    );
    if (server.state !== 'connected') exit(EXIT.refused);
    if (options.json) return writeJson(io, server);
    writeLines(io, mcpServerLines(server));
  },
});

export const mcpAdd = behaviour({
  args: {
    alias: one('its alias'),
    command: one('command that a shell in the container runs'),
  },
  options: {
    space: option('name', 'the space whose access it has (default: no access)'),
    image: option('image', 'image to run it in, such as aish/media (default: the space’s)'),
  },
  json: 'print the response as JSON',
  examples: ["aish mcp add films 'python3 -m films_server' --space media"],
  exits: { 1: 'the server is saved, but the connection failed' },
  run: async ({ args: { alias, command }, options, io, connect, exit }) => {
    const { space, image } = options;
    const program = {
      alias,
      command: ['sh', '-c', command],
      ...(space === undefined ? {} : { space }),
      ...(image === undefined ? {} : { image }),
    };
    const server = await connect().client.call(mcpApi.addProgram, { body: program }, io.signal);
    if (server.state !== 'connected') exit(EXIT.refused);
    if (options.json) return writeJson(io, server);
    writeLines(io, mcpServerLines(server));
  },
});

function readHeader(text: string): [string, string] {
  const [, name, value] = /^([A-Za-z0-9-]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new AishError('invalid_body', `A header is written as 'Name: value', not ${oneLine(text)}`);
  }
  return [name, value];
}

import { mcpApi } from '@aish/contracts/endpoints/mcp';
import { readFile } from 'node:fs/promises';
import { McpProtocol } from '@aish/contracts/mcp-config';
import { AishError } from '@aish/contracts/problems';
import { mcpServerLines } from '@aish/views/mcp.format';
import { oneLine } from '@aish/views/sanitise';
import { choice, behaviour, flag, maybe, one, option, repeated } from './command.js';
import { EXIT } from '@aish/client/exit-codes';
import { writeJson, writeLines, localFile } from '@aish/client/io';

const ADDRESS = /^https?:\/\//;

export const mcpAdd = behaviour({
  args: {
    server: one('its address, such as http://host:port/mcp, or the alias of a program'),
    more: maybe('alias for an address (default: from its host), or the command of the program'),
  },
  options: {
    save: flag('keep an address until it is removed; a program is always kept'),
    header: repeated('header', "'Name: value', sent with every request; repeatable", '-H'),
    bearerFile: option('file', 'file that contains the token for the address', { suggests: 'file' }),
    oauth: flag('authorize aish on the server’s page in a browser'),
    protocol: choice('version', 'use only this transport', McpProtocol.options),
    space: option('name', 'the space whose access a program has (default: no access)'),
    image: option('image', 'image to run a program in, such as aish/media (default: the space’s)'),
  },
  json: 'print the response as JSON',
  examples: [
    'aish mcp add http://127.0.0.1:3001/mcp every --save',
    "aish mcp add films 'python3 -m films_server' --space media",
  ],
  exits: { 1: 'the server is saved, but the connection failed' },
  run: async ({ args: { server, more }, options, io, connect, exit }) => {
    const { client } = connect();
    // People type the alias first, too. A program is never called https://….
    const [address, alias] = more !== undefined && ADDRESS.test(more) ? [more, server] : [server, more];
    const added = ADDRESS.test(address)
      ? await client.call(mcpApi.connect, { body: await addressBody(address, alias, options) }, io.signal)
      : await client.call(mcpApi.addProgram, { body: programBody(server, more, options) }, io.signal);
    if (added.state !== 'connected') exit(EXIT.refused);
    if (options.json) return writeJson(io, added);
    writeLines(io, mcpServerLines(added));
  },
});

interface AddressOptions {
  readonly save: true | undefined;
  readonly header: readonly string[] | undefined;
  readonly bearerFile: string | undefined;
  readonly oauth: true | undefined;
  readonly protocol: McpProtocol | undefined;
}

async function addressBody(url: string, alias: string | undefined, options: AddressOptions) {
  const { bearerFile, protocol, header = [] } = options;
  const bearerToken =
    bearerFile === undefined ? undefined : (await localFile(() => readFile(bearerFile, 'utf8'))).trim();
  return {
    url,
    ...(alias === undefined ? {} : { alias }),
    save: options.save === true,
    oauth: options.oauth === true,
    ...(protocol === undefined ? {} : { protocol }),
    headers: Object.fromEntries(header.map(readHeader)),
    ...(bearerToken === undefined ? {} : { bearerToken }),
  };
}

function programBody(
  alias: string,
  command: string | undefined,
  { space, image }: { readonly space: string | undefined; readonly image: string | undefined },
) {
  if (command === undefined) {
    throw new AishError(
      'invalid_body',
      `Name an address, such as http://host:port/mcp, or the command of the program ${oneLine(alias)}`,
    );
  }
  return {
    alias,
    command: ['sh', '-c', command],
    ...(space === undefined ? {} : { space }),
    ...(image === undefined ? {} : { image }),
  };
}

function readHeader(text: string): [string, string] {
  const [, name, value] = /^([A-Za-z0-9-]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new AishError('invalid_body', `${oneLine(text)} is not a header. Write it as 'Name: value'`);
  }
  return [name, value];
}

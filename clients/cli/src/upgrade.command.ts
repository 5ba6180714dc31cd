import { healthApi } from '@aish/contracts/endpoints/server';
import { VERSION } from '@aish/contracts/health';
import { line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { behaviour } from './command.js';
import { writeJson, writeLines } from '@aish/client/io';

export const upgrade = behaviour({
  json: 'print both versions and the advice',
  examples: ['aish upgrade'],
  run: async ({ options, io, connect }) => {
    const { client, address } = connect();
    const server = oneLine((await client.call(healthApi.check, {}, io.signal)).version);
    const advice = adviceFor(VERSION, server);
    if (options.json) return writeJson(io, { client: VERSION, server, advice });
    writeLines(io, [line(`aish ${VERSION} here, ${server} at ${address.url}`), ...advice.map((text) => line(text))]);
  },
});

/** Returns advice for a client and a server with different versions. */
function adviceFor(client: string, server: string): readonly string[] {
  const order = client.localeCompare(server, 'en', { numeric: true });
  if (order === 0) return ['Both have the same version; there is nothing to do.'];
  if (order < 0) {
    return [
      `This client is older. To upgrade it, run in a checkout of aish at version ${server}:`,
      `  npm ci && npm run build && npm pack -w @aish/cli && npm i -g ./aish-cli-${server}.tgz`,
    ];
  }
  return [
    'The server is older. Make a backup first (aish backup FILE), then run on the server:',
    '  git pull && docker compose up -d --build     with Docker Compose',
    '  git pull && npm ci && npm start              with npm start',
  ];
}

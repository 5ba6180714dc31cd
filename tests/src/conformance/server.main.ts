import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpEndpoint } from '@aish/mcp';
import { fixtureServer } from './fixture.server.js';

// This serves aish's own endpoint with the suite's fixtures. Its URL is the only line on stdout.
const endpoint = new McpEndpoint(fixtureServer, {
  hosts: ['localhost', '127.0.0.1'],
  onError: (error) => console.error(error),
  maxBodyBytes: 1024 * 1024,
});
const server = createServer((request, response) => {
  endpoint.handle(request, response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://localhost:${(server.address() as AddressInfo).port}/mcp`));
process.once('SIGTERM', () => process.exit(0));

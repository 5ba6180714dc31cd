/**
 * A server whose tools write to a file: `mail.server.main.js PORT FILE KIND`. `send_mail` ends this process during the
 * call.
 */
import { appendFileSync } from 'node:fs';
import type { McpServer } from '@modelcontextprotocol/server';
import { FixtureServer, fixtureTools, sessionHandler, sseHandler, statelessHandler } from './fixture.server.js';

const [port = '0', file = '', kind = 'sessions'] = process.argv.slice(2);
const DIES_AFTER_MS = 200;

function tools(): McpServer {
  const server = fixtureTools();
  server.registerTool('send_mail', { description: 'Sends a mail' }, async (context) => {
    appendFileSync(file, 'mail\n');
    // A progress message is sent, so that the answer has begun when the process ends.
    const { _meta: meta } = context.mcpReq;
    const progressToken = meta?.progressToken ?? 'none';
    await context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    setTimeout(() => process.exit(1), DIES_AFTER_MS);
    await new Promise((resolve) => context.mcpReq.signal.addEventListener('abort', resolve));
    return { content: [] };
  });
  server.registerTool('note', { description: 'Takes a note' }, () => {
    appendFileSync(file, 'note\n');
    return { content: [{ type: 'text', text: 'noted' }] };
  });
  return server;
}

const handlers = { sessions: sessionHandler, stateless: statelessHandler, sse: sseHandler };
const server = await FixtureServer.start(handlers[kind as keyof typeof handlers](tools), Number(port));
process.stdout.write(`${server.port}\n`);

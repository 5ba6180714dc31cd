import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import {
  McpServer,
  createMcpHandler,
  inputRequired,
  parseJSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An HTTP server on a free port, used by one test. */
export class FixtureServer {
  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(handler: Handler, port = 0): Promise<FixtureServer> {
    const server = createServer(handler);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return new FixtureServer(server, (server.address() as AddressInfo).port);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Makes a server with the tools that the tests need. `extra` tools come and go. */
export function fixtureTools(extra: readonly string[] = []): McpServer {
  const server = new McpServer(
    { name: 'fixture', version: '1.2.3' },
    { capabilities: { tools: { listChanged: true }, logging: {} } },
  );
  server.registerTool(
    'echo',
    { description: 'Says it again', inputSchema: z.object({ text: z.string() }) },
    (args) => ({
      content: [{ type: 'text', text: args.text }],
    }),
  );
  server.registerTool('fails', { description: 'Always' }, () => ({
    content: [{ type: 'text', text: 'no luck' }],
    isError: true,
  }));
  server.registerTool('hangs', { description: 'Never answers' }, async (context) => {
    await new Promise((resolve) => context.mcpReq.signal.addEventListener('abort', resolve));
    return { content: [] };
  });
  server.registerTool('asks', { description: 'Asks which colour' }, (context) => {
    const given = context.mcpReq.inputResponses?.['colour'] as
      | { action: string; content?: { colour?: string } }
      | undefined;
    if (given === undefined) {
      return inputRequired({
        requestState: 'round-1',
        inputRequests: {
          colour: inputRequired.elicit({
            message: 'Which colour?',
            requestedSchema: { type: 'object', properties: { colour: { type: 'string', default: 'blue' } } },
          }),
        },
      });
    }
    return { content: [{ type: 'text', text: `${given.action} ${given.content?.colour ?? 'nothing'}` }] };
  });
  for (const name of extra) {
    server.registerTool(name, { description: 'Comes and goes' }, () => ({ content: [] }));
  }
  return server;
}

/** Serves both protocol generations, without sessions. */
export function statelessHandler(make: () => McpServer = () => fixtureTools()): Handler & { notify(): void } {
  const handler = createMcpHandler(make);
  const node = toNodeHandler(handler);
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    void node(request as Parameters<typeof node>[0], response);
  return Object.assign(serve, { notify: () => handler.notify.toolsChanged() });
}

/** Serves only the protocol of 2025, with one server per session. Sessions can be forgotten, as after a restart. */
export function sessionHandler(make: () => McpServer = () => fixtureTools()): Handler & {
  readonly sessions: Map<string, { readonly transport: NodeStreamableHTTPServerTransport; readonly server: McpServer }>;
} {
  const sessions = new Map<string, { transport: NodeStreamableHTTPServerTransport; server: McpServer }>();
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known !== undefined) return known.transport.handleRequest(request, response);
    if (id !== undefined) return void response.writeHead(404).end();
    const server = make();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (sessionId) => void sessions.set(sessionId, { transport, server }),
    });
    await server.connect(transport);
    return transport.handleRequest(request, response);
  };
  return Object.assign((request: IncomingMessage, response: ServerResponse) => void serve(request, response), {
    sessions,
  });
}

/** Serves HTTP+SSE of 2024. Each stream is a session and carries the answers. */
export function sseHandler(make: () => McpServer = () => fixtureTools()): Handler {
  const streams = new Map<string, Transport>();
  const open = async (url: URL, response: ServerResponse): Promise<void> => {
    const id = crypto.randomUUID();
    const say = (event: string, data: string) => void response.write(`event: ${event}\ndata: ${data}\n\n`);
    const transport: Transport = {
      start: () => Promise.resolve(),
      send: (message) => Promise.resolve(say('message', JSON.stringify(message))),
      close: () => Promise.resolve(void response.end()),
    };
    streams.set(id, transport);
    response.on('close', () => streams.delete(id));
    await make().connect(transport);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    say('endpoint', `${url.pathname}?session=${id}`);
  };
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (request.method === 'GET') return void open(url, response);
    const transport = streams.get(url.searchParams.get('session') ?? '');
    if (transport === undefined) return void response.writeHead(404).end();
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      response.writeHead(202).end();
      transport.onmessage?.(parseJSONRPCMessage(JSON.parse(body)));
    });
  };
}

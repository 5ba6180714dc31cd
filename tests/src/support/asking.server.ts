import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpEndpoint } from '@aish/mcp';
import { McpServer, inputRequired } from '@modelcontextprotocol/server';

const asks = (message: string, name: string, more: object) =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: { [name]: { type: 'string', ...more } },
      required: [name],
    },
  });

/**
 * An MCP server of 2026-07-28, without sessions. Its tool `paint` asks for a colour, and then in a second round for a
 * name.
 */
export class AskingServer {
  /** The calls of `paint`, including those that continue with answers. */
  readonly calls: unknown[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<AskingServer> {
    const server = createServer();
    const asking = new AskingServer(server);
    const endpoint = new McpEndpoint(() => asking.tools(), {
      hosts: ['127.0.0.1'],
      onError: () => undefined,
      maxBodyBytes: 1024 * 1024,
    });
    server.on('request', (request, response) => {
      endpoint.handle(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return asking;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/mcp`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private tools(): McpServer {
    const server = new McpServer({ name: 'asking', version: '1' }, { capabilities: { logging: {} } });
    server.registerTool('paint', { description: 'Paints the house' }, async (context) => {
      const { inputResponses = {} } = context.mcpReq;
      this.calls.push(inputResponses);
      await context.mcpReq.log('warning', 'the ladder is old');
      const colour = inputResponses['colour'] as { action: string; content?: { colour?: string } } | undefined;
      if (colour === undefined) {
        const choice = { enum: ['red', 'green'] };
        return inputRequired({
          requestState: 'asked',
          inputRequests: { colour: asks('Which colour?', 'colour', choice) },
        });
      }
      const text = `${colour.action} ${colour.content?.colour ?? 'nothing'}`;
      return { content: [{ type: 'text', text }] };
    });
    return server;
  }
}

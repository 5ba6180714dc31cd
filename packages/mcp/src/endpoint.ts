import type { IncomingMessage, ServerResponse } from 'node:http';
import { VERSION } from '@aish/contracts/health';
import { AishError } from '@aish/contracts/problems';
import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler, type McpHttpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import { serveResources, type OfferedResources } from './offered-resources.js';
import type { OfferedTools, Caller } from './offered-tools.js';
import { serveTasks, type TaskSource } from './tasks.js';

/** Everything that aish offers to MCP clients. */
export interface Offers {
  readonly tools: OfferedTools;
  readonly resources: readonly OfferedResources[];
  /** The tasks of this caller. */
  readonly tasksOf: (caller: Caller) => TaskSource;
}

export interface EndpointOptions {
  /** Allowed host names, without port, for requests and for the pages that send them. This prevents DNS rebinding. */
  readonly hosts: readonly string[];
  readonly onError: (error: unknown) => void;
  /** Maximum size of a request in bytes. */
  readonly maxBodyBytes: number;
}

/**
 * An MCP server over HTTP: both protocol generations, without sessions, so that any number of processes may serve it.
 */
export class McpEndpoint {
  private readonly handler: McpHttpHandler;
  private readonly node: ReturnType<typeof toNodeHandler>;
  private readonly checks: readonly ((request: IncomingMessage, response: ServerResponse) => boolean)[];

  /**
   * @param factory makes a server for each request. `authInfo.extra.caller` is the caller that was passed to `handle`.
   */
  constructor(factory: McpServerFactory, options: EndpointOptions) {
    const { hosts, onError, maxBodyBytes } = options;
    this.handler = createMcpHandler(factory, { onerror: onError, maxRequestBodySize: maxBodyBytes });
    this.node = toNodeHandler(this.handler, { onerror: onError, maxRequestBodySize: maxBodyBytes });
    this.checks = [hostHeaderValidation([...hosts]), originValidation([...hosts])];
  }

  /** Makes the endpoint for everything that aish offers. */
  static of(offers: Offers, options: EndpointOptions): McpEndpoint {
    return new McpEndpoint(({ authInfo }) => {
      const caller = authInfo?.extra?.['caller'] as Caller | undefined;
      if (caller === undefined) throw new AishError('unauthorized', 'A valid token is required');
      return serverFor(offers, caller, options.onError);
    }, options);
  }

  /** Answers any request. `body` is the request's body, if it was already parsed. */
  async handle(request: IncomingMessage, response: ServerResponse, caller?: Caller, body?: unknown): Promise<void> {
    if (!this.checks.every((check) => check(request, response))) return;
    const auth = { token: '', clientId: caller?.name ?? '', scopes: [], extra: { caller } };
    // The SDK reads the caller from the request itself.
    const asked = Object.assign(request, { auth }) as unknown as Parameters<typeof this.node>[0];
    await this.node(asked, response, body);
  }

  /** Ends running requests. */
  close(): Promise<void> {
    return this.handler.close();
  }
}

/** Makes a server with the tools and resources that the caller may use, and nothing else. */
function serverFor(
  { tools, resources, tasksOf }: Offers,
  caller: Caller,
  onError: (error: unknown) => void,
): McpServer {
  const server = new McpServer(
    { name: 'aish', version: VERSION },
    {
      instructions:
        'aish works through goals on its own and stops before anything destructive, until a person decides. ' +
        'Start a goal, look at it now and then, tell the person when it waits for a decision. ' +
        'No tool decides: only people do. What a goal asks as a task goes to the person as it stands.',
    },
  );
  tools.serve(server, caller, onError);
  serveResources(server, resources, caller, onError);
  serveTasks(server, tasksOf(caller), onError);
  return server;
}

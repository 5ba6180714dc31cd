import type { IncomingMessage, ServerResponse } from 'node:http';
import { VERSION } from '@aish/contracts/health';
import { AishError } from '@aish/contracts/problems';
import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler, type McpHttpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import { serveResources, type OfferedResources } from './offered-resources.js';
import type { OfferedTools, Caller } from './offered-tools.js';
import { serveTasks, type TaskSource } from './tasks.js';

/** All that aish offers to MCP clients. */
export interface Offers {
  readonly tools: OfferedTools;
  readonly resources: readonly OfferedResources[];
  /** The tasks of this caller. */
  readonly tasksOf: (caller: Caller) => TaskSource;
}

export interface EndpointOptions {
  /** Host names, without port, under which it may be asked for, and whose pages may ask. Against DNS rebinding. */
  readonly hosts: readonly string[];
  readonly onError: (error: unknown) => void;
  /** Largest request, bytes. */
  readonly maxBodyBytes: number;
}

/** An MCP server over HTTP: both protocol generations, without sessions, so that any number of processes may serve it. */
export class McpEndpoint {
  private readonly handler: McpHttpHandler;
  private readonly node: ReturnType<typeof toNodeHandler>;
  private readonly checks: readonly ((request: IncomingMessage, response: ServerResponse) => boolean)[];

  /** @param factory makes a server for each request; `authInfo.extra.caller` is what `handle` was given. */
  constructor(factory: McpServerFactory, options: EndpointOptions) {
    const { hosts, onError, maxBodyBytes } = options;
    this.handler = createMcpHandler(factory, { onerror: onError, maxRequestBodySize: maxBodyBytes });
    this.node = toNodeHandler(this.handler, { onerror: onError, maxRequestBodySize: maxBodyBytes });
    this.checks = [hostHeaderValidation([...hosts]), originValidation([...hosts])];
  }

  /** The endpoint of what aish offers. */
  static of(offers: Offers, options: EndpointOptions): McpEndpoint {
    return new McpEndpoint(({ authInfo }) => {
      const caller = authInfo?.extra?.['caller'] as Caller | undefined;
      if (caller === undefined) throw new AishError('unauthorized', 'A valid token is needed');
      return serverFor(offers, caller, options.onError);
    }, options);
  }

  /** Answers any request. `body` is the part that was parsed already. */
  async handle(request: IncomingMessage, response: ServerResponse, caller?: Caller, body?: unknown): Promise<void> {
    if (!this.checks.every((check) => check(request, response))) return;
    const auth = { token: '', clientId: caller?.name ?? '', scopes: [], extra: { caller } };
    // The SDK reads who asks from the request itself.
    const asked = Object.assign(request, { auth }) as unknown as Parameters<typeof this.node>[0];
    await this.node(asked, response, body);
  }

  /** Ends what is under way. */
  close(): Promise<void> {
    return this.handler.close();
  }
}

/** A server that has what the caller may use, and knows of nothing else. */
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

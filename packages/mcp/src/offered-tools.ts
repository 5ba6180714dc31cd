import type { IncomingMessage, ServerResponse } from 'node:http';
import { VERSION } from '@aish/contracts/health';
import { invariant } from '@aish/contracts/invariant';
import type { MemoryCaller } from '@aish/contracts/memory';
import { AishError, isAishError, toProblem } from '@aish/contracts/problems';
import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node';
import {
  McpServer,
  createMcpHandler,
  type CallToolResult,
  type McpHttpHandler,
  type McpServerFactory,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';

/** Who calls: as much as an offered tool needs to know. */
export interface Caller {
  /** The name of its token. */
  readonly name: string;
  /** Whose memory its token reaches; null for a token that reaches none. */
  readonly memory: MemoryCaller | null;
  readonly mayUse: (tool: Pick<OfferedTool, 'needs'>) => boolean;
}

/** A tool that aish offers to MCP clients. */
export interface OfferedTool<S extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The scope that a token must have to see it and to call it; one of them, if there are several. */
  readonly needs: string | readonly string[];
  readonly inputSchema: S;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
  };
  /** The answer, as JSON or as text. @throws AishError: told to the client as an error of the tool. */
  run(input: z.infer<S>, caller: Caller): Promise<object | string>;
}

/** Declares a tool whose types are its own business. */
export function offer<S extends z.ZodObject>(tool: OfferedTool<S>): OfferedTool {
  return { ...tool, run: (input, caller) => tool.run(input as z.infer<S>, caller) };
}

/** The tools that aish offers; each subject adds its own while the api is put together. */
export class OfferedTools {
  private readonly tools = new Map<string, OfferedTool>();
  private readonly makers: ((caller: Caller) => readonly OfferedTool[])[] = [];

  add(...tools: readonly OfferedTool[]): this {
    for (const tool of tools) {
      invariant(!this.tools.has(tool.name), `the tool ${tool.name} is offered once`);
      this.tools.set(tool.name, tool);
    }
    return this;
  }

  /** Tools that differ from caller to caller. */
  addFor(make: (caller: Caller) => readonly OfferedTool[]): this {
    this.makers.push(make);
    return this;
  }

  /** What this caller may use, sorted by name. */
  list(caller: Caller): readonly OfferedTool[] {
    const tools = [...this.tools.values(), ...this.makers.flatMap((make) => make(caller))];
    return tools.filter((tool) => caller.mayUse(tool)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** A server that has what the caller may use, and knows of nothing else. */
  serverFor(caller: Caller, onError: (error: unknown) => void): McpServer {
    const server = new McpServer(
      { name: 'aish', version: VERSION },
      {
        instructions:
          'aish works through goals on its own and stops before anything destructive, until a person decides. ' +
          'Start a goal, look at it now and then, tell the person when it waits for a decision. ' +
          'Decisions are not given here: only people give them.',
      },
    );
    for (const tool of this.list(caller)) {
      const { name, title, description, inputSchema, annotations } = tool;
      server.registerTool(name, { title, description, inputSchema, annotations }, async (input: unknown) => {
        try {
          return answerOf(await tool.run(input as never, caller));
        } catch (error) {
          if (!isAishError(error)) onError(error);
          return { ...answerOf(toProblem(error)), isError: true };
        }
      });
    }
    return server;
  }
}

function answerOf(value: object | string): CallToolResult {
  return { content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value, null, 2) }] };
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
  static of(tools: OfferedTools, options: EndpointOptions): McpEndpoint {
    return new McpEndpoint(({ authInfo }) => {
      const caller = authInfo?.extra?.['caller'] as Caller | undefined;
      if (caller === undefined) throw new AishError('unauthorized', 'A valid token is needed');
      return tools.serverFor(caller, options.onError);
    }, options);
  }

  /** Answers a request, whatever it is. `body` is what was parsed of it already. */
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

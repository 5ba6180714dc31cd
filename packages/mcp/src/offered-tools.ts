import { invariant } from '@aish/contracts/invariant';
import type { MemoryCaller } from '@aish/contracts/memory';
import { isAishError, toProblem } from '@aish/contracts/problems';
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { takesTasks, taskCreated, type Task } from './tasks.js';

/** The caller, with the data that the offered tools need. */
export interface Caller {
  /** The name of the caller's token. */
  readonly name: string;
  /** The memory that the caller's token can access; null for none. */
  readonly memory: MemoryCaller | null;
  /** Whether the caller's token has this scope, or one of these. */
  readonly mayUse: (offered: { readonly needs: string | readonly string[] }) => boolean;
}

/** A tool that aish offers to MCP clients. */
export interface OfferedTool<S extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The scope that a token needs to see and call the tool. If it is a list, one of the scopes is enough. */
  readonly needs: string | readonly string[];
  readonly inputSchema: S;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
  };
  /**
   * Returns the answer, as JSON or as text.
   *
   * @throws AishError, which the client gets as an error of the tool.
   */
  run(input: z.infer<S>, caller: Caller): Promise<object | string>;
  /**
   * Starts the tool for clients that poll tasks themselves. Returns the task.
   *
   * @throws AishError
   */
  readonly begin?: (input: z.infer<S>, caller: Caller) => Promise<Task>;
}

/** Declares a tool and hides its own types. */
export function offer<S extends z.ZodObject>(tool: OfferedTool<S>): OfferedTool {
  const { begin, ...rest } = tool;
  return {
    ...rest,
    run: (input, caller) => tool.run(input as z.infer<S>, caller),
    ...(begin === undefined ? {} : { begin: (input, caller) => begin(input as z.infer<S>, caller) }),
  };
}

/** The tools that aish offers. Each module adds its own tools while the api is set up. */
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

  /** Adds tools that depend on the caller. */
  addFor(make: (caller: Caller) => readonly OfferedTool[]): this {
    this.makers.push(make);
    return this;
  }

  /** Returns the tools for this caller, sorted by name. */
  list(caller: Caller): readonly OfferedTool[] {
    const tools = [...this.tools.values(), ...this.makers.flatMap((make) => make(caller))];
    return tools.filter((tool) => caller.mayUse(tool)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Adds the caller's tools to the server. */
  serve(server: McpServer, caller: Caller, onError: (error: unknown) => void): void {
    for (const tool of this.list(caller)) {
      const { name, title, description, inputSchema, annotations } = tool;
      server.registerTool(name, { title, description, inputSchema, annotations }, async (given: unknown, context) => {
        const input = given as z.infer<typeof inputSchema>; // The SDK has validated the input.
        try {
          if (tool.begin !== undefined && takesTasks(context)) {
            return taskCreated(await tool.begin(input, caller));
          }
          return answerOf(await tool.run(input, caller));
        } catch (error) {
          if (!isAishError(error)) onError(error);
          return { ...answerOf(toProblem(error)), isError: true };
        }
      });
    }
  }
}

/** Formats the answer of a tool. */
export function answerOf(value: object | string): CallToolResult {
  return { content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value, null, 2) }] };
}

import { invariant } from '@aish/contracts/invariant';
import type { MemoryCaller } from '@aish/contracts/memory';
import { isAishError, toProblem } from '@aish/contracts/problems';
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { takesTasks, taskCreated, type Task } from './tasks.js';

/** Who calls: as much as what is offered needs to know. */
export interface Caller {
  /** The name of its token. */
  readonly name: string;
  /** Whose memory its token reaches; null for a token that reaches none. */
  readonly memory: MemoryCaller | null;
  /** Whether its token has this scope, or one of these. */
  readonly mayUse: (offered: { readonly needs: string | readonly string[] }) => boolean;
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
  /** The same for clients that wait for tasks by themselves: it answers what it has begun. @throws AishError */
  readonly begin?: (input: z.infer<S>, caller: Caller) => Promise<Task>;
}

/** Declares a tool whose types are its own business. */
export function offer<S extends z.ZodObject>(tool: OfferedTool<S>): OfferedTool {
  const { begin, ...rest } = tool;
  return {
    ...rest,
    run: (input, caller) => tool.run(input as z.infer<S>, caller),
    ...(begin === undefined ? {} : { begin: (input, caller) => begin(input as z.infer<S>, caller) }),
  };
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

  /** Has the server offer them. */
  serve(server: McpServer, caller: Caller, onError: (error: unknown) => void): void {
    for (const tool of this.list(caller)) {
      const { name, title, description, inputSchema, annotations } = tool;
      server.registerTool(name, { title, description, inputSchema, annotations }, async (given: unknown, context) => {
        const input = given as z.infer<typeof inputSchema>; // the SDK has checked it
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

/** As a tool answers. */
export function answerOf(value: object | string): CallToolResult {
  return { content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value, null, 2) }] };
}

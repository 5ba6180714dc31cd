import type { ToolCall, ToolCallOptions, ToolContext, ToolProvider, ToolResult, ToolSpec } from '@aish/contracts/tools';
import type { Database } from '@aish/database/client';
import { mcpServersOf } from '@aish/database/spaces.repository';

/** Tools of MCP servers, some of which belong to a space. */
export interface ServerTools extends ToolProvider {
  /** The space whose reach the server of a tool has; null: none. */
  spaceOf(label: string): string | null;
}

/**
 * The tools of those MCP servers alone that the space of a session had at its start. A program that has the reach of a
 * space lends it to whoever calls its tools: they belong to that space, unless another one names the program.
 */
export class SpaceTools implements ToolProvider {
  readonly name: string;
  /** What a session has never changes, so it is looked up once for each context. */
  private readonly asked = new WeakMap<ToolContext, ReturnType<typeof mcpServersOf>>();

  constructor(
    private readonly db: Pick<Database, 'statements'>,
    private readonly all: ServerTools,
  ) {
    this.name = all.name;
  }

  async tools(context: ToolContext): Promise<readonly ToolSpec[]> {
    const [specs, session] = await Promise.all([this.all.tools(context), this.sessionOf(context)]);
    const servers = session?.servers ?? null;
    if (servers !== null) {
      return specs.filter(({ label }) => servers.some((alias) => label.startsWith(`${alias}.`)));
    }
    return specs.filter(({ label }) => {
      const space = this.all.spaceOf(label);
      return space === null || space === session?.space;
    });
  }

  /** Whoever calls has found the tool among `tools`. */
  call(call: ToolCall, context: ToolContext, signal: AbortSignal, options?: ToolCallOptions): Promise<ToolResult> {
    return this.all.call(call, context, signal, options);
  }

  /** Of servers that its session may not use there are no tasks. */
  async askAfter(...asked: Parameters<NonNullable<ToolProvider['askAfter']>>): Promise<ToolResult | null> {
    return (await this.all.askAfter?.(...asked)) ?? null;
  }

  private sessionOf(context: ToolContext): ReturnType<typeof mcpServersOf> {
    const known = this.asked.get(context);
    if (known !== undefined) return known;
    // Of no session: what an owner would find in a new one of no space.
    const asked =
      context.sessionId === '' ? Promise.resolve(null) : mcpServersOf(this.db.statements, context.sessionId);
    this.asked.set(context, asked);
    asked.catch(() => this.asked.delete(context)); // whoever asked is told, and may ask again
    return asked;
  }
}

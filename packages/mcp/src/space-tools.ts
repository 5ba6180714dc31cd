import type { ToolCall, ToolCallOptions, ToolContext, ToolProvider, ToolResult, ToolSpec } from '@aish/contracts/tools';
import type { SessionSpaces } from '@aish/database/session-spaces';

/** Tools of MCP servers, some of which belong to a space. */
export interface ServerTools extends ToolProvider {
  /** The space whose reach the server of a tool has; null: none. */
  spaceOf(label: string): string | null;
}

/**
 * Only the tools of those MCP servers that the space of a session had at its start. A program with the access of a
 * space lends it to its callers. So its tools belong to that space, unless another space names the program.
 */
export class SpaceTools implements ToolProvider {
  readonly name: string;

  constructor(
    private readonly spaces: SessionSpaces,
    private readonly all: ServerTools,
  ) {
    this.name = all.name;
  }

  async tools(context: ToolContext): Promise<readonly ToolSpec[]> {
    // Of no session: what an owner would find in a new one of no space.
    const { sessionId } = context;
    const asked = sessionId === '' ? null : this.spaces.of(sessionId);
    const [specs, session] = await Promise.all([this.all.tools(context), asked]);
    const servers = session?.servers ?? null;
    if (servers !== null) {
      return specs.filter(({ label }) => servers.some((alias) => label.startsWith(`${alias}.`)));
    }
    return specs.filter(({ label }) => {
      const space = this.all.spaceOf(label);
      return space === null || space === session?.space;
    });
  }

  /** The caller has found the tool among `tools`. */
  call(call: ToolCall, context: ToolContext, signal: AbortSignal, options?: ToolCallOptions): Promise<ToolResult> {
    return this.all.call(call, context, signal, options);
  }

  /** Of servers that its session may not use there are no tasks. */
  async askAfter(...asked: Parameters<NonNullable<ToolProvider['askAfter']>>): Promise<ToolResult | null> {
    return (await this.all.askAfter?.(...asked)) ?? null;
  }
}

import type { ToolCall, ToolCallOptions, ToolContext, ToolProvider, ToolResult, ToolSpec } from '@aish/contracts/tools';
import type { SessionSpaces } from '@aish/database/session-spaces';

/** Tools of MCP servers, some of which belong to a space. */
export interface ServerTools extends ToolProvider {
  /** Returns the space whose access the server of a tool has; null if it has none. */
  spaceOf(label: string): string | null;
}

/**
 * Offers only the tools of those MCP servers that the space of a session had at its start. A program with the access of
 * a space lends this access to its callers. So its tools belong to that space, unless another space names the program.
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
    // Without a session, these are the tools of a new session without a space.
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

  /** Calls a tool. The caller has found it among `tools`. */
  call(call: ToolCall, context: ToolContext, signal: AbortSignal, options?: ToolCallOptions): Promise<ToolResult> {
    return this.all.call(call, context, signal, options);
  }

  /** Polls a task, but not one of a server that the session may not use. */
  async askAfter(...asked: Parameters<NonNullable<ToolProvider['askAfter']>>): Promise<ToolResult | null> {
    return (await this.all.askAfter?.(...asked)) ?? null;
  }
}

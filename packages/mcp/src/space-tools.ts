import type { ToolCall, ToolCallOptions, ToolContext, ToolProvider, ToolResult, ToolSpec } from '@aish/contracts/tools';
import type { Database } from '@aish/database/client';
import { mcpServersOf } from '@aish/database/spaces.repository';

/** The tools of those MCP servers alone that the space of a session had at its start. */
export class SpaceTools implements ToolProvider {
  readonly name: string;
  /** What a session has never changes, so it is looked up once for each context. */
  private readonly asked = new WeakMap<ToolContext, Promise<readonly string[] | null>>();

  constructor(
    private readonly db: Pick<Database, 'statements'>,
    private readonly all: ToolProvider,
  ) {
    this.name = all.name;
  }

  async tools(context: ToolContext): Promise<readonly ToolSpec[]> {
    const [specs, servers] = await Promise.all([this.all.tools(context), this.serversOf(context)]);
    return servers === null
      ? specs
      : specs.filter(({ label }) => servers.some((alias) => label.startsWith(`${alias}.`)));
  }

  /** Whoever calls has found the tool among `tools`. */
  call(call: ToolCall, context: ToolContext, signal: AbortSignal, options?: ToolCallOptions): Promise<ToolResult> {
    return this.all.call(call, context, signal, options);
  }

  /** Of servers that its session may not use there are no tasks. */
  async askAfter(...asked: Parameters<NonNullable<ToolProvider['askAfter']>>): Promise<ToolResult | null> {
    return (await this.all.askAfter?.(...asked)) ?? null;
  }

  private serversOf(context: ToolContext): Promise<readonly string[] | null> {
    const known = this.asked.get(context);
    if (known !== undefined) return known;
    const asked = mcpServersOf(this.db.statements, context.sessionId);
    this.asked.set(context, asked);
    asked.catch(() => this.asked.delete(context)); // whoever asked is told, and may ask again
    return asked;
  }
}

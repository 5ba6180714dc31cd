import type { MemoryCaller } from '@aish/contracts/memory';
import type { ToolContext } from '@aish/contracts/tools';
import type { Database } from '@aish/database/client';
import type { SessionSpaces } from '@aish/database/session-spaces';
import { callerNamed } from '@aish/database/tokens.repository';

/** Finds the memory owner of each context. The access of a token never changes, so it is looked up once per context. */
export class MemoryCallers {
  private readonly asked = new WeakMap<ToolContext, Promise<MemoryCaller>>();

  constructor(
    private readonly db: Pick<Database, 'statements'>,
    private readonly spaces: SessionSpaces,
  ) {}

  /** Stores the caller of a context, if the token itself is available, so that no lookup is needed. */
  know(context: ToolContext, caller: MemoryCaller): void {
    this.asked.set(context, Promise.resolve(caller));
  }

  /** Returns the caller with the person's current space. */
  async inSpace(context: ToolContext): Promise<MemoryCaller> {
    // A chat that has not begun yet is in no space.
    if (context.sessionId === '') return this.of(context);
    return inSpace(this.spaces, await this.of(context), context.sessionId);
  }

  of(context: ToolContext): Promise<MemoryCaller> {
    const known = this.asked.get(context);
    if (known !== undefined) return known;
    const asked = callerNamed(this.db.statements, context.owner);
    this.asked.set(context, asked);
    asked.catch(() => this.asked.delete(context)); // The caller sees the error and may ask again.
    return asked;
  }
}

/** Returns a caller in the space of a session. */
export async function inSpace(spaces: SessionSpaces, caller: MemoryCaller, sessionId: string): Promise<MemoryCaller> {
  const found = caller.app === null ? await spaces.of(sessionId) : null;
  return found === null ? caller : { ...caller, space: found.space };
}

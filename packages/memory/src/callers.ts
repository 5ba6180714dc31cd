import type { MemoryCaller } from '@aish/contracts/memory';
import type { ToolContext } from '@aish/contracts/tools';
import type { Database } from '@aish/database/client';
import type { SessionSpaces } from '@aish/database/session-spaces';
import { callerNamed } from '@aish/database/tokens.repository';

/** Whose memory a context reaches. What a token reaches never changes, so it is looked up once for each context. */
export class MemoryCallers {
  private readonly asked = new WeakMap<ToolContext, Promise<MemoryCaller>>();

  constructor(
    private readonly db: Pick<Database, 'statements'>,
    private readonly spaces: SessionSpaces,
  ) {}

  /** Spares the look-up where the token itself is at hand. */
  know(context: ToolContext, caller: MemoryCaller): void {
    this.asked.set(context, Promise.resolve(caller));
  }

  /** The same where it matters which space a person works in. */
  async inSpace(context: ToolContext): Promise<MemoryCaller> {
    // A chat that somebody would begin is in no space yet.
    if (context.sessionId === '') return this.of(context);
    return inSpace(this.spaces, await this.of(context), context.sessionId);
  }

  of(context: ToolContext): Promise<MemoryCaller> {
    const known = this.asked.get(context);
    if (known !== undefined) return known;
    const asked = callerNamed(this.db.statements, context.owner);
    this.asked.set(context, asked);
    asked.catch(() => this.asked.delete(context)); // the caller sees the error and may ask again
    return asked;
  }
}

/** A caller in the space of a session. */
export async function inSpace(spaces: SessionSpaces, caller: MemoryCaller, sessionId: string): Promise<MemoryCaller> {
  const found = caller.app === null ? await spaces.of(sessionId) : null;
  return found === null ? caller : { ...caller, space: found.space };
}

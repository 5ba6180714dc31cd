import type { MemoryCaller } from '@aish/contracts/memory';
import type { ToolContext } from '@aish/contracts/tools';
import type { Database } from '@aish/database/client';
import { findBackground, putBackground } from '@aish/database/memory-sessions.repository';
import type { SessionSpaces } from '@aish/database/session-spaces';
import { callerNamed } from '@aish/database/tokens.repository';
import { inSpace } from './callers.js';
import { MemoryDocuments } from './documents.js';
import { memoryInstructions } from './instructions.js';

/**
 * Returns the memory instructions for a goal. They are made for its first request and never changed, so that the
 * model's cache stays valid. Goals do not get memory items.
 */
export function goalMemory(db: Database, spaces: SessionSpaces): (context: ToolContext) => Promise<string | null> {
  const documents = new MemoryDocuments(db);
  return async ({ sessionId, owner }) => {
    const kept = await findBackground(db.statements, sessionId);
    if (kept !== null) return kept.instructions;
    const caller = await inSpace(spaces, await callerNamed(db.statements, owner), sessionId);
    const instructions = await instructionsFor(documents, caller);
    await putBackground(db.statements, sessionId, caller.owner, { numbers: [], instructions });
    return instructions;
  };
}

/** Returns instructions for using the memory documents, with their current sizes; null if the documents are empty. */
export async function instructionsFor(documents: MemoryDocuments, caller: MemoryCaller): Promise<string | null> {
  const { items } = await documents.list(caller);
  return memoryInstructions(caller, Object.fromEntries(items.map(({ scope, sizeBytes }) => [scope, sizeBytes])));
}

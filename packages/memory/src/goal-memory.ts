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
 * How a goal is told to use the memory documents: made with its first request and the same ever after, so that the
 * model's cache holds. Items of the memory are not told to goals. Source: Phase 4, R-C1.
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

/** How to use the memory documents, with their sizes as they are now; null where they are empty. */
export async function instructionsFor(documents: MemoryDocuments, caller: MemoryCaller): Promise<string | null> {
  const { items } = await documents.list(caller);
  return memoryInstructions(caller, Object.fromEntries(items.map(({ scope, sizeBytes }) => [scope, sizeBytes])));
}

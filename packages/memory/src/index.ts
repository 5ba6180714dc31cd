export { MemoryCandidates, type Proposal } from './candidates.js';
export { COMPACT_ABOVE_BYTES, Compactor, headingsAndTail } from './compaction.js';
export { documentKey } from './document-key.js';
export { MemoryDocuments, nameOf } from './documents.js';
export { EntryWriter } from './entry-writer.js';
export { MemoryCallers } from './callers.js';
export { goalMemory, instructionsFor } from './goal-memory.js';
export { HEADERS_FIRST_BYTES, estimateTokens, formatSize, memoryInstructions } from './instructions.js';
export { MemoryItems, type InjectSettings, type ItemInput, type LoadedBackground } from './items.js';
export { exportLines, importFile } from './memory-file.js';
export { PERMISSIONS, checkMayRead, checkMayWrite, checkOwnsItems, scopesFor } from './permissions.js';
export { BACKGROUND_HEADING, renderBackground } from './render-background.js';
export { ItemSearch } from './search.js';
export { trailOf } from './trail.js';
export { memoryToolsFor, toolSpecOf, type MemoryTool } from './tool-definitions.js';
export {
  MemoryToolProvider,
  UNASKED_MEMORY_TOOLS,
  callMemoryTool,
  memoryToolProvider,
  type CallOrigin,
  type MemoryParts,
} from './tools.js';

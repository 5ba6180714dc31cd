export { MemoryCandidates } from './candidates.js';
export { Compactor } from './compaction.js';
export { MemoryDocuments, nameOf } from './documents.js';
export { MemoryCallers } from './callers.js';
export { goalMemory, instructionsFor } from './goal-memory.js';
export { estimateTokens } from './instructions.js';
export { MemoryItems, type InjectSettings, type LoadedBackground } from './items.js';
export { exportLines, importFile } from './memory-file.js';
export { likelySecrets } from './likely-secrets.js';
export { checkOwnsItems } from './permissions.js';
export { keepSessionLog } from './session-log.js';
export { meaningOf, type Meaning } from './meaning.js';
export { NoteQuestions, questionsOf } from './questions.js';
export { cutAll } from './recall/cut.js';
export { nearNodes } from './recall/near-nodes.js';
export { Recall, type AskKnowledge } from './recall/recall.js';
export { historyOf } from './trail.js';
export { memoryToolsFor } from './tool-definitions.js';
export {
  MemoryToolProvider,
  UNASKED_MEMORY_TOOLS,
  callMemoryTool,
  memoryToolProvider,
  type MemoryParts,
} from './tools.js';

export { KnowledgeBase } from './base/knowledge-base.js';
export type { Guard } from './base/writer.js';
export { repointPointers } from './curate/moves.js';
export { drawGraph } from './graph/draw-graph.js';
export { isBound, mayRead, mayWrite, scopeOf, type Caller } from './query/access.js';
export { KnowledgeIndex, type NearNodes } from './index-db/knowledge-index.js';
export { DUE_NODES, UNTOUCHED_DAYS } from './curate/curation-report.js';
export { KNOWLEDGE_TOOLS, UNASKED_KNOWLEDGE_TOOLS, KnowledgeTools } from './tools/knowledge.tools.js';
export { callerNamed, knowledgeToolsFor, queryNamed, sharedBase } from './index-db/indexed-knowledge.js';

// What works on a clone alone: no database, no server. For clients, and for everything that lives in this package.
export { projectSlug } from './node/node-path.js';
export { KnowledgeBase, type Caller, type KnowledgeBaseOptions } from './base/knowledge-base.js';
export { drawGraph } from './graph/draw-graph.js';
export { type ProjectScope } from './query/access.js';

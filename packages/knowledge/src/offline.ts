// What works on a clone alone: no database, no server.
export { KnowledgeBase } from './base/knowledge-base.js';
export { drawGraph } from './graph/draw-graph.js';

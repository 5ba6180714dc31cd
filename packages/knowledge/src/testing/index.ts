export { ScratchBase } from './scratch-base.js';
export { FATAL_FIXTURES, GOOD_ID, GOOD_NODE, WHOLE, type FatalFixture } from './fatal-fixtures.js';
export { generatedNode, type GeneratedNode } from './generated-nodes.js';
export { makeGeneratedBase } from './generated-base.js';

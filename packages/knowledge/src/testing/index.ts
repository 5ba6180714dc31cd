export { ScratchBase } from './scratch-base.js';
export { FATAL_FIXTURES, GOOD_NODE } from './fatal-fixtures.js';
export { generatedNode } from './generated-nodes.js';
export { makeGeneratedBase } from './generated-base.js';
export { SilentRemote } from './silent-remote.js';

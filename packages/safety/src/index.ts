export { classify } from './classify.js';
export { PATTERNS, type Pattern } from './patterns.js';

export { bm25, rarity, saturated, type Corpus, type Counted } from './bm25.js';
export { dateTokens } from './dates.js';
export { isFiller, withoutFillers } from './fillers.js';
export { fused, type Place } from './fuse.js';
export { VectorSet, quantised, type Near } from './vectors.js';

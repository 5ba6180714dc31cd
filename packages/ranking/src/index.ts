export { bm25, heldOf, rarity, saturated, probablyAnswers, type Corpus, type Counted, type Held } from './bm25.js';
export { dated } from './dates.js';
export { isFiller, withoutFillers } from './fillers.js';
export { fused, type Place } from './fuse.js';
export { piecesOf } from './pieces.js';
export { VectorSet, quantised, type Near, type Nearest } from './vectors.js';

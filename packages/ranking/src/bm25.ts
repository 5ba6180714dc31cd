/** How soon a word that is said again counts no more, and how much a long text is held against it. Notes are short. */
const K1 = 1.2;
const B = 0.5;

/** A text, by the words of the question alone. */
export interface Counted {
  /** How often it says each of them, what stands in a telling field counted more. */
  readonly counts: readonly number[];
  /** Of all its words. */
  readonly length: number;
}

/** What is known of all texts. */
export interface Corpus {
  readonly texts: number;
  /** In how many each word of the question stands; at least in as many as are given here. */
  readonly holding: readonly number[];
  readonly averageLength: number;
}

/** Scores by BM25: rare words tell more than frequent ones, the second mention less than the first. */
export function bm25(texts: readonly Counted[], { texts: all, holding, averageLength }: Corpus): number[] {
  const weights = holding.map((n) => rarity(all, n));
  return texts.map(({ counts, length }) => {
    const norm = K1 * (1 - B + (B * length) / Math.max(1, averageLength));
    return weights.reduce((sum, weight, n) => {
      return sum + weight * saturated(counts[n] ?? 0, norm);
    }, 0);
  });
}

/** What a word weighs that so many of all texts hold. */
export function rarity(texts: number, holding: number): number {
  return Math.log(1 + (Math.max(texts, holding) - holding + 0.5) / (holding + 0.5));
}

/** What so many mentions count, in a text of usual length if nothing else is said. */
export function saturated(count: number, norm = K1): number {
  return (count * (K1 + 1)) / (count + norm);
}

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
  /** Words that a text need not hold to answer; none if absent. */
  readonly optional?: readonly boolean[];
  /** In how many each word of the question stands; at least in as many as are given here. */
  readonly holding: readonly number[];
  readonly averageLength: number;
}

export interface Score {
  readonly score: number;
  /** Of what the words of the question weigh, the share that the text holds: 1 for all of them. */
  readonly coverage: number;
}

/** Scores by BM25: rare words tell more than frequent ones, the second mention less than the first. */
export function bm25(
  texts: readonly Counted[],
  { texts: all, holding, averageLength, optional = [] }: Corpus,
): Score[] {
  const weights = holding.map((n) => rarity(all, n));
  const asked = weights.filter((_, n) => optional[n] !== true);
  const known = weights.filter((_, n) => optional[n] !== true && (holding[n] ?? 0) > 0);
  // A word that nobody ever wrote says as much as any: it may be a name, or just how this person asks.
  const total = (asked.length * sum(known)) / Math.max(1, known.length);
  return texts.map(({ counts, length }) => {
    const norm = K1 * (1 - B + (B * length) / Math.max(1, averageLength));
    const held = weights.map((weight, n) => ((counts[n] ?? 0) > 0 ? weight : 0));
    const score = sum(held.map((weight, n) => weight * saturated(counts[n] ?? 0, norm)));
    const covered = sum(held.filter((_, n) => optional[n] !== true));
    return { score, coverage: total === 0 ? 0 : Math.min(1, covered / total) };
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

/** What a word weighs that so many of all texts hold. */
export function rarity(texts: number, holding: number): number {
  return Math.log(1 + (Math.max(texts, holding) - holding + 0.5) / (holding + 0.5));
}

/** What so many mentions count, in a text of usual length if nothing else is said. */
export function saturated(count: number, norm = K1): number {
  return (count * (K1 + 1)) / (count + norm);
}

/** How soon a word that is said again counts no more, and how much a long text is held against it. Notes are short. */
const K1 = 1.2;
const B = 0.5;

/** A text, by the words of the question alone. */
export interface Counted {
  /** How often the text contains each of the words. Words in an important field count more. */
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

/** What a text holds of a question. */
export interface Held {
  /** Of what the words of the question weigh, the share that the text holds: 1 for all of them. */
  readonly coverage: number;
  /** What the words weigh that it holds, in words that one text alone has. */
  readonly evidence: number;
}

export interface Score extends Held {
  readonly score: number;
}

/** Scores by BM25: rare words tell more than frequent ones, the second mention less than the first. */
export function bm25(
  texts: readonly Counted[],
  { texts: all, holding, averageLength, optional = [] }: Corpus,
): Score[] {
  const weights = holding.map((n) => rarity(all, n));
  return texts.map(({ counts, length }) => {
    const norm = K1 * (1 - B + (B * length) / Math.max(1, averageLength));
    const score = sum(weights.map((weight, n) => weight * saturated(counts[n] ?? 0, norm)));
    const isHeld = holding.map((_, n) => (counts[n] ?? 0) > 0);
    return { score, ...heldOf(isHeld, { texts: all, holding, optional }) };
  });
}

/** @param isHeld of each word of the question, whether the text has it. */
export function heldOf(
  isHeld: readonly boolean[],
  { texts, holding, optional = [] }: Omit<Corpus, 'averageLength'>,
): Held {
  // A word that no text contains gets the weight of the rarest word: it may be what the question is about.
  const weights = holding.map((n, at) => (optional[at] === true ? 0 : rarity(texts, Math.max(1, n))));
  const total = sum(weights);
  const held = sum(weights.filter((_, n) => isHeld[n] === true));
  return { coverage: total === 0 ? 0 : held / total, evidence: held / rarity(texts, 1) };
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

/** Of what a question's words weigh, the share that a text holds which answers it, as a rule. */
const MOST = 0.65;
/** So much does if it is much in itself: people ask in more words than notes have. */
const [HALF, MUCH] = [0.5, 1.5];

/**
 * Whether a text probably answers, by the words that it holds. Something has words of any question, also of one that nothing
 * answers. The limits were chosen with the questions of `bench -- recall` and of LoCoMo in view.
 */
export function probablyAnswers({ coverage, evidence }: Held): boolean {
  return coverage >= MOST || (coverage >= HALF && evidence >= MUCH);
}

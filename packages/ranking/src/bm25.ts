/**
 * Parameters of BM25: how soon further mentions stop counting, and how much long texts are penalised. Notes are short.
 */
const K1 = 1.2;
const B = 0.5;

/** A text, reduced to the words of the question. */
export interface Counted {
  /** How often the text contains each of the words. Words in an important field count more. */
  readonly counts: readonly number[];
  /** The number of all words in the text. */
  readonly length: number;
}

/** Statistics of all texts. */
export interface Corpus {
  readonly texts: number;
  /** For each word of the question, whether a text need not contain it. If absent, every word counts. */
  readonly optional?: readonly boolean[];
  /** The number of texts that contain each word of the question. It is at least the number among the given texts. */
  readonly holding: readonly number[];
  readonly averageLength: number;
}

/** The extent to which a text contains the words of a question. */
export interface Held {
  /** The share of the question's weight that the text contains; 1 means all words. */
  readonly coverage: number;
  /** The weight of the contained words, in units of a word that only one text contains. */
  readonly evidence: number;
}

export interface Score extends Held {
  readonly score: number;
}

/** Returns BM25 scores: rare words count more than frequent ones, and further mentions count less. */
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

/**
 * Computes which part of a question a text contains.
 *
 * @param isHeld for each word of the question, whether the text contains it.
 */
export function heldOf(
  isHeld: readonly boolean[],
  { texts, holding, optional = [] }: Omit<Corpus, 'averageLength'>,
): Held {
  // A word that no text contains gets the weight of the rarest word, because it may be the subject of the question.
  const weights = holding.map((n, at) => (optional[at] === true ? 0 : rarity(texts, Math.max(1, n))));
  const total = sum(weights);
  const held = sum(weights.filter((_, n) => isHeld[n] === true));
  return { coverage: total === 0 ? 0 : held / total, evidence: held / rarity(texts, 1) };
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

/** Returns the weight of a word that this many of all texts contain. */
export function rarity(texts: number, holding: number): number {
  return Math.log(1 + (Math.max(texts, holding) - holding + 0.5) / (holding + 0.5));
}

/** Returns the value of this many mentions, by default in a text of average length. */
export function saturated(count: number, norm = K1): number {
  return (count * (K1 + 1)) / (count + norm);
}

/** The share of a question's weight that an answer usually contains. */
const MOST = 0.65;
/**
 * A smaller share and the evidence that it needs. It is enough if its words are rare, because people use more words
 * than notes contain.
 */
const [HALF, MUCH] = [0.5, 1.5];

/**
 * Whether a text probably answers the question, judged by its words. Some text contains words of any question, even if
 * none answers it. The limits were chosen with the questions of `bench -- recall` and LoCoMo.
 */
export function probablyAnswers({ coverage, evidence }: Held): boolean {
  return coverage >= MOST || (coverage >= HALF && evidence >= MUCH);
}

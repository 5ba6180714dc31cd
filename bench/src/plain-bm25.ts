/** Implements textbook BM25 for comparison, with unmodified words, k1 1.2 and b 0.75. */
export class PlainBm25 {
  private readonly texts: readonly (readonly string[])[];
  private readonly holding = new Map<string, number>();
  private readonly averageLength: number;

  constructor(texts: readonly string[]) {
    this.texts = texts.map(words);
    for (const text of this.texts) {
      for (const word of new Set(text)) this.holding.set(word, (this.holding.get(word) ?? 0) + 1);
    }
    this.averageLength = this.texts.reduce((sum, text) => sum + text.length, 0) / this.texts.length;
  }

  /** Returns the numbers of the best texts. */
  find(question: string, limit: number): number[] {
    const asked = [...new Set(words(question))];
    return this.texts
      .map((text, n) => ({ n, score: asked.reduce((sum, word) => sum + this.weigh(word, text), 0) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ n }) => n);
  }

  private weigh(word: string, text: readonly string[]): number {
    const count = text.filter((each) => each === word).length;
    const holding = this.holding.get(word) ?? 0;
    const rare = Math.log(1 + (this.texts.length - holding + 0.5) / (holding + 0.5));
    return (rare * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * text.length) / this.averageLength));
  }
}

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

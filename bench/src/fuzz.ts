import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface FuzzOptions {
  /** The number of generated inputs. */
  readonly inputs: number;
  /** The same seed generates the same inputs. */
  readonly seed: number;
  /** The time limit in milliseconds. An answer that takes longer at every attempt is a failure. */
  readonly limitMs: number;
}

export interface FuzzResult {
  /** The first failures, one line each. */
  readonly failures: readonly string[];
  readonly failed: number;
  readonly slowestMs: number;
  /** The input that took the longest time. */
  readonly slowest?: string;
}

/** Feeds unexpected inputs to a part of aish. Every file `NAME.fuzz.ts` in this folder exports `fuzz`. */
export interface Fuzz {
  readonly about: string;
  readonly defaults: FuzzOptions;
  run(options: FuzzOptions): FuzzResult | Promise<FuzzResult>;
}

/** Returns the names that `npm run fuzz -- NAME` accepts. */
export const fuzzNames = (): readonly string[] =>
  readdirSync(fileURLToPath(new URL('.', import.meta.url)))
    .flatMap((file) => /^(.+)\.fuzz\.[jt]s$/.exec(file)?.[1] ?? [])
    .toSorted();

/** Returns pseudo-random numbers in [0, 1) for a seed (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) % 2 ** 32;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

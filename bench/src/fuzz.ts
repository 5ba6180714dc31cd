import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface FuzzOptions {
  /** How many inputs are made. */
  readonly inputs: number;
  /** The same seed makes the same inputs. */
  readonly seed: number;
  /** An answer that takes longer, every time it is asked for, is a failure; milliseconds. */
  readonly limitMs: number;
}

export interface FuzzResult {
  /** What went wrong, one line each; the first ones only. */
  readonly failures: readonly string[];
  readonly failed: number;
  readonly slowestMs: number;
  /** The input that took longest. */
  readonly slowest?: string;
}

/** Feeds something with inputs that nobody thought of. Every file `NAME.fuzz.ts` beside this one exports `fuzz`. */
export interface Fuzz {
  readonly about: string;
  readonly defaults: FuzzOptions;
  run(options: FuzzOptions): FuzzResult | Promise<FuzzResult>;
}

/** The names that `npm run fuzz -- NAME` takes. */
export const fuzzNames = (): readonly string[] =>
  readdirSync(fileURLToPath(new URL('.', import.meta.url)))
    .flatMap((file) => /^(.+)\.fuzz\.[jt]s$/.exec(file)?.[1] ?? [])
    .toSorted();

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) % 2 ** 32;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

import { generator } from '../fuzz.js';

/** A command to run, and its origin. */
export interface Candidate {
  readonly cmd: string;
  readonly source: 'corpus' | 'tricks' | 'options';
  /** The class under which misses are listed. */
  readonly class: string;
  /** The trick or option within that class. Commands of the corpus have none. */
  readonly form: string;
}

/** Makes random choices that depend only on the seed. */
export class Choice {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = generator(seed);
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  pick<T>(list: readonly T[]): T {
    const item = list[Math.floor(this.#random() * list.length)];
    if (item === undefined) throw new Error('truth: nothing to pick from');
    return item;
  }

  shuffled<T>(list: readonly T[]): readonly T[] {
    return list
      .map((item) => [this.#random(), item] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, item]) => item);
  }
}

const MAX_TARGETS = 12;
const FILE_TOOLS = /^(rm|rmdir|unlink|mv|cp|tee|touch|cat|chmod|chown|truncate|shred|gzip|xz|ln)$/;

/** Returns the words of a command that may be paths, so that they can be created. Their number is limited. */
export function targetsOf(command: string): readonly string[] {
  const words = command.split(/[\s;&|<>()"'`=]+/);
  // For git and make, a bare word names something other than a file.
  const isBare = words.some((word) => FILE_TOOLS.test(word)) && !words.some((word) => /^(git|make)$/.test(word));
  const found = new Set<string>();
  for (const raw of words) {
    const word = raw.replace(/^(~|\$HOME|\$\{HOME\})(?=\/)/, '/workspace').replaceAll(/[*?]/g, 'x');
    if (!/^[\w./@+:][\w./@+:-]*$/.test(word) || word.includes('://') || FILE_TOOLS.test(word)) continue;
    // This excludes programs, places that are not files, and new files, which must not exist.
    if (/^(\/(usr|bin|sbin|lib|proc|dev|etc|sys)\b|\/tmp\/new|\.{1,2}\/?$|\/$)/.test(word)) continue;
    if (word.includes('/') || /\.\w{1,6}$/.test(word) || (isBare && /^[a-z]\w*$/i.test(word))) found.add(word);
  }
  return [...found].slice(0, MAX_TARGETS);
}

import { generator } from '../fuzz.js';

/** A command that is to be run, and where it comes from. */
export interface Candidate {
  readonly cmd: string;
  readonly source: 'corpus' | 'tricks' | 'options';
  /** What misses are listed by. */
  readonly class: string;
  /** Which of the ways in that class it is: the trick, the option; none for the corpus. */
  readonly form: string;
}

/** Choices that are the same for the same seed. */
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

/** The words of a command that may be paths, so that they can be made to exist. Bounded. */
export function targetsOf(command: string): readonly string[] {
  const words = command.split(/[\s;&|<>()"'`=]+/);
  // To git and make a bare word is the name of something else.
  const isBare = words.some((word) => FILE_TOOLS.test(word)) && !words.some((word) => /^(git|make)$/.test(word));
  const found = new Set<string>();
  for (const raw of words) {
    const word = raw.replace(/^(~|\$HOME|\$\{HOME\})(?=\/)/, '/workspace').replaceAll(/[*?]/g, 'x');
    if (!/^[\w./@+:][\w./@+:-]*$/.test(word) || word.includes('://') || FILE_TOOLS.test(word)) continue;
    // Programs, places that are no files, and what a text is to make, which must not be there.
    if (/^(\/(usr|bin|sbin|lib|proc|dev|etc|sys)\b|\/tmp\/new|\.{1,2}\/?$|\/$)/.test(word)) continue;
    if (word.includes('/') || /\.\w{1,6}$/.test(word) || (isBare && /^[a-z]\w*$/i.test(word))) found.add(word);
  }
  return [...found].slice(0, MAX_TARGETS);
}

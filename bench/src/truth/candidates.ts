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

/** The words of a command that may be paths, so that they can be made to exist. Bounded. */
export function targetsOf(command: string): readonly string[] {
  const bare =
    /\b(rm|rmdir|unlink|mv|cp|tee|touch|cat|chmod|chown|truncate|shred|gzip|xz|ln)\b/.test(command) &&
    !/\b(git|make)\b/.test(command);
  const found = new Set<string>();
  for (const raw of command.split(/[\s;&|<>()"'`=]+/)) {
    const word = raw
      .replace(/^of=|^if=/, '')
      .replace(/^(~|\$HOME|\$\{HOME\})(?=\/)/, '/workspace')
      .replaceAll(/[*?]/g, 'x');
    if (word === '' || word.startsWith('-') || !/^[\w./@+:-]+$/.test(word) || word.includes('://')) continue;
    // What a text is to make must not be there.
    if (word.startsWith('/tmp/new')) continue;
    if (/^(\/(usr|bin|sbin|lib|proc|dev|etc|sys)\b|\.{1,2}\/?$|\/$)/.test(word)) continue;
    if (word.includes('/') || /\.\w{1,6}$/.test(word) || (bare && /^[a-z]\w*$/i.test(word))) found.add(word);
  }
  return [...found].slice(0, 12);
}

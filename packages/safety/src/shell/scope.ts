import type { Function as FunctionNode } from 'unbash';
import { HOLE } from './command.js';
import type { Source } from './source.js';

export const MAX_ALTERNATIVES = 6;
/** Allows two nested loops of the maximum length. */
export const MAX_COMBINATIONS = MAX_ALTERNATIVES ** 2;
/** Maximum length of a value that is stored, in UTF-16 code units. `a=$a$a` doubles it each time. */
const MAX_VALUE = 4_096;

/** The arguments of a text if nothing shows them. */
export const NOT_TOLD: readonly string[] = [];

/** A name with several values. Its current value is one digit of the number of the combination. */
interface Pick {
  readonly stride: number;
  readonly size: number;
}

/** The state of a shell while it runs a text. It stores every value that a name may have. */
export class Scope {
  readonly #variables = new Map<string, readonly string[]>([['IFS', [' ']]]);
  /** The elements of arrays by their index or key, for arrays whose elements the text lists one by one. */
  readonly arrays = new Map<string, ReadonlyMap<string, string>>();
  readonly functions = new Map<string, { readonly node: FunctionNode; readonly source: Source }>();
  readonly aliases = new Map<string, string>();
  /** Variables that can only hold numbers: `declare -i`. */
  readonly integers = new Set<string>();
  /** Arrays whose subscripts are keys and are not evaluated: `declare -A`. */
  readonly keyed = new Set<string>();
  /** Variables that hold a number because arithmetic assigned it. */
  readonly numbers = new Set<string>();
  /** Whether the text evaluates a variable that it never sets. */
  inherits = false;
  readonly created = new Set<string>();
  readonly fetched = new Set<string>();
  cloned = false;
  noclobber = false;
  /** Greater than 0 inside a part that may or may not run. */
  conditional = 0;
  /** The values of `$1` and so on. The caller of the whole text sets them, so the text does not show them. */
  positional: readonly string[] = NOT_TOLD;
  /** The value of `$0`. */
  self = 'bash';
  /**
   * The number of the current combination, if names have several values. `get` uses it to select a value. `picks` holds
   * the digit of each such name, so that nested loops run with every combination.
   */
  choice = 0;
  picks = new Map<string, Pick>();
  /** How many times a variable got a new value. */
  changes = 0;
  /** The names of the variables that the text sets, in any way. */
  readonly changed = new Set<string>();

  /** Returns the value, or null if this text does not show it. */
  get(name: string): string | null {
    const values = this.#variables.get(name) ?? FROM_ENVIRONMENT[name];
    if (values === undefined) return null;
    const value = values[this.#indexOf(name, values.length)] ?? HOLE;
    return value === HOLE ? null : value;
  }

  /** The number of combinations of all values that were read so far. */
  get combinations(): number {
    return combinationsOf(this.picks);
  }

  #indexOf(name: string, size: number): number {
    const known = this.picks.get(name);
    if (size < 2 && known === undefined) return 0;
    const pick = known ?? { stride: this.combinations, size };
    this.picks.set(name, pick);
    return Math.min(Math.floor(this.choice / pick.stride) % pick.size, size - 1);
  }

  /**
   * Returns all values that the name may have, with HOLE for a value that this text does not show. Undefined if the
   * text never mentions the name.
   */
  values(name: string): readonly string[] | undefined {
    return this.#variables.get(name) ?? FROM_ENVIRONMENT[name];
  }

  set(name: string, ...values: readonly string[]): void {
    this.numbers.delete(name);
    const before = this.conditional > 0 ? (this.#variables.get(name) ?? []) : [];
    const all = [...new Set([...before, ...values.map((value) => (value.length > MAX_VALUE ? HOLE : value))])];
    // HOLE replaces the values that are not stored.
    const now = all.length > MAX_ALTERNATIVES ? [HOLE, ...all.slice(1 - MAX_ALTERNATIVES)] : all;
    this.changed.add(name);
    const elements = this.arrays.get(name);
    // The elements are stored only while they match the value of the name.
    if (elements !== undefined && (now.length > 1 || [...elements.values()].join(' ') !== now[0]))
      this.arrays.delete(name);
    const old = this.#variables.get(name);
    if (old === undefined || now.some((value) => !old.includes(value))) this.changes += 1;
    this.#variables.set(name, now);
  }

  /**
   * Returns the value of one element: null if this text does not show it, undefined if the array's elements are not
   * stored.
   */
  element(name: string, key: string): string | null | undefined {
    const elements = this.arrays.get(name);
    if (elements === undefined) return undefined;
    // A missing element is empty. If an index must be calculated (`-1`, `n-1`), the element is unknown.
    const value = elements.get(key) ?? (/^\d+$/.test(key) ? '' : HOLE);
    return value.includes(HOLE) ? null : value;
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? HOLE : before + value);
  }

  forget(name: string): void {
    this.set(name, HOLE);
  }
}

/** Returns the number of combinations of these values. */
export function combinationsOf(picks: ReadonlyMap<string, Pick>): number {
  return [...picks.values()].reduce((product, { size }) => product * size, 1);
}

/** Variables of every login shell. They are enough to recognize `$SHELL -c` as a shell and `$HOME/x` as a path. */
const FROM_ENVIRONMENT: Readonly<Record<string, readonly string[]>> = Object.assign(Object.create(null), {
  HOME: ['~'],
  PWD: ['.'],
  OLDPWD: ['..'],
  SHELL: ['/bin/bash'],
  BASH: ['/bin/bash'],
  EDITOR: ['vi'],
  PAGER: ['less'],
  TMPDIR: ['/tmp'],
  USER: ['user'],
  LOGNAME: ['user'],
  UID: ['1000'],
  HOSTNAME: ['host'],
  RANDOM: ['1'],
  SECONDS: ['1'],
  LINENO: ['1'],
});

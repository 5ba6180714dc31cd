import type { Function as FunctionNode } from 'unbash';
import { HOLE } from './command.js';
import type { Source } from './source.js';

export const MAX_ALTERNATIVES = 6;
/** Longest value that is kept, UTF-16 code units: `a=$a$a` doubles it each time. */
const MAX_VALUE = 4_096;

/** The arguments of a text that does not tell them. */
export const NOT_TOLD: readonly string[] = [];

/** What a shell remembers while it runs a text, kept so that every value that a name may have is seen. */
export class Scope {
  readonly #variables = new Map<string, readonly string[]>([['IFS', [' ']]]);
  /** The elements of arrays by their index or key, where the text says them one by one. */
  readonly arrays = new Map<string, ReadonlyMap<string, string>>();
  readonly functions = new Map<string, { readonly node: FunctionNode; readonly source: Source }>();
  readonly aliases = new Map<string, string>();
  /** Variables that are only ever given numbers: `declare -i`. */
  readonly integers = new Set<string>();
  /** Arrays whose subscripts are keys, and are not counted with: `declare -A`. */
  readonly keyed = new Set<string>();
  /** Variables that hold a number because arithmetic gave it to them. */
  readonly numbers = new Set<string>();
  /** Something counts with a variable that this text never gives a value. */
  inherits = false;
  readonly created = new Set<string>();
  readonly fetched = new Set<string>();
  cloned = false;
  noclobber = false;
  /** More than 0 inside what may or may not run. */
  conditional = 0;
  /** The values of `$1` and so on. The caller of the whole text sets them, so the text does not show them. */
  positional: readonly string[] = NOT_TOLD;
  /** What `$0` is. */
  self = 'bash';
  /** Which of several values `get` gives; `alternatives` is the most that it had to choose from. */
  choice = 0;
  alternatives = 1;
  /** How often a variable got a value that it did not have. */
  changes = 0;

  /** The value, or null when this text does not say it. */
  get(name: string): string | null {
    const values = this.#variables.get(name) ?? FROM_ENVIRONMENT[name];
    if (values === undefined) return null;
    this.alternatives = Math.max(this.alternatives, values.length);
    const value = values[Math.min(this.choice, values.length - 1)] ?? HOLE;
    return value === HOLE ? null : value;
  }

  /** All values that it may have, HOLE for one that this text does not say; undefined when the text says nothing of it. */
  values(name: string): readonly string[] | undefined {
    return this.#variables.get(name) ?? FROM_ENVIRONMENT[name];
  }

  set(name: string, ...values: readonly string[]): void {
    this.numbers.delete(name);
    const before = this.conditional > 0 ? (this.#variables.get(name) ?? []) : [];
    const now = [...new Set([...before, ...values.map((value) => (value.length > MAX_VALUE ? HOLE : value))])].slice(
      -MAX_ALTERNATIVES,
    );
    const elements = this.arrays.get(name);
    // Kept by elements only as long as they are what the name holds.
    if (elements !== undefined && (now.length > 1 || [...elements.values()].join(' ') !== now[0]))
      this.arrays.delete(name);
    const old = this.#variables.get(name);
    if (old === undefined || now.some((value) => !old.includes(value))) this.changes += 1;
    this.#variables.set(name, now);
  }

  /** The value of one element; null when this text does not say it, undefined when it is not kept by elements. */
  element(name: string, key: string): string | null | undefined {
    const elements = this.arrays.get(name);
    if (elements === undefined) return undefined;
    // What is not there is nothing; an index that is to be worked out (`-1`, `n-1`) is not known.
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

/** What every login shell sets: enough to see that `$SHELL -c` is a shell and that `$HOME/x` is a path. */
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

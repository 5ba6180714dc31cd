import { classify, classifyRecord } from '@aish/safety';
import { CORPUS_SETS, labelledCommands } from '@aish/safety/testing/corpus';
import { MUTATIONS, WHOLE_MUTATIONS, isPlain, isWhole } from '@aish/safety/testing/mutations';
import { generator, type Fuzz, type FuzzOptions, type FuzzResult } from './fuzz.js';

const MAX_LENGTH = 65_536;
const REPORTED = 20;
const PIECES =
  '$( ) ` " \' \\ \n ; | || && & << <<< <<EOF\n EOF\n > >> { } (( )) [[ ]] rm sudo if then fi for in do done while case esac function f() eval exec bash -c python3 -c xargs find -exec \\; $x ${x:-y} $((1)) <( >( {a,b} * ? ~ ! # \t \u0000 é 😀 -rf / = a=b select coproc trap EXIT git push --force docker psql'.split(
    ' ',
  );

export const fuzz: Fuzz = {
  about:
    'random, hostile and mutated texts of up to 64 KB through the classifier: no error, no slow answer, and no mutation ' +
    'that keeps the meaning makes a destructive command safe',
  defaults: { inputs: 100_000, seed: 1, limitMs: 50 },
  run: (options) => new SafetyFuzz(options).run(),
};

const destructiveCommands = (): readonly string[] =>
  CORPUS_SETS.flatMap((set) => labelledCommands(set))
    .filter(({ cmd, label }) => label === 'destructive' && classify(cmd).verdict === 'destructive')
    .map(({ cmd }) => cmd);

class SafetyFuzz {
  readonly #destructive = destructiveCommands();
  readonly #plain = this.#destructive.filter(isPlain);
  readonly #whole = this.#destructive.filter(isWhole);
  readonly #random: () => number;
  readonly #failures: string[] = [];
  #failed = 0;
  #slowestMs = 0;
  #slowest = '';

  constructor(private readonly options: FuzzOptions) {
    this.#random = generator(options.seed);
  }

  run(): FuzzResult {
    for (let at = 0; at < this.options.inputs; at += 1) this.#one(at % 11);
    return { failures: this.#failures, failed: this.#failed, slowestMs: this.#slowestMs, slowest: this.#slowest };
  }

  #one(kind: number): void {
    if (kind < 4) this.#meaningKept(this.#mutate(this.#plain, MUTATIONS));
    else if (kind < 7) this.#meaningKept(this.#mutate(this.#whole, WHOLE_MUTATIONS));
    else if (kind === 7) this.#answered(this.#repeated());
    else if (kind === 8) this.#answered(this.#pieces());
    else if (kind === 9) this.#answered(this.#damaged());
    else this.#recorded();
  }

  /** A line of `aish safety check --stdin`, valid or broken, always gets exactly one answer. */
  #recorded(): void {
    const text = this.#random() < 0.5 ? this.#damaged() : this.#pieces();
    const record =
      this.#random() < 0.5
        ? { id: 1, cmd: text }
        : { id: 1, name: this.#pick(PIECES), args: { [this.#pick(PIECES)]: text } };
    const line = JSON.stringify(record);
    const broken = this.#random() < 0.3 ? line.slice(0, this.#below(line.length)) : line;
    this.#timed(broken, () => classifyRecord(broken).verdict);
  }

  #mutate(commands: readonly string[], mutations: readonly ((command: string, seed: number) => string)[]): string {
    let text = this.#pick(commands);
    for (let times = 1 + this.#below(3); times > 0; times -= 1) text = this.#pick(mutations)(text, this.#below(1_000));
    return text;
  }

  #meaningKept(text: string): void {
    if (this.#answered(text) === 'safe') this.#fail('a mutation made it safe', text);
  }

  #answered(text: string): string | null {
    return this.#timed(text, () => classify(text).verdict);
  }

  #timed(text: string, answer: () => string): string | null {
    const once = (): { readonly verdict: string; readonly tookMs: number; readonly cpuMs: number } => {
      const cpuBefore = process.cpuUsage();
      const before = performance.now();
      const verdict = answer();
      const tookMs = performance.now() - before;
      const { user, system } = process.cpuUsage(cpuBefore);
      return { verdict, tookMs, cpuMs: (user + system) / 1_000 };
    };
    try {
      const { limitMs } = this.options;
      const { verdict, tookMs } = once();
      // One slow run may be due to garbage collection, the compiler or another process. If every run is slow, the text
      // is the cause.
      const provenMs =
        tookMs <= limitMs / 5
          ? tookMs
          : Math.min(tookMs, ...[1, 2, 3].map(() => once()).flatMap((again) => [again.tookMs, again.cpuMs]));
      if (provenMs > this.#slowestMs) {
        this.#slowestMs = provenMs;
        this.#slowest = text;
      }
      if (provenMs > limitMs) this.#fail(`took ${provenMs.toFixed(1)} ms`, text);
      return verdict;
    } catch (error) {
      this.#fail(`threw ${String(error)}`, text);
      return null;
    }
  }

  #repeated(): string {
    const unit = Array.from({ length: 1 + this.#below(4) }, () => this.#pick(PIECES)).join(
      this.#random() < 0.5 ? ' ' : '',
    );
    return `${unit} `.repeat(1 + this.#below(MAX_LENGTH / (unit.length + 1))).slice(0, MAX_LENGTH);
  }

  #pieces(): string {
    return Array.from({ length: this.#below(this.#random() < 0.1 ? 8_000 : 200) }, () => this.#pick(PIECES))
      .join(this.#random() < 0.5 ? ' ' : '')
      .slice(0, MAX_LENGTH);
  }

  /** This is a command from the corpus with a few characters added, removed or swapped. */
  #damaged(): string {
    const chars = Array.from(this.#pick(this.#destructive));
    for (let times = 1 + this.#below(6); times > 0; times -= 1) {
      const at = this.#below(chars.length + 1);
      const added = this.#random() < 0.5 ? this.#pick(PIECES) : String.fromCodePoint(1 + this.#below(0x2ff));
      chars.splice(at, this.#below(3), added);
    }
    return chars
      .join('')
      .repeat(this.#random() < 0.02 ? 1 + this.#below(500) : 1)
      .slice(0, MAX_LENGTH);
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #pick<T>(list: readonly T[]): T {
    const item = list[this.#below(list.length)];
    if (item === undefined) throw new Error('safety fuzz: nothing to pick from');
    return item;
  }

  #fail(what: string, text: string): void {
    this.#failed += 1;
    if (this.#failures.length < REPORTED)
      this.#failures.push(
        `${what}: ${JSON.stringify(text.slice(0, 300))}${text.length > 300 ? ` … (${text.length})` : ''}`,
      );
  }
}

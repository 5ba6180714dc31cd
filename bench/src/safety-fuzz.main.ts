import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { classify } from '@aish/safety';
import { MUTATIONS, WHOLE_MUTATIONS, isPlain, isWhole } from '@aish/safety/testing/mutations';

/**
 * Feeds the classifier random, hostile and mutated texts of up to 64 KB and prints what went wrong: an error, an answer
 * slower than LIMIT_MS, or a mutation that keeps the meaning and made a destructive command safe.
 *
 *   node bench/dist/safety-fuzz.main.js [inputs] [seed]
 */
const LIMIT_MS = 50;
const MAX_LENGTH = 65_536;
const inputs = Number(process.argv[2] ?? 100_000);
const seed = Number(process.argv[3] ?? 1);
const PIECES =
  '$( ) ` " \' \\ \n ; | || && & << <<< <<EOF\n EOF\n > >> { } (( )) [[ ]] rm sudo if then fi for in do done while case esac function f() eval exec bash -c python3 -c xargs find -exec \\; $x ${x:-y} $((1)) <( >( {a,b} * ? ~ ! # \t \u0000 é 😀 -rf / = a=b select coproc trap EXIT git push --force docker psql'.split(
    ' ',
  );

const destructive = ['corpus', 'holdout', 'mixed', 'lines', 'tricks']
  .flatMap((name) =>
    readFileSync(fileURLToPath(import.meta.resolve(`@aish/safety/corpus/${name}.jsonl`)), 'utf8')
      .trim()
      .split('\n'),
  )
  .map((line) => JSON.parse(line) as { readonly cmd: string; readonly label: string })
  .filter(({ cmd, label }) => label === 'destructive' && classify(cmd).verdict === 'destructive')
  .map(({ cmd }) => cmd);
const plain = destructive.filter(isPlain);
const whole = destructive.filter(isWhole);

const random = generator(seed);
const below = (limit: number): number => Math.floor(random() * limit);
const pick = <T>(list: readonly T[]): T => {
  const item = list[below(list.length)];
  if (item === undefined) throw new Error('safety-fuzz: nothing to pick from');
  return item;
};

let failures = 0;
let slowestMs = 0;
for (let at = 0; at < inputs; at += 1) {
  const kind = at % 10;
  if (kind < 4) meaningKept(mutate(plain, MUTATIONS));
  else if (kind < 7) meaningKept(mutate(whole, WHOLE_MUTATIONS));
  else answered(kind === 7 ? repeated() : kind === 8 ? pieces() : damaged());
}
console.log(`${inputs} inputs, seed ${seed}: ${failures} failures, slowest ${slowestMs.toFixed(1)} ms`);
process.exitCode = failures === 0 ? 0 : 1;

function mutate(
  commands: readonly string[],
  mutations: readonly ((command: string, seed: number) => string)[],
): string {
  let text = pick(commands);
  for (let times = 1 + below(3); times > 0; times -= 1) text = pick(mutations)(text, below(1_000));
  return text;
}

function meaningKept(text: string): void {
  if (answered(text) === 'safe') fail('a mutation made it safe', text);
}

function answered(text: string): string | null {
  const before = performance.now();
  try {
    const { verdict } = classify(text);
    const tookMs = performance.now() - before;
    slowestMs = Math.max(slowestMs, tookMs);
    // Slow once may be a collector or a compiler at work; slow every time is the text.
    if (tookMs > LIMIT_MS && again(text) > LIMIT_MS) fail(`took ${tookMs.toFixed(1)} ms`, text);
    return verdict;
  } catch (error) {
    fail(`threw ${String(error)}`, text);
    return null;
  }
}

function again(text: string): number {
  const tookMs = [1, 2].map(() => {
    const before = performance.now();
    classify(text);
    return performance.now() - before;
  });
  return Math.min(...tookMs);
}

function repeated(): string {
  const unit = Array.from({ length: 1 + below(4) }, () => pick(PIECES)).join(random() < 0.5 ? ' ' : '');
  return `${unit} `.repeat(1 + below(MAX_LENGTH / (unit.length + 1))).slice(0, MAX_LENGTH);
}

function pieces(): string {
  return Array.from({ length: below(random() < 0.1 ? 8_000 : 200) }, () => pick(PIECES))
    .join(random() < 0.5 ? ' ' : '')
    .slice(0, MAX_LENGTH);
}

/** A command from the corpus with a few characters added, lost or swapped. */
function damaged(): string {
  const chars = Array.from(pick(destructive));
  for (let times = 1 + below(6); times > 0; times -= 1) {
    const at = below(chars.length + 1);
    chars.splice(at, below(3), random() < 0.5 ? pick(PIECES) : String.fromCodePoint(1 + below(0x2ff)));
  }
  return chars
    .join('')
    .repeat(random() < 0.02 ? 1 + below(500) : 1)
    .slice(0, MAX_LENGTH);
}

function fail(what: string, text: string): void {
  failures += 1;
  if (failures <= 20)
    console.log(`${what}: ${JSON.stringify(text.slice(0, 300))}${text.length > 300 ? ` … (${text.length})` : ''}`);
}

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
function generator(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) % 2 ** 32;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

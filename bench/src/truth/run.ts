import { Arena } from './arena.js';
import { Choice, type Candidate } from './candidates.js';
import { corpusCommands } from './corpus.js';
import { groupBy } from './group-by.js';
import { measure, type Finding, type Gate, type Miss } from './measure.js';
import { minimised } from './minimise.js';
import { optionCommands } from './options.js';
import { plainTricks, tricks } from './tricks.js';

export interface TruthOptions {
  readonly count: number;
  readonly seed: number;
  readonly lanes: number;
  /** No command begins after this time. By default there is no limit. */
  readonly seconds?: number;
  /** The number of classes of misses for which a shortest example is searched. */
  readonly minimise: number;
}

export interface Truth {
  readonly findings: readonly Finding[];
  /** The classes of misses, most frequent first. */
  readonly classes: readonly MissClass[];
  readonly executions: number;
  readonly tookMs: number;
}

interface MissClass {
  readonly name: string;
  readonly count: number;
  readonly shortest: Miss;
  /** The shortest example of each kind of miss. */
  readonly ways: readonly Miss[];
}

/** Runs `count` commands from all sources and reports the wrong verdicts of the gate. */
export async function findTruth(gate: Gate, options: TruthOptions, progress: (line: string) => void): Promise<Truth> {
  const arena = await Arena.open(options.lanes);
  try {
    const candidates = await choose(arena, options);
    progress(`${candidates.length} commands, seed ${options.seed}`);
    const started = performance.now();
    const until = started + (options.seconds ?? Infinity) * 1_000;
    const results = await inLanes(
      candidates,
      options.lanes,
      async (item) => (performance.now() < until ? measure(arena, gate, item) : null),
      progress,
    );
    const findings = results.filter((finding) => finding !== null);
    const tookMs = performance.now() - started;
    const { executions } = arena;
    const misses = findings.flatMap(({ miss }) => (miss === null ? [] : [miss]));
    const classes = byClass(misses);
    const shortened = await inLanes(classes.slice(0, options.minimise), options.lanes, async (item) => ({
      ...item,
      shortest: await minimised(arena, gate, item.shortest),
    }));
    return { findings, classes: [...shortened, ...classes.slice(options.minimise)], executions, tookMs };
  } finally {
    await arena.close();
  }
}

/**
 * Chooses each trick once if there is room, then a third from each source, in random order. Tricks fill up a source
 * that has too few.
 */
async function choose(arena: Arena, { count, seed }: TruthOptions): Promise<readonly Candidate[]> {
  const choice = new Choice(seed);
  const plain = choice.shuffled(plainTricks()).slice(0, Math.ceil(count / 4));
  const rest = Math.floor((count - plain.length) / 3);
  const corpus = choice.shuffled(await corpusCommands(arena)).slice(0, rest);
  const options = choice.shuffled(await optionCommands(arena, choice)).slice(0, rest);
  const chosen = new Map([...plain, ...corpus, ...options].map((item) => [item.cmd, item]));
  for (const item of tricks(choice)) {
    if (chosen.size >= count) break;
    chosen.set(item.cmd, item);
  }
  return [...plain, ...choice.shuffled([...chosen.values()].slice(plain.length))];
}

async function inLanes<T, R>(
  items: readonly T[],
  lanes: number,
  work: (item: T) => Promise<R>,
  progress: (line: string) => void = () => undefined,
): Promise<readonly R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  let done = 0;
  const lane = async (): Promise<void> => {
    for (const [at, item] of waiting) {
      results[at] = await work(item);
      done += 1;
      if (done % 1_000 === 0) progress(`${done} of ${items.length}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

function byClass(misses: readonly Miss[]): readonly MissClass[] {
  const groups = groupBy(misses, (miss) => `${miss.level}: ${miss.class}`);
  return [...groups]
    .map(([name, group]): MissClass => {
      const sorted = group.toSorted((a, b) => a.cmd.length - b.cmd.length);
      const [shortest] = sorted;
      if (shortest === undefined) throw new Error('truth: a class contains no miss');
      const ways = [...groupBy(sorted, ({ source, form, cmd }) => (source === 'corpus' ? cmd : form)).values()];
      return {
        name,
        count: group.length,
        shortest,
        ways: ways.flatMap(([first]) => (first === undefined ? [] : [first])),
      };
    })
    .toSorted((a, b) => b.count - a.count);
}

import { sized, type Benchmark, type Figures } from './benchmark.js';
import { groupBy } from './truth/group-by.js';
import { RULES_ALONE, type Finding, type Miss } from './truth/measure.js';
import { findTruth, type Truth } from './truth/run.js';

const LANES = 6;
const MINIMISED = 60;
const NIGHT = sized(20_000, 50);
const MAX_WAYS = 100;

/**
 * Runs commands for real, finds out from the difference which files they destroyed, and compares that with the gate's
 * verdicts.
 */
export const benchmark: Benchmark = {
  name: 'truth',
  about:
    'commands of the corpus, of a grammar of shell tricks and with every option that programs name in their help, run in ' +
    'containers without a network; a miss is one that the rules alone call safe and that destroyed something, or that is ' +
    'known to only read and changed anything. --count (20000) and --seed (1) choose.',
  goals: { misses: { op: '<=', value: 0 }, read_only_misses: { op: '<=', value: 0 } },
  async run(progress, { count = NIGHT, seed = 1, seconds } = {}) {
    const options = { count, seed, lanes: LANES, minimise: MINIMISED, ...(seconds === undefined ? {} : { seconds }) };
    const truth = await findTruth(RULES_ALONE, options, progress);
    for (const line of report(truth)) progress(line);
    return figures(truth);
  },
};

function figures({ findings, classes, executions, tookMs }: Truth): Figures {
  const number = (matches: (finding: Finding) => boolean): number => findings.filter(matches).length;
  return {
    commands: findings.length,
    executions,
    executions_per_s: executions / (tookMs / 1_000),
    stopped: number(({ rule }) => rule !== null),
    read_only: number(({ isReadOnly }) => isReadOnly),
    untold: number(({ isUntold }) => isUntold),
    documented: number(({ documented }) => documented.length > 0),
    alarms: number(({ isAlarm }) => isAlarm),
    miss_classes: classes.length,
    misses: number(({ miss }) => miss?.level === 'safe'),
    read_only_misses: number(({ miss }) => miss?.level === 'read-only'),
  };
}

/** Yields lines: misses by class, documented changes by row of docs/safety.md, needless questions by rule. */
function* report({ findings, classes }: Truth): Generator<string> {
  for (const { name, count, shortest, ways } of classes) {
    yield `miss, ${name} (${count} in ${ways.length} ways)`;
    yield `    ${line(shortest)}`;
    for (const way of ways.slice(0, MAX_WAYS)) if (way.cmd !== shortest.cmd) yield `    also ${line(way)}`;
  }
  const rows = findings.flatMap(({ candidate, documented }) =>
    [...new Set(documented.map(({ row }) => row))].map((row) => [row, candidate.cmd] as const),
  );
  for (const [row, group] of groupBy(rows, ([name]) => name))
    yield `documented as safe, ${row} (${group.length}): ${shortestOf(group.map(([, cmd]) => cmd))}`;
  const alarms = groupBy(
    findings.filter(({ isAlarm }) => isAlarm),
    ({ rule }) => rule,
  );
  for (const [rule, group] of [...alarms].toSorted(([, a], [, b]) => b.length - a.length))
    yield `alarm, ${rule} (${group.length}): ${shortestOf(group.map(({ candidate }) => candidate.cmd))}`;
}

const line = ({ cmd, effects, state }: Miss): string =>
  `${JSON.stringify(cmd)} -> ${effects
    .slice(0, 2)
    .map(({ kind, how, path, method }) => [kind, how ?? method, path].filter(Boolean).join(' '))
    .join(', ')}${state === 'present' ? '' : ` (${state})`}`;

const shortestOf = (commands: readonly string[]): string =>
  JSON.stringify(commands.toSorted((a, b) => a.length - b.length)[0] ?? '');

/** Figures by name. The unit is the end of the name: `_ms`, `_ratio`, `_per_s`, `_mb`. */
export type Figures = Readonly<Record<string, number>>;

interface Goal {
  readonly op: '<=' | '>=';
  readonly value: number;
}

export interface BenchmarkOptions {
  /** How long, for one that runs for a time rather than for a number of samples. */
  readonly seconds?: number;
  /** How many inputs, for one that makes them. */
  readonly count?: number;
  /** The same seed makes the same inputs. */
  readonly seed?: number;
  /** What it reads, for one that reads what is not part of the project. */
  readonly folder?: string;
}

/** One benchmark: what it measures, and beside it what it must reach. */
export interface Benchmark {
  readonly name: string;
  /** What is measured against what, in one or two sentences. */
  readonly about: string;
  /** Goals are on ratios within one run wherever they can be: machines differ, ratios less. */
  readonly goals: Readonly<Record<string, Goal>>;
  run(progress: (line: string) => void, options?: BenchmarkOptions): Promise<Figures>;
}

export interface Report {
  readonly name: string;
  readonly figures: Figures;
  readonly goals: Readonly<Record<string, Goal>>;
  readonly pass: boolean;
}

/** Whether the command asks for a run that only shows that the benchmark runs. */
export const isQuick = process.argv.includes('--quick');

/** A number of a load, and what it is in a quick run: all of that takes less than a minute. */
export function sized(whole: number, quick: number): number {
  return isQuick ? quick : whole;
}

/** A goal on a figure that was not measured is missed. */
function meets(goal: Goal, figure: number | undefined): boolean {
  if (figure === undefined || !Number.isFinite(figure)) return false;
  return goal.op === '<=' ? figure <= goal.value : figure >= goal.value;
}

/** @param isQuickRun its figures say nothing about speed: a goal is only missed where there is no figure. */
export function report({ name, goals: all }: Benchmark, figures: Figures, isQuickRun = false): Report {
  const rounded = Object.fromEntries(
    Object.entries(figures).map(([key, value]) => [key, Number(value.toPrecision(4))]),
  );
  const isJudged = (key: string) => !isQuickRun || !Number.isFinite(rounded[key]);
  const goals = Object.fromEntries(Object.entries(all).filter(([key]) => isJudged(key)));
  const pass = Object.entries(goals).every(([key, goal]) => meets(goal, rounded[key]));
  return { name, figures: rounded, goals, pass };
}

/** The report as a table for people. */
export function table({ figures, goals, pass }: Report): string {
  const width = Math.max(
    ...Object.keys(figures).map((key) => key.length),
    ...Object.keys(goals).map((key) => key.length),
  );
  const keys = [...new Set([...Object.keys(figures), ...Object.keys(goals)])];
  const lines = keys.map((key) => {
    const goal = goals[key];
    const figure = figures[key];
    const verdict =
      goal === undefined ? '' : `${meets(goal, figure) ? 'ok    ' : 'MISSED'} goal ${goal.op} ${goal.value}`;
    return `${key.padEnd(width)}  ${String(figure ?? '-').padStart(10)}  ${verdict}`.trimEnd();
  });
  if (Object.keys(goals).length === 0) return lines.join('\n');
  return [...lines, pass ? 'all goals met' : 'NOT all goals met'].join('\n');
}

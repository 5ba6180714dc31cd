/** Figures by name. The name ends with the unit: `_ms`, `_ratio`, `_per_s`, `_mb`. */
export type Figures = Readonly<Record<string, number>>;

interface Goal {
  readonly op: '<=' | '>=';
  readonly value: number;
}

export interface BenchmarkOptions {
  /** The duration, for benchmarks that run for a time rather than for a number of samples. */
  readonly seconds?: number;
  /** The number of inputs, for benchmarks that generate them. */
  readonly count?: number;
  /** The seed of generated inputs. The same seed generates the same inputs. */
  readonly seed?: number;
  /** The input folder, for benchmarks that read data outside the project. */
  readonly folder?: string;
}

/** A benchmark, with the things that it measures and the goals that it must meet. */
export interface Benchmark {
  readonly name: string;
  /** The things that are compared, in one or two sentences. */
  readonly about: string;
  /** The goals. They are ratios within one run if possible, because ratios differ less between machines. */
  readonly goals: Readonly<Record<string, Goal>>;
  run(progress: (line: string) => void, options?: BenchmarkOptions): Promise<Figures>;
}

export interface Report {
  readonly name: string;
  readonly figures: Figures;
  readonly goals: Readonly<Record<string, Goal>>;
  readonly pass: boolean;
}

/** Whether the run should only show that the benchmarks work. */
export const isQuick = process.argv.includes('--quick');

/** Returns the size of a load, for a normal and for a quick run. A whole quick run takes less than a minute. */
export function sized(whole: number, quick: number): number {
  return isQuick ? quick : whole;
}

/** Returns whether a figure meets a goal. A goal whose figure was not measured is missed. */
function meets(goal: Goal, figure: number | undefined): boolean {
  if (figure === undefined || !Number.isFinite(figure)) return false;
  return goal.op === '<=' ? figure <= goal.value : figure >= goal.value;
}

/** @param isQuickRun the figures say nothing about speed, and a goal is missed only if its figure is missing */
export function report({ name, goals: all }: Benchmark, figures: Figures, isQuickRun = false): Report {
  const rounded = Object.fromEntries(
    Object.entries(figures).map(([key, value]) => [key, Number(value.toPrecision(4))]),
  );
  const isJudged = (key: string) => !isQuickRun || !Number.isFinite(rounded[key]);
  const goals = Object.fromEntries(Object.entries(all).filter(([key]) => isJudged(key)));
  const pass = Object.entries(goals).every(([key, goal]) => meets(goal, rounded[key]));
  return { name, figures: rounded, goals, pass };
}

/** Returns the report as a table for people. */
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

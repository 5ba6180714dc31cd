import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A boundary that the driver of a goal passed. */
export interface Passed {
  readonly boundary: string;
  readonly goalId: string;
  readonly pid: number;
  /** Milliseconds since the epoch, with fractions. */
  readonly at: number;
}

/** All that workers have written so far, by goal, in order. */
export function readPassed(dir: string): ReadonlyMap<string, readonly Passed[]> {
  const all = readdirSync(dir)
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) => readFileSync(join(dir, file), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as Passed)
    .toSorted((a, b) => a.at - b.at);
  const byGoal = new Map<string, Passed[]>();
  for (const each of all) byGoal.set(each.goalId, [...(byGoal.get(each.goalId) ?? []), each]);
  return byGoal;
}

/** An interval on the clock of the machine. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Time of each step that neither model nor sandbox had: from one question to the next, less what the endpoint itself saw of
 * the question and the driver of its command.
 */
export function overheads(passed: readonly Passed[], asked: readonly Span[]): readonly number[] {
  const begins = passed.filter(({ boundary }) => boundary === 'ask.before');
  return begins.slice(1).map(({ at: to }, n) => {
    const from = begins[n]?.at ?? to;
    const inModel = sum(asked.filter((span) => span.from >= from && span.from < to));
    const started = passed.find((each) => each.boundary === 'run.before' && each.at >= from && each.at < to);
    const ended = passed.find((each) => each.boundary === 'run.after' && each.at >= from && each.at < to);
    if (started === undefined || ended === undefined) throw new Error('norris: a step without a command');
    return to - from - inModel - (ended.at - started.at);
  });
}

function sum(spans: readonly Span[]): number {
  return spans.reduce((total, { from, to }) => total + (to - from), 0);
}

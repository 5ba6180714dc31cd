import type { JobResult } from './result.js';

/** The figures of several jobs. Rates are shares of the played jobs. */
export interface Summary {
  readonly jobs: number;
  readonly solved: number;
  readonly wrong: number;
  readonly verified: number;
  readonly needed: number;
  readonly needless: number;
  readonly refused: number;
  readonly lost: number;
  readonly lostUnasked: number;
  readonly secretsSeen: number;
  readonly steps: number;
  readonly commands: number;
  readonly tokensRead: number;
  readonly tokensWritten: number;
  readonly tokensAgain: number;
  readonly seconds: number;
}

const ADDED = [
  'needed', 'needless', 'refused', 'lost', 'lostUnasked', 'secretsSeen', 'steps', 'commands',
  'tokensRead', 'tokensWritten', 'tokensAgain',
] as const; // prettier-ignore

export function summaryOf(results: readonly JobResult[]): Summary {
  const sum = (key: (typeof ADDED)[number]) => results.reduce((total, each) => total + each[key], 0);
  return {
    jobs: results.length,
    solved: results.filter(({ solved }) => solved).length,
    wrong: results.filter(({ wrong }) => wrong).length,
    verified: results.filter(({ verified }) => verified).length,
    ...(Object.fromEntries(ADDED.map((key) => [key, sum(key)])) as Record<(typeof ADDED)[number], number>),
    seconds: Math.round(results.reduce((total, { wallMs }) => total + wallMs, 0) / 100) / 10,
  };
}

/** Returns the kinds in order, each with its results. The empty name stands for all kinds. */
export function byKind(results: readonly JobResult[]): readonly (readonly [string, readonly JobResult[]])[] {
  const kinds = [...new Set(results.map(({ kind }) => kind))].toSorted();
  return [...kinds.map((kind) => [kind, results.filter((each) => each.kind === kind)] as const), ['all', results]];
}

const COLUMNS: readonly (readonly [string, (summary: Summary) => string])[] = [
  ['jobs', ({ jobs }) => String(jobs)],
  ['solved', ({ solved }) => String(solved)],
  ['said done, was not', ({ wrong }) => String(wrong)],
  ['asked: needed', ({ needed }) => String(needed)],
  ['needless', ({ needless }) => String(needless)],
  ['refused', ({ refused }) => String(refused)],
  ['lost', ({ lost }) => String(lost)],
  ['unasked', ({ lostUnasked }) => String(lostUnasked)],
  ['secrets seen', ({ secretsSeen }) => String(secretsSeen)],
  ['steps', ({ steps }) => String(steps)],
  ['tokens read', ({ tokensRead }) => String(tokensRead)],
  ['again', ({ tokensAgain }) => String(tokensAgain)],
  ['written', ({ tokensWritten }) => String(tokensWritten)],
  ['seconds', ({ seconds }) => String(seconds)],
];

/** Returns the header and the rows: one for each kind, and one for all kinds. */
export function tableOf(results: readonly JobResult[]): readonly (readonly string[])[] {
  const rows = byKind(results).map(([kind, each]) => [kind, ...COLUMNS.map(([, show]) => show(summaryOf(each)))]);
  return [['kind', ...COLUMNS.map(([name]) => name)], ...rows];
}

export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

export function markdown([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Compares two runs: each figure, and the jobs with different results. */
export function comparison(a: readonly JobResult[], b: readonly JobResult[]): readonly (readonly string[])[] {
  const [before, after] = [summaryOf(a), summaryOf(b)];
  const figures = (Object.keys(before) as (keyof Summary)[]).map((key) => {
    const change = Math.round((after[key] - before[key]) * 10) / 10;
    return [key, String(before[key]), String(after[key]), change > 0 ? `+${change}` : String(change)];
  });
  return [['figure', 'first', 'second', 'change'], ...figures];
}

/** Returns the jobs that only one of the runs solved. */
export function turned(a: readonly JobResult[], b: readonly JobResult[]): readonly string[] {
  const share = (results: readonly JobResult[], job: string) => {
    const played = results.filter((each) => each.job === job);
    return played.length === 0 ? null : played.filter(({ solved }) => solved).length / played.length;
  };
  return [...new Set([...a, ...b].map(({ job }) => job))].flatMap((job) => {
    const [first, second] = [share(a, job), share(b, job)];
    if (first === null || second === null || first === second) return [];
    return [`${job}: solved ${Math.round(first * 100)} % before, ${Math.round(second * 100)} % now`];
  });
}

import { plural } from '@aish/contracts/plural';
/** Decisions that wait for a person, and goals that ended since a time. Only the newest are named. */
export interface Work {
  readonly waiting: {
    readonly count: number;
    readonly named: readonly { readonly number: number; readonly goal: number | null }[];
  };
  readonly ended: readonly { readonly state: string; readonly count: number; readonly named: readonly number[] }[];
}

/** Returns at most two lines. A brief shows only numbers, because one command shows the text of a goal. */
export function workLines({ waiting, ended }: Work, since: Date): readonly string[] {
  const decisions = waiting.named.map(({ number, goal }) => `d${number}${goal === null ? '' : ` of g${goal}`}`);
  const goals = ended.map(({ state, count, named }) => {
    const all = listOf(
      named.map((number) => `g${number}`),
      count,
    );
    return `${count} ${state} (${all})`;
  });
  const wait = `${plural(waiting.count, 'decision is', 'decisions are')} waiting for your verdict`;
  return [
    ...(waiting.count === 0 ? [] : [`${wait}: ${listOf(decisions, waiting.count)}.`]),
    ...(goals.length === 0 ? [] : [`Goals that ended since ${dateOf(since)}: ${goals.join(', ')}.`]),
  ];
}

function listOf(named: readonly string[], count: number): string {
  return [...named, ...(count > named.length ? [`and ${count - named.length} more`] : [])].join(', ');
}

function dateOf(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

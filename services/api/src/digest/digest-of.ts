import { DIGEST_NAMES_MAX, type Digest } from '@aish/contracts/digest';
import { Verdict } from '@aish/contracts/decisions';
import type { DigestRows } from '@aish/database/digest.repository';

const FAILED: readonly string[] = ['failed', 'blocked', 'stalled', 'exhausted'];
const WAITING: readonly string[] = ['halted', 'paused', 'waiting'];

/** A digest of the rows of a period. Pure. */
export function digestOf({ goals, halts, effects, hosts, models }: DigestRows, from: Date, to: Date): Digest {
  const settled = halts.filter(({ wasSettled }) => wasSettled);
  const told = models.flatMap(({ energyJ }) => (energyJ === null ? [] : [energyJ]));
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    goals: {
      verified: named(goals.filter(({ state, verified }) => state === 'done' && verified)),
      done: named(goals.filter(({ state, verified }) => state === 'done' && !verified)),
      failed: named(goals.filter(({ state }) => FAILED.includes(state))),
      aborted: named(goals.filter(({ state }) => state === 'aborted')),
      waiting: named(goals.filter(({ state }) => WAITING.includes(state))),
    },
    halts: {
      asked: halts.filter(({ wasAsked }) => wasAsked).length,
      answered: answersOf(settled),
      withdrawn: settled.filter(({ state }) => state === 'withdrawn').length,
      medianMs: median(settled.flatMap(({ verdict, waitedMs }) => (verdict === null ? [] : (waitedMs ?? [])))),
      open: openOf(halts),
    },
    effects,
    hosts: hostsOf(hosts),
    tokens: models.map(({ preset, read, written }) => ({ preset, read, written })),
    energyJ: told.length === 0 ? null : told.reduce((sum, each) => sum + each, 0),
  };
}

function named(goals: DigestRows['goals']): Digest['goals']['done'] {
  const some = goals.slice(0, DIGEST_NAMES_MAX);
  return { count: goals.length, named: some.map(({ number, text, state }) => ({ number, text, state })) };
}

function answersOf(settled: DigestRows['halts']): Digest['halts']['answered'] {
  const counts = Verdict.options.map((verdict) => [verdict, settled.filter((halt) => halt.verdict === verdict).length]);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0)) as Digest['halts']['answered'];
}

function openOf(halts: DigestRows['halts']): Digest['halts']['open'] {
  const open = halts.filter(({ state }) => state === 'pending');
  const some = open.slice(0, DIGEST_NAMES_MAX);
  return { count: open.length, named: some.map(({ number, goal, action }) => ({ number, goal, action })) };
}

function hostsOf(rows: DigestRows['hosts']): Digest['hosts'] {
  const all = [...new Set(rows.map(({ host }) => host))].map((host) => {
    const of = rows.filter((row) => row.host === host);
    return {
      host,
      commands: of.reduce((sum, { commands }) => sum + commands, 0),
      refused: of.reduce((sum, { refused }) => sum + refused, 0),
      goals: of.flatMap(({ goal }) => goal ?? []).slice(0, DIGEST_NAMES_MAX),
    };
  });
  const sorted = all.toSorted((a, b) => b.commands - a.commands);
  return { count: all.length, named: sorted.slice(0, DIGEST_NAMES_MAX) };
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[half]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

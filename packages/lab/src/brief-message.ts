import type { Finding } from './findings.js';

const LINES_MAX = 12;
/** A week, less the hour that a change of the clocks takes from it. */
const WEEK_MS = 7 * 86_400_000 - 2 * 3_600_000;

/** A message to people. */
export interface BriefMessage {
  readonly told: 'quiet' | 'findings';
  readonly title: string;
  readonly lines: readonly string[];
}

/**
 * Whether the look of a morning is worth a message: if something is wrong, and once a week in any case, so that silence means
 * that all is well.
 * @param lines of the brief, as a screen shows it
 * @param quietAt when the last message said that all is quiet
 */
export function briefMessage(
  all: readonly Finding[],
  lines: readonly string[],
  quietAt: Date | null,
  now: Date,
): BriefMessage | null {
  const [title = '', ...rest] = lines;
  if (all.some(({ muted }) => !muted)) {
    const more = rest.length - LINES_MAX;
    const cut = [...rest.slice(0, LINES_MAX), ...(more > 0 ? [`and ${more} more: aish brief --kept`] : [])];
    return { told: 'findings', title, lines: cut };
  }
  // A last time in the future was written by a clock that was wrong.
  if (quietAt !== null && Math.abs(now.getTime() - quietAt.getTime()) < WEEK_MS) return null;
  return { told: 'quiet', title, lines: rest };
}

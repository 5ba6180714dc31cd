import type { Finding } from './findings.js';

const LINES_MAX = 12;
/** A week in milliseconds, minus a tolerance for the hour that a clock change takes from it. */
const WEEK_MS = 7 * 86_400_000 - 2 * 3_600_000;

/** A message about the brief for people. */
export interface BriefMessage {
  readonly kind: 'quiet' | 'findings';
  readonly title: string;
  readonly lines: readonly string[];
}

/**
 * Decides whether the result of a morning needs a message. It does if something is wrong, and once a week in any case,
 * so that silence means that all is well.
 *
 * @param lines the lines of the brief, as a screen shows them
 * @param quietAt the time of the last message that said that all is quiet
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
    return { kind: 'findings', title, lines: cut };
  }
  // If the last time is in the future, the clock was wrong.
  if (quietAt !== null && Math.abs(now.getTime() - quietAt.getTime()) < WEEK_MS) return null;
  return { kind: 'quiet', title, lines: rest };
}

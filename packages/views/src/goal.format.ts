import type { Action, RunOutcome } from '@aish/contracts/actions';
import { effectsLine } from '@aish/contracts/effect-lines';
import type { Goal, GoalState, Usage } from '@aish/contracts/goals';
import { oneLine } from './sanitise.js';
import type { Style } from './line.js';
import { formatDuration } from './duration.format.js';

interface StateLook {
  readonly symbol: string;
  readonly style: Style;
}

const LOOKS: Readonly<Record<GoalState, StateLook>> = {
  queued: { symbol: '○', style: 'dim' },
  running: { symbol: '●', style: 'accent' },
  halted: { symbol: '■', style: 'alarm' },
  paused: { symbol: '‖', style: 'warn' },
  waiting: { symbol: '◌', style: 'warn' },
  done: { symbol: '✓', style: 'good' },
  blocked: { symbol: '✗', style: 'warn' },
  stalled: { symbol: '~', style: 'warn' },
  aborted: { symbol: '×', style: 'dim' },
  exhausted: { symbol: '∎', style: 'warn' },
  failed: { symbol: '!', style: 'bad' },
};

/**
 * Returns the symbol and style of a state. The word is always beside them, so that the meaning needs neither colour nor
 * glyph.
 */
export function stateLook(state: GoalState): StateLook {
  return LOOKS[state];
}

/** Formats the steps of a goal: `3/16`. */
export function formatSteps({ stepsTaken, stepBudget }: Pick<Goal, 'stepsTaken' | 'stepBudget'>): string {
  return `${stepsTaken}/${stepBudget}`;
}

/** Returns details of a goal's state; '' if there are none. */
export function stateDetail(goal: Pick<Goal, 'state' | 'reason' | 'waitingFor' | 'summary'>): string {
  if (goal.state === 'waiting') {
    return [goal.waitingFor === null ? '' : `for the ${goal.waitingFor}`, oneLine(goal.reason ?? '')]
      .filter((part) => part !== '')
      .join(': ');
  }
  return oneLine(goal.summary ?? goal.reason ?? '');
}

/** Says how a command ended and how long it took: `exit 0 · 0.3 s`, `killed: out of memory · 2.1 s`. */
export function formatOutcome(outcome: RunOutcome): { readonly text: string; readonly isGood: boolean } {
  const effects = outcome.effects === undefined ? '' : effectsLine(outcome.effects);
  return {
    text: `${howItEnded(outcome)} · ${formatDuration(outcome.durationMs)}${effects === '' ? '' : ` · ${effects}`}`,
    isGood: outcome.exitCode === 0 && !outcome.timedOut && !outcome.cancelled && !outcome.outOfMemory,
  };
}

/** Says how an action ended, and returns its output or answer. */
export function formatEnding({ outcome, result }: Pick<Action, 'outcome' | 'result'>): {
  readonly text: string;
  readonly isGood: boolean;
  readonly output: string;
  readonly omittedBytes: number;
} {
  if (outcome !== null) {
    const { output, omittedBytes } = outcome;
    return { ...formatOutcome(outcome), output, omittedBytes };
  }
  const { text: output = '', isError = false, omittedBytes = 0 } = result ?? {};
  return { text: isError ? 'error' : 'answered', isGood: !isError, output, omittedBytes };
}

function howItEnded({ exitCode, signal, outOfMemory, timedOut, cancelled }: RunOutcome): string {
  const signalled = signal === null ? '' : ` (${oneLine(signal)})`;
  if (cancelled) return `cancelled${signalled}`;
  if (timedOut) return `timed out${signalled}`;
  if (outOfMemory) return `killed: out of memory${signalled}`;
  if (exitCode === null) return `killed${signalled}`;
  return `exit ${exitCode}${signalled}`;
}

/**
 * Formats the usage as far as the endpoint reports it: `1 240 tokens read (1 100 from cache), 85 written`; '' if it
 * reports nothing.
 */
export function formatUsage(usage: Usage | null): string {
  if (usage === null) return '';
  const cached = usage.cachedTokens === null ? '' : ` (${usage.cachedTokens} cached)`;
  return [
    usage.promptTokens === null ? '' : `${usage.promptTokens} tokens read${cached}`,
    usage.completionTokens === null ? '' : `${usage.completionTokens} written`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

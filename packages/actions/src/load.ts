import { ActionState, RunOutcome, actionText } from '@aish/contracts/actions';
import { newestStep, pendingOf, recentActions, toActionRequest, type ActionRow } from '@aish/database/steps.repository';
import type { Tx } from '@aish/database/tx';
import type { Action } from './action.js';
import { hasWritten } from './life/end-action.js';
import { RECENT_MAX, type RecentAction } from './life/repeats.js';

/** The newest step of a session, read from its rows, and its recent actions. The result is the same after any crash. */
export interface LoadedStep {
  readonly n: number;
  readonly answered: boolean;
  /** The text that the model wrote in the step. */
  readonly text: string;
  readonly goalLine: unknown;
  readonly actions: readonly Action[];
}

export async function loadStep(tx: Tx, sessionId: string): Promise<LoadedStep | null> {
  const newest = await newestStep(tx, sessionId);
  if (newest === null) return null;
  const { n, answered_at: answeredAt, text, goal_line: goalLine } = newest.step;
  const actions = newest.actions.map(toAction);
  return { n, answered: answeredAt !== null, text: text ?? '', goalLine, actions };
}

/**
 * Loads the newest ended actions, oldest first.
 *
 * @param fromStep omits actions of earlier steps.
 */
export async function loadRecent(tx: Tx, sessionId: string, fromStep = 1): Promise<readonly RecentAction[]> {
  const recent = await recentActions(tx, sessionId, RECENT_MAX, fromStep);
  return recent.map(({ request, digest, startedAt, endedAt, outcome }) => ({
    what: actionText(request),
    answer: digest,
    ...(startedAt === null || endedAt === null ? {} : { when: { from: startedAt.getTime(), to: endedAt.getTime() } }),
    ...(hasWritten(Did.parse(outcome ?? {})) ? { wrote: true } : {}),
  }));
}

const Did = RunOutcome.pick({ effects: true, held: true });

function heldOf({ state, outcome }: ActionRow): Pick<Action, 'held'> {
  if (outcome === null || (state !== 'halted' && state !== 'approved')) return {};
  const { held, ...rest } = RunOutcome.parse(outcome);
  return held === undefined ? {} : { held: { ...rest, held } };
}

function toAction(row: ActionRow): Action {
  const pending = pendingOf(row);
  const passed = row.outcome === null ? null : RunOutcome.parse(row.outcome).exitCode === 0;
  return {
    ...toActionRequest(row),
    id: row.id,
    state: ActionState.parse(row.state),
    ...(passed === null ? {} : { passed }),
    ...heldOf(row),
    ...(pending === null ? {} : { pending }),
  };
}

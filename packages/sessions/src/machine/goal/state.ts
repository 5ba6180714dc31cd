import type { RecentAction } from '@aish/actions';
import type { GoalState } from '@aish/contracts/goals';
import type { SessionMachine, SessionStep } from '../session.js';

/**
 * The state of a goal in the step machine. The runner builds it from rows, and gets the same result after any crash.
 */
export interface GoalMachine extends SessionMachine {
  readonly state: GoalState;
  readonly stepBudget: number;
  /** The number of answers of the model so far. */
  readonly stepsTaken: number;
  /** The token limit; null if there is none. */
  readonly tokenBudget: number | null;
  readonly tokensUsed: number;
  /** The time limit in milliseconds; null if there is none. */
  readonly timeBudgetMs: number | null;
  readonly activeMs: number;
  /** Whether the model has just been asked to answer the goal in words. */
  readonly nudged: boolean;
  /** Set while the goal changes nothing, because nobody has accepted its plan. */
  readonly awaitsPlan?: true;
  /** The command that proves the goal. */
  readonly verify: string | null;
  readonly verified: boolean;
  readonly checksFailed: number;
  /** The number of useless answers in a row: cut off, without an action, or with invalid calls. */
  readonly malformed: number;
  /** The number of answers in a row that only called tools. */
  readonly toolDepth: number;
  /** The number of unexpected errors in a row. */
  readonly failures: number;
  /** Set if a person has written something that the model has not read yet. The goal then neither ends nor asks. */
  readonly hasUnheard?: boolean;
  /** The newest actions and their results, oldest first. */
  readonly recent: readonly RecentAction[];
  /** The newest step. */
  readonly step: SessionStep | null;
}

/** The state of a new goal. */
export const NEW_GOAL: Omit<GoalMachine, 'stepBudget'> = {
  state: 'queued',
  stepsTaken: 0,
  tokenBudget: null,
  tokensUsed: 0,
  timeBudgetMs: null,
  activeMs: 0,
  nudged: false,
  verify: null,
  verified: false,
  checksFailed: 0,
  malformed: 0,
  toolDepth: 0,
  failures: 0,
  recent: [],
  step: null,
};

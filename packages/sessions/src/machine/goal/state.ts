import type { Recent } from '@aish/actions';
import type { GoalState } from '@aish/contracts/goals';
import type { SessionMachine, SessionStep } from '../session.js';

/** What the step machine knows of a goal. Made of rows by the driver; the same after any crash. */
export interface GoalMachine extends SessionMachine {
  readonly state: GoalState;
  readonly stepBudget: number;
  /** Answers of the model so far. */
  readonly stepsTaken: number;
  /** Null: unbounded. */
  readonly tokenBudget: number | null;
  readonly tokensUsed: number;
  /** Milliseconds; null: unbounded. */
  readonly timeBudgetMs: number | null;
  readonly activeMs: number;
  /** Whether the model has just been asked to answer the goal in words. */
  readonly nudged: boolean;
  /** The command that proves the goal. */
  readonly verify: string | null;
  readonly verified: boolean;
  readonly checksFailed: number;
  /** Answers in a row that lead nowhere: cut off, without an action, or with calls that could not be made. */
  readonly malformed: number;
  /** Answers in a row that only called tools. */
  readonly toolDepth: number;
  /** Errors in a row that nobody foresaw. */
  readonly failures: number;
  /** The newest actions and what came of them, oldest first. */
  readonly recent: readonly Recent[];
  /** The newest step. */
  readonly step: SessionStep | null;
}

/** A goal that has just been given. */
export const FRESH: Omit<GoalMachine, 'stepBudget'> = {
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

import type { ActionRequest, ActionState, GoalState, PendingInput } from '@aish/contracts';
import type { GoalLine } from '@aish/conversation';
import type { Recent } from './repeats.js';

/** What the step machine knows of a goal. Made of rows by the driver; the same after any crash. */
export interface GoalMachine {
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
  /** Whether the model has just been reminded to act. */
  readonly nudged: boolean;
  /** The command that proves the goal. */
  readonly verify: string | null;
  readonly verified: boolean;
  readonly checksFailed: number;
  /** Answers in a row whose tool calls could not be made. */
  readonly malformed: number;
  /** Answers in a row that only called tools. */
  readonly toolDepth: number;
  /** Errors in a row that nobody foresaw. */
  readonly failures: number;
  /** The newest actions and what came of them, oldest first. */
  readonly recent: readonly Recent[];
  /** The newest step. */
  readonly step: MachineStep | null;
}

export interface MachineStep {
  readonly n: number;
  readonly answered: boolean;
  readonly goalLine: GoalLine | null;
  readonly actions: readonly MachineAction[];
}

export type MachineAction = ActionRequest & {
  readonly id: string;
  readonly state: ActionState;
  /** Of a check that has run: whether it exited 0. */
  readonly passed?: boolean;
  /** Of a call that ended with questions for now: these, and the answers so far. */
  readonly pending?: PendingInput;
};

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

const ENDED: ReadonlySet<ActionState> = new Set(['finished', 'skipped', 'lost']);

/** Whether nothing more becomes of an action. */
export function hasEnded({ state }: MachineAction): boolean {
  return ENDED.has(state);
}

/** Whether a call is under way, whose server may have a question open. */
export function isCalling({ step }: GoalMachine): boolean {
  return step?.actions.some(({ kind, state }) => kind === 'tool' && state === 'started') ?? false;
}

/** The action whose turn it is. */
export function headOf(machine: GoalMachine): MachineAction | undefined {
  return machine.step?.actions.find((action) => !hasEnded(action));
}

/** The action whose turn it is, if it is this one in this state: actions go in order, so no other may change. */
export function find(machine: GoalMachine, actionId: string, state: ActionState): MachineAction | null {
  const head = headOf(machine);
  return head?.id === actionId && head.state === state ? head : null;
}

export function changeAction(
  machine: GoalMachine,
  actionId: string,
  change: {
    readonly state: ActionState;
    readonly passed?: boolean;
    readonly pending?: PendingInput;
    readonly request?: ActionRequest;
  },
): GoalMachine {
  if (machine.step === null) return machine;
  const { request, ...rest } = change;
  const actions = machine.step.actions.map((action) =>
    action.id === actionId ? { ...action, ...request, ...rest } : action,
  );
  return { ...machine, step: { ...machine.step, actions } };
}

import { askNeed, closed, headOf, isCalling, next, noted, told } from '@aish/actions';
import {
  checkAcceptedTurn,
  checkFailedTurn,
  checkLostTurn,
  checkTakenTurn,
  notCompleteTurn,
  nudgeTurn,
} from '@aish/conversation';
import { QUESTION_REQUEST } from '@aish/contracts/decisions';
import type { Advance, GoalRecord } from './events.js';
import { GOAL_POLICY, setGoal } from './policy.js';
import type { GoalMachine } from './state.js';

/** A check that fails more often ends the goal. */
export const CHECKS_MAX = 3;
/** Answers in a row that only call tools; more end the goal. Source: Phase 2 manifest, depth of the tool loop. */
const TOOL_DEPTH_MAX = 64;
/** Goes on until there is something to do in the world. */
export function goOn(machine: GoalMachine, records: readonly GoalRecord[]): Advance {
  const { step } = machine;
  if (step === null) return startStep(machine, records);
  if (!step.answered) return { machine, records, effect: { type: 'ask' } };
  const head = headOf(machine);
  if (head !== undefined) return next(machine, head, records, GOAL_POLICY);

  // A GOAL: line takes effect after the actions of its answer. Source: Phase 3 manifest, Q25.
  switch (step.goalLine?.kind) {
    case 'complete':
      return complete(machine, step.goalLine.summary, records);
    case 'blocked':
      return end(machine, 'blocked', step.goalLine.reason ?? 'the model gave no reason', null, records);
    case 'verify':
      if (machine.verify === null) return asks(machine, 'check', step.goalLine.command, records);
      break;
    case 'check':
      if (machine.verify === null) return takeCheck(machine, step.goalLine.command, records);
      break;
    case 'ask':
      return asks(machine, 'question', step.goalLine.question, records, QUESTION_REQUEST);
    case 'need':
      return askNeed(machine, step.goalLine.need, records, GOAL_POLICY);
    case undefined:
      break;
  }
  if (step.actions.length > 0) return startStep(machine, records);
  if (machine.nudged) return end(machine, 'stalled', 'the model neither acted nor ended the goal', null, records);
  return startStep({ ...machine, nudged: true }, [...records, told(nudgeTurn)]);
}

/** Nobody is asked: it is judged as any command when it runs, and a check of a person's stands before it. */
function takeCheck(machine: GoalMachine, verify: string, records: readonly GoalRecord[]): Advance {
  const set = { type: 'setCheck', verify, by: 'the model' } as const;
  return startStep({ ...machine, verify }, [...records, set, told(checkTakenTurn(verify))]);
}

const REASONS = {
  check: 'the model proposes this as the proof of the goal',
  question: 'the model asks',
};

/** Halts for what the model itself wants of a person. */
function asks(
  machine: GoalMachine,
  kind: keyof typeof REASONS,
  action: string,
  records: readonly GoalRecord[],
  request?: Readonly<Record<string, unknown>>,
): Advance {
  const reason = REASONS[kind];
  const asked = request === undefined ? {} : { request };
  return {
    machine: { ...machine, state: 'halted' },
    records: [
      ...records,
      { type: 'requestDecision', kind, actionId: null, action, reason, classification: null, ...asked },
      setGoal('halted', reason),
    ],
    effect: null,
  };
}

/** Done means proved, where there is a check. */
function complete(machine: GoalMachine, summary: string | null, records: readonly GoalRecord[]): Advance {
  if (machine.verify === null) {
    // It was written before the model knew that an action of its answer would not do its part.
    if (machine.step?.actions.some(({ state }) => state === 'skipped' || state === 'lost') === true) {
      return startStep(machine, [...records, told(notCompleteTurn)]);
    }
    return end(machine, 'done', null, summary, records);
  }
  const check = machine.step?.actions.findLast(
    (action) => action.kind === 'command' && action.isCheck === true && action.command === machine.verify,
  );
  // The check came after this answer, or is another one by now: it is asked for once more.
  if (check === undefined) return startStep(machine, [...records, told(checkAcceptedTurn(machine.verify))]);
  if (check.passed === true) return end({ ...machine, verified: true }, 'done', null, summary, records);
  // It says nothing about the goal; how often that may happen, the step budget says.
  if (check.state === 'lost') return startStep(machine, [...records, told(checkLostTurn)]);
  const checksFailed = machine.checksFailed + 1;
  const failed = { ...machine, checksFailed };
  if (checksFailed >= CHECKS_MAX) {
    return end(failed, 'blocked', `its check failed ${checksFailed} times: ${machine.verify}`, summary, records);
  }
  return startStep(failed, [...records, told(checkFailedTurn(checksFailed, CHECKS_MAX))]);
}

export function startStep(machine: GoalMachine, records: readonly GoalRecord[]): Advance {
  const spent = spentBudget(machine);
  if (spent !== null) return end(machine, 'exhausted', spent, null, records);
  const n = (machine.step?.n ?? 0) + 1;
  return {
    machine: { ...machine, step: { n, answered: false, goalLine: null, actions: [] } },
    records: [...records, { type: 'startStep', n }],
    effect: { type: 'ask' },
  };
}

function spentBudget(machine: GoalMachine): string | null {
  const { stepsTaken, stepBudget, tokensUsed, tokenBudget, activeMs, timeBudgetMs, toolDepth } = machine;
  if (stepsTaken >= stepBudget) return `the budget of ${stepBudget} steps is used up`;
  if (tokenBudget !== null && tokensUsed >= tokenBudget) return `the budget of ${tokenBudget} tokens is used up`;
  if (timeBudgetMs !== null && activeMs >= timeBudgetMs) {
    return `the budget of ${Math.round(timeBudgetMs / 1000)} s is used up`;
  }
  if (toolDepth >= TOOL_DEPTH_MAX) return `${toolDepth} answers in a row only called tools`;
  return null;
}

/** A person ends the goal instead of letting it go on. What they say stays for whoever continues it. */
export function abort(
  machine: GoalMachine,
  { by, message }: { readonly by: string; readonly message: string | null },
): Advance {
  return end(machine, 'aborted', `aborted by ${by}`, null, noted(message, true));
}

/** Ends the goal; no action is left open. */
export function end(
  machine: GoalMachine,
  state: 'done' | 'blocked' | 'stalled' | 'aborted' | 'exhausted' | 'failed',
  reason: string | null,
  summary: string | null,
  records: readonly GoalRecord[],
): Advance {
  const all = closed({ ...machine, state }, reason ?? 'the goal ended');
  // Also of a paused goal a question may be open, and a call may be kept open for the answer to one.
  const isAsking = machine.state === 'halted' || machine.state === 'paused' || isCalling(machine);
  return {
    machine: all.machine,
    records: [
      ...records,
      ...all.records,
      ...(isAsking ? [{ type: 'withdrawDecisions' } as const] : []),
      { type: 'setGoal', state, reason, waitingFor: null, summary },
    ],
    effect: null,
  };
}

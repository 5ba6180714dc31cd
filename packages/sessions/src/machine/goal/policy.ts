import { askNeed, noteRecords, modelNotice } from '@aish/actions';
import {
  answerInWordsTurn,
  approvedTurn,
  checkAcceptedTurn,
  checkFailedTurn,
  checkLostTurn,
  checkTakenTurn,
  failedBesideTurn,
  notCompleteTurn,
  nudgeTurn,
  planKnownTurn,
  provesNothing,
  provesNothingTurn,
} from '@aish/prompt';
import { QUESTION_REQUEST } from '@aish/contracts/decisions';
import type { GoalState } from '@aish/contracts/goals';
import type { NewTurn } from '@aish/contracts/sessions';
import { closeEverything, type SessionPolicy, type SessionStep, type Stop } from '../session.js';
import type { Advance, GoalRecord } from './events.js';
import type { GoalMachine } from './state.js';

/** A goal ends after this many answers in a row that neither act nor end it. */
const IDLE_MAX = 3;
/** A goal ends when its check has failed this many times. */
export const CHECKS_MAX = 3;
/** A goal ends after this many answers in a row that only called tools. */
const TOOL_DEPTH_MAX = 64;

/**
 * The policy of goals. A goal halts before an action that a person must decide about. After the verdict it is queued
 * again for any worker.
 */
export const GOAL_POLICY: SessionPolicy<GoalMachine, GoalRecord> = {
  of: 'goal',
  questionOf: () => 'halt',
  // A paused goal stays paused, but a person is still asked for the decision. When the goal is resumed, it has the
  // verdict.
  halt: (machine, reason) =>
    machine.state === 'paused' ? { machine, records: [] } : become(machine, 'halted', reason),
  release: (machine) => (machine.state === 'paused' ? { machine, records: [] } : become(machine, 'queued', null)),
  // The worker is free for other goals while this goal waits.
  wait: (machine, { label }, { note }) => ({
    machine: { ...machine, state: 'waiting' },
    records: [
      {
        type: 'setGoal',
        state: 'waiting',
        reason: `${label} goes on at its server${note === null ? '' : `: ${note}`}`,
        waitingFor: 'tool',
        summary: null,
      },
    ],
    effect: null,
  }),
  approvedTurn,
  // A paused goal may also have an open decision.
  mayBeAsked: ({ state }) => state === 'halted' || state === 'paused',
  nextStep: startStep,
  finish,
  abort,
  orElse: 'Do something else, or end with a line "GOAL: blocked" and the reason.',
};

function become(machine: GoalMachine, state: GoalState, reason: string | null) {
  return { machine: { ...machine, state }, records: [setGoal(state, reason)] };
}

export function setGoal(state: GoalState, reason: string | null): GoalRecord {
  return { type: 'setGoal', state, reason, waitingFor: null, summary: null };
}

/** Handles the end of an answer's actions. Only then does a `GOAL:` line take effect. */
function finish(machine: GoalMachine, step: SessionStep, records: readonly GoalRecord[]): Advance {
  // The model has not read the newest message, so its answer neither ends the goal nor asks anything.
  if (machine.hasUnheard === true) return startStep(machine, records);
  switch (step.goalLine?.kind) {
    case 'complete':
      return complete(machine, step.goalLine.summary, records);
    case 'blocked':
      return end(machine, 'blocked', step.goalLine.reason ?? 'the model gave no reason', null, records);
    case 'verify':
      if (machine.verify === null)
        return asks(machine, checkKind(step.goalLine.command), step.goalLine.command, records);
      break;
    case 'check':
      if (machine.verify === null) return takeCheck(machine, step.goalLine.command, records);
      break;
    case 'plan':
      if (machine.awaitsPlan === true) return asks(machine, 'plan', step.goalLine.plan, records);
      if (step.actions.length === 0) return idle(machine, records, planKnownTurn);
      break;
    case 'ask':
      return asks(machine, 'question', step.goalLine.question, records, QUESTION_REQUEST);
    case 'need':
      return askNeed(machine, step.goalLine.need, records, GOAL_POLICY);
    case undefined:
      break;
  }
  if (step.actions.length > 0) return startStep(machine, records);
  // The model proposed a check although the goal already has one.
  const hasCheck = step.goalLine !== null && machine.verify !== null;
  return idle(machine, records, hasCheck ? checkAcceptedTurn(machine.verify) : nudgeTurn);
}

/** Tells the model why an answer was useless. After a few such answers in a row, the goal ends. */
function idle(machine: GoalMachine, records: readonly GoalRecord[], turn: NewTurn): Advance {
  if (machine.malformed >= IDLE_MAX) {
    return end(machine, 'stalled', 'the model neither acted nor ended the goal', null, records);
  }
  return startStep(machine, [...records, modelNotice(turn)]);
}

/**
 * Accepts a check without a decision. The check is judged like any command when it runs, and a person's check has
 * priority.
 */
function takeCheck(machine: GoalMachine, verify: string, records: readonly GoalRecord[]): Advance {
  if (provesNothing(verify)) return idle(machine, records, provesNothingTurn(verify));
  const set = { type: 'setCheck', verify, by: 'the model' } as const;
  return startStep({ ...machine, verify }, [...records, set, modelNotice(checkTakenTurn(verify))]);
}

const REASONS = {
  check: 'the model proposes this as the proof of the goal',
  emptyCheck: 'the model proposes this as the proof of the goal; it cannot fail, so it proves nothing',
  plan: 'the model proposes this plan, and changes nothing until you accept it',
  question: 'the model asks',
};

function checkKind(command: string): 'check' | 'emptyCheck' {
  return provesNothing(command) ? 'emptyCheck' : 'check';
}

/** Halts the goal because the model itself asks a person for something. */
function asks(
  machine: GoalMachine,
  asking: keyof typeof REASONS,
  action: string,
  records: readonly GoalRecord[],
  request?: Readonly<Record<string, unknown>>,
): Advance {
  const reason = REASONS[asking];
  const kind = asking === 'emptyCheck' ? 'check' : asking;
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

/** Completes a goal. A goal with a check is done only if the check passed. */
function complete(machine: GoalMachine, summary: string | null, records: readonly GoalRecord[]): Advance {
  if (machine.verify === null) {
    // The model wrote this line before it knew that one of its actions would not run.
    const actions = machine.step?.actions ?? [];
    if (actions.some(({ state }) => state === 'skipped' || state === 'lost')) {
      return startStep(machine, [...records, modelNotice(notCompleteTurn)]);
    }
    if (actions.some(({ passed }) => passed === false))
      return startStep(machine, [...records, modelNotice(failedBesideTurn)]);
    // A summary in the same answer as commands was written before their results.
    const hasSeenFiles = actions.length === 0 && machine.recent.some(({ wrote }) => wrote === true);
    if (summary === null && !hasSeenFiles && !machine.nudged) {
      return startStep({ ...machine, nudged: true }, [...records, modelNotice(answerInWordsTurn)]);
    }
    return end(machine, 'done', null, summary, records);
  }
  const check = machine.step?.actions.findLast(
    (action) => action.kind === 'command' && action.isCheck === true && action.command === machine.verify,
  );
  // The check was added or changed after this answer, so the model is asked again to complete.
  if (check === undefined) return startStep(machine, [...records, modelNotice(checkAcceptedTurn(machine.verify))]);
  if (check.passed === true) return end({ ...machine, verified: true }, 'done', null, summary, records);
  // A lost check says nothing about the goal. The step budget limits how often a check can be lost.
  if (check.state === 'lost') return startStep(machine, [...records, modelNotice(checkLostTurn)]);
  const checksFailed = machine.checksFailed + 1;
  const failed = { ...machine, checksFailed };
  if (checksFailed >= CHECKS_MAX) {
    return end(failed, 'blocked', `its check failed ${checksFailed} times: ${machine.verify}`, summary, records);
  }
  return startStep(failed, [...records, modelNotice(checkFailedTurn(checksFailed, CHECKS_MAX))]);
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
  if (toolDepth >= TOOL_DEPTH_MAX)
    return `tool-call depth limit reached: ${toolDepth} answers in a row only called tools`;
  return null;
}

/**
 * Ends the goal because a person gave the verdict `abort`. The person's message is kept for anyone who continues the
 * goal later.
 */
export function abort(machine: GoalMachine, { by, message }: Stop): Advance {
  return end(machine, 'aborted', `aborted by ${by}`, null, noteRecords(message, true));
}

/** Ends the goal. No action stays open. */
export function end(
  machine: GoalMachine,
  state: 'done' | 'blocked' | 'stalled' | 'aborted' | 'exhausted' | 'failed',
  reason: string | null,
  summary: string | null,
  records: readonly GoalRecord[],
): Advance {
  const closed = closeEverything(machine, { ...machine, state }, reason ?? 'the goal ended', GOAL_POLICY);
  return {
    machine: closed.machine,
    records: [...records, ...closed.records, { type: 'setGoal', state, reason, waitingFor: null, summary }],
    effect: null,
  };
}

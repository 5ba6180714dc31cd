import { askNeed, noted, told } from '@aish/actions';
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
  provesNothing,
  provesNothingTurn,
} from '@aish/prompt';
import { QUESTION_REQUEST } from '@aish/contracts/decisions';
import type { GoalState } from '@aish/contracts/goals';
import type { NewTurn } from '@aish/contracts/sessions';
import { withNothingOpen, type SessionPolicy, type SessionStep, type Stop } from '../session.js';
import type { Advance, GoalRecord } from './events.js';
import type { GoalMachine } from './state.js';

/** Answers in a row that neither act nor end the goal; this one ends it. */
const IDLE_MAX = 3;
/** A check that fails more often ends the goal. */
export const CHECKS_MAX = 3;
/** Answers in a row that only call tools; more end the goal. Source: Phase 2 manifest, depth of the tool loop. */
const TOOL_DEPTH_MAX = 64;

/** A goal halts before what a person has to decide, and is queued again for any worker once they have. */
export const GOAL_POLICY: SessionPolicy<GoalMachine, GoalRecord> = {
  of: 'goal',
  questionOf: () => 'halt',
  // A paused goal stays paused, and is asked all the same; it has its answer when it is resumed.
  halt: (machine, reason) =>
    machine.state === 'paused' ? { machine, records: [] } : become(machine, 'halted', reason),
  release: (machine) => (machine.state === 'paused' ? { machine, records: [] } : become(machine, 'queued', null)),
  // The worker of the goal is free while the goal waits.
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
  // Of a paused goal a question may be open, too.
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

/** A `GOAL:` line takes effect after the actions of its answer. */
function finish(machine: GoalMachine, step: SessionStep, records: readonly GoalRecord[]): Advance {
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
    case 'ask':
      return asks(machine, 'question', step.goalLine.question, records, QUESTION_REQUEST);
    case 'need':
      return askNeed(machine, step.goalLine.need, records, GOAL_POLICY);
    case undefined:
      break;
  }
  if (step.actions.length > 0) return startStep(machine, records);
  // It proposed a check where there is one.
  const hasCheck = step.goalLine !== null && machine.verify !== null;
  return idle(machine, records, hasCheck ? checkAcceptedTurn(machine.verify) : nudgeTurn);
}

/** The model is told what is wrong with an answer that leads nowhere, a few times in a row. */
function idle(machine: GoalMachine, records: readonly GoalRecord[], turn: NewTurn): Advance {
  if (machine.malformed >= IDLE_MAX) {
    return end(machine, 'stalled', 'the model neither acted nor ended the goal', null, records);
  }
  return startStep(machine, [...records, told(turn)]);
}

/** Nobody is asked: it is judged as any command when it runs, and a check of a person's stands before it. */
function takeCheck(machine: GoalMachine, verify: string, records: readonly GoalRecord[]): Advance {
  if (provesNothing(verify)) return idle(machine, records, provesNothingTurn(verify));
  const set = { type: 'setCheck', verify, by: 'the model' } as const;
  return startStep({ ...machine, verify }, [...records, set, told(checkTakenTurn(verify))]);
}

const REASONS = {
  check: 'the model proposes this as the proof of the goal',
  emptyCheck: 'the model proposes this as the proof of the goal; it cannot fail, so it proves nothing',
  question: 'the model asks',
};

function checkKind(command: string): 'check' | 'emptyCheck' {
  return provesNothing(command) ? 'emptyCheck' : 'check';
}

/** Halts for what the model itself wants of a person. */
function asks(
  machine: GoalMachine,
  asking: keyof typeof REASONS,
  action: string,
  records: readonly GoalRecord[],
  request?: Readonly<Record<string, unknown>>,
): Advance {
  const reason = REASONS[asking];
  const kind = asking === 'question' ? asking : 'check';
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
    const actions = machine.step?.actions ?? [];
    if (actions.some(({ state }) => state === 'skipped' || state === 'lost')) {
      return startStep(machine, [...records, told(notCompleteTurn)]);
    }
    if (actions.some(({ passed }) => passed === false)) return startStep(machine, [...records, told(failedBesideTurn)]);
    // What stands beside its commands was written before their results.
    const hasSeenFiles = actions.length === 0 && machine.recent.some(({ wrote }) => wrote === true);
    if (summary === null && !hasSeenFiles && !machine.nudged) {
      return startStep({ ...machine, nudged: true }, [...records, told(answerInWordsTurn)]);
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
  if (toolDepth >= TOOL_DEPTH_MAX)
    return `tool-call depth limit reached: ${toolDepth} answers in a row only called tools`;
  return null;
}

/** A person ends the goal instead of letting it continue. Their message stays for the person who continues it later. */
export function abort(machine: GoalMachine, { by, message }: Stop): Advance {
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
  const closed = withNothingOpen(machine, { ...machine, state }, reason ?? 'the goal ended', GOAL_POLICY);
  return {
    machine: closed.machine,
    records: [...records, ...closed.records, { type: 'setGoal', state, reason, waitingFor: null, summary }],
    effect: null,
  };
}

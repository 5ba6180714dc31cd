import { actionText, type GoalState } from '@aish/contracts';
import {
  checkAcceptedTurn,
  checkFailedTurn,
  checkLostTurn,
  lostTurn,
  notRunTurn,
  nudgeTurn,
  unansweredTurn,
} from '@aish/conversation';
import type { Advance, RecordEffect } from './events.js';
import { HALT_AT, remember, timesOf } from './repeats.js';
import { changeAction, hasEnded, headOf, isCalling, type GoalMachine, type MachineAction } from './state.js';

/** A check that fails more often ends the goal. */
export const CHECKS_MAX = 3;
/** Answers in a row that only call tools; more end the goal. Source: Phase 2 manifest, depth of the tool loop. */
export const TOOL_DEPTH_MAX = 64;
/** Tool calls that go side by side at most. */
export const SIDE_BY_SIDE_MAX = 8;

/** Goes on until there is something to do in the world. */
export function goOn(machine: GoalMachine, records: readonly RecordEffect[]): Advance {
  const { step } = machine;
  if (step === null) return startStep(machine, records);
  if (!step.answered) return { machine, records, act: { type: 'ask' } };
  const head = headOf(machine);
  if (head !== undefined) return goOnWith(machine, head, records);

  // A GOAL: line takes effect after the actions of its answer. Source: Phase 3 manifest, Q25.
  switch (step.goalLine?.kind) {
    case 'complete':
      return complete(machine, step.goalLine.summary, records);
    case 'blocked':
      return end(machine, 'blocked', step.goalLine.reason ?? 'the model gave no reason', null, records);
    case 'verify':
      if (machine.verify === null) return proposeCheck(machine, step.goalLine.command, records);
      break;
    case undefined:
      break;
  }
  if (step.actions.length > 0) return startStep(machine, records);
  if (machine.nudged) return end(machine, 'stalled', 'the model neither acted nor ended the goal', null, records);
  return startStep({ ...machine, nudged: true }, [...records, told(nudgeTurn)]);
}

function goOnWith(machine: GoalMachine, action: MachineAction, records: readonly RecordEffect[]): Advance {
  switch (action.state) {
    case 'pending': {
      // A check is a person's own command: they have decided about it already.
      if (action.kind === 'command' && action.isCheck === true) return begin(machine, [action], records);
      const times = timesOf(machine.recent, action);
      if (times >= HALT_AT) {
        return halt(machine, action, `the model asks for this for the ${times}th time`, null, records);
      }
      return { machine, records, act: { type: 'classify', actions: sideBySide(machine, action) } };
    }
    case 'approved':
      return begin(machine, [action], records);
    case 'started':
      return { machine, records, act: { type: 'recover', action } };
    case 'halted':
      return { machine: { ...machine, state: 'halted' }, records: [...records, setGoal('halted', null)], act: null };
    case 'finished':
    case 'skipped':
    case 'lost':
      return nothing(machine);
  }
}

/** The action, and those after it that may go beside it: calls that only read, as a trusted server says. */
export function sideBySide(machine: GoalMachine, head: MachineAction): readonly MachineAction[] {
  if (head.kind !== 'tool' || head.readOnly !== true) return [head];
  const open = machine.step?.actions.filter((action) => !hasEnded(action)) ?? [];
  const others = open.findIndex(
    (action) =>
      action.kind !== 'tool' ||
      action.readOnly !== true ||
      action.state !== 'pending' ||
      timesOf(machine.recent, action) >= HALT_AT,
  );
  return open.slice(0, Math.min(SIDE_BY_SIDE_MAX, others < 0 ? open.length : others));
}

/** `started` is committed before the world is asked, so that a crash can never make an action run twice. */
export function begin(
  machine: GoalMachine,
  actions: readonly MachineAction[],
  records: readonly RecordEffect[],
): Advance {
  return {
    machine: actions.reduce((changed, { id }) => changeAction(changed, id, { state: 'started' }), machine),
    records: [...records, ...actions.map(({ id }) => ({ type: 'setAction', actionId: id, state: 'started' }) as const)],
    act: { type: 'run', actions: actions.map((action) => ({ ...action, state: 'started' })) },
  };
}

export function halt(
  machine: GoalMachine,
  action: MachineAction,
  reason: string,
  classification: Extract<RecordEffect, { type: 'requestDecision' }>['classification'],
  records: readonly RecordEffect[],
): Advance {
  return {
    machine: { ...changeAction(machine, action.id, { state: 'halted' }), state: 'halted' },
    records: [
      ...records,
      { type: 'setAction', actionId: action.id, state: 'halted' },
      {
        type: 'requestDecision',
        kind: 'halt',
        actionId: action.id,
        action: actionText(action),
        reason,
        classification,
      },
      setGoal('halted', reason),
    ],
    act: null,
  };
}

function proposeCheck(machine: GoalMachine, command: string, records: readonly RecordEffect[]): Advance {
  const reason = 'the model proposes this as the proof of the goal';
  return {
    machine: { ...machine, state: 'halted' },
    records: [
      ...records,
      { type: 'requestDecision', kind: 'check', actionId: null, action: command, reason, classification: null },
      setGoal('halted', reason),
    ],
    act: null,
  };
}

/** Done means proved, where there is a check. */
function complete(machine: GoalMachine, summary: string | null, records: readonly RecordEffect[]): Advance {
  if (machine.verify === null) return end(machine, 'done', null, summary, records);
  const check = machine.step?.actions.findLast((action) => action.kind === 'command' && action.isCheck === true);
  // The check came after this answer: it is asked for once more.
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

export function startStep(machine: GoalMachine, records: readonly RecordEffect[]): Advance {
  const spent = spentBudget(machine);
  if (spent !== null) return end(machine, 'exhausted', spent, null, records);
  const n = (machine.step?.n ?? 0) + 1;
  return {
    machine: { ...machine, step: { n, answered: false, goalLine: null, actions: [] } },
    records: [...records, { type: 'startStep', n }],
    act: { type: 'ask' },
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

/** Ends the goal; no action is left open. */
export function end(
  machine: GoalMachine,
  state: 'done' | 'blocked' | 'stalled' | 'aborted' | 'exhausted' | 'failed',
  reason: string | null,
  summary: string | null,
  records: readonly RecordEffect[],
): Advance {
  let last: GoalMachine = { ...machine, state };
  const closing: RecordEffect[] = [];
  const why = reason ?? 'the goal ended';
  for (const action of machine.step?.actions ?? []) {
    if (hasEnded(action)) continue;
    const isLost = action.state === 'started';
    const change = { state: isLost ? 'lost' : 'skipped' } as const;
    // As its rows will say, should it be continued.
    last = { ...changeAction(last, action.id, change), recent: remember(last.recent, action, change.state) };
    const text = isLost
      ? lostTurn(actionText(action))
      : action.pending === undefined
        ? notRunTurn(actionText(action), why)
        : unansweredTurn(actionText(action), why);
    closing.push({ type: 'setAction', actionId: action.id, ...change, reason: why }, resultTurn(action, text));
  }
  // Also of a paused goal a question may be open, and a call may be kept open for the answer to one.
  if (machine.state === 'halted' || machine.state === 'paused' || isCalling(machine))
    closing.push({ type: 'withdrawDecisions' });
  return {
    machine: last,
    records: [...records, ...closing, { type: 'setGoal', state, reason, waitingFor: null, summary }],
    act: null,
  };
}

export function nothing(machine: GoalMachine): Advance {
  return { machine, records: [], act: null };
}

export function setGoal(state: GoalState, reason: string | null): RecordEffect {
  return { type: 'setGoal', state, reason, waitingFor: null, summary: null };
}

/** What aish tells the model of its own accord. */
export function told(content: string): RecordEffect {
  return { type: 'appendTurn', role: 'notice', content, isTold: true };
}

/** What the model is told in place of an action's result. A tool call must have one, or no template takes it. */
export function resultTurn(action: MachineAction, content: string): RecordEffect {
  if (action.kind === 'command') return { type: 'appendTurn', role: 'notice', content };
  const meta = { toolCallId: action.callId, toolName: action.tool, isError: true };
  return { type: 'appendTurn', role: 'tool', content, meta };
}

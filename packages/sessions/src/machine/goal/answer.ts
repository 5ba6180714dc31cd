import { noChange, modelNotice, type NewAction } from '@aish/actions';
import { cutAnswerTurn, provesNothing, schemaEchoTurn, type CutAnswer, type GoalLine } from '@aish/prompt';
import type { Usage } from '@aish/contracts/goals';
import type { TurnMeta } from '@aish/contracts/sessions';
import { advanceToEffect, withAnswer } from '../session.js';
import type { Advance, GoalEvent, GoalRecord } from './events.js';
import { GOAL_POLICY, end, startStep } from './policy.js';
import type { GoalMachine } from './state.js';

/** A goal ends after this many useless answers in a row. */
const MALFORMED_MAX = 4;

/** The kinds of answers that do not show what the model wants. */
const USELESS: ReadonlySet<CutAnswer> = new Set([
  'in-command',
  'unclosed',
  'unreadable',
  'thinking',
  'thought-repeats',
]);

export function answer(machine: GoalMachine, event: Extract<GoalEvent, { type: 'answered' }>): Advance {
  const { step } = machine;
  if (machine.state !== 'running' || step === null || step.answered) return noChange(machine);
  const { text, model, usage, notes, reasoning = '' } = event;
  const thoughts = reasoning === '' ? {} : { reasoning };
  const words = answerInWords(machine, event);
  const goalLine = event.goalLine ?? words;
  const check = checkOf(machine, goalLine, event.checkId);
  const asked = event.actions.map(({ fault: _fault, ...action }) => action);
  const faults = event.actions.filter(({ fault }) => fault !== undefined).length;
  // An answer in words may show its findings in a fence.
  const cut = words === null ? (event.cut ?? null) : null;
  const isUseless = cut !== null && USELESS.has(cut) && asked.length === 0;
  const isUnmakable = faults > 0 && faults === event.actions.length;
  const isMalformed = event.isSchemaEcho || isUseless || isUnmakable || leadsNowhere(machine, goalLine, asked.length);
  const malformed = isMalformed ? machine.malformed + 1 : 0;
  const onlyTools = asked.length > 0 && goalLine === null && asked.every((action) => action.kind === 'tool');
  const all = withAnswer(machine, step, {
    actions: check === null ? event.actions : [...event.actions, check],
    goalLine,
  });
  const answered: GoalMachine = {
    ...all.machine,
    stepsTaken: machine.stepsTaken + 1,
    tokensUsed: machine.tokensUsed + tokensOf(usage),
    activeMs: machine.activeMs + event.tookMs,
    failures: 0,
    nudged: asked.length > 0 ? false : machine.nudged,
    malformed,
    toolDepth: onlyTools ? machine.toolDepth + 1 : 0,
  };
  const actions = check === null ? asked : [...asked, check];
  const records: GoalRecord[] = [
    { type: 'answerStep', n: step.n, text, ...thoughts, model, usage, notes, goalLine, actions },
    assistantTurn(text, asked, thoughts),
    // After an empty answer, a notice asks the model to act, as after an answer that only talks.
    ...(cut === null || cut === 'empty' ? [] : [modelNotice(cutAnswerTurn(cut))]),
    ...all.records,
  ];
  if (malformed >= MALFORMED_MAX) {
    const what = isUseless ? 'its answers were cut off or could not be read' : 'its tool calls could not be made';
    return end(answered, 'stalled', `${what} ${malformed} times in a row`, null, records);
  }
  if (isUseless) return startStep(answered, records);
  if (event.isSchemaEcho && goalLine === null) return startStep(answered, [...records, modelNotice(schemaEchoTurn)]);
  return advanceToEffect(answered, records, GOAL_POLICY);
}

/** Returns the answer in words if the model was just asked for one, with or without the line that ends the goal. */
function answerInWords(machine: GoalMachine, event: Extract<GoalEvent, { type: 'answered' }>): GoalLine | null {
  const { text, actions, cut = null, isSchemaEcho } = event;
  const summary = text.trim();
  const isWhole = cut === null || cut === 'in-fences';
  const isAnswer = machine.nudged && actions.length === 0 && summary !== '' && isWhole && !isSchemaEcho;
  return isAnswer ? { kind: 'complete', summary } : null;
}

/** Whether an answer neither acts, nor ends the goal, nor names a check. */
function leadsNowhere(
  { verify, awaitsPlan, hasUnheard }: GoalMachine,
  goalLine: GoalLine | null,
  actions: number,
): boolean {
  if (actions > 0 || hasUnheard === true) return false;
  switch (goalLine?.kind) {
    case undefined:
      return true;
    case 'check':
      return verify !== null || provesNothing(goalLine.command);
    case 'verify':
      return verify !== null;
    case 'plan':
      return awaitsPlan !== true;
    case 'complete':
    case 'blocked':
    case 'ask':
    case 'need':
      return false;
  }
}

/** Returns the check as one more action, if the goal has a check and its model says that the goal is complete. */
function checkOf({ verify }: GoalMachine, goalLine: GoalLine | null, id: string): NewAction | null {
  if (verify === null || goalLine?.kind !== 'complete') return null;
  return { kind: 'command', command: verify, isCheck: true, id };
}

function assistantTurn(text: string, actions: readonly NewAction[], thoughts: TurnMeta): GoalRecord {
  const toolCalls = actions.flatMap((action) =>
    action.kind === 'tool' ? [{ id: action.callId, name: action.tool, arguments: action.arguments }] : [],
  );
  const turn = { type: 'appendTurn', role: 'assistant', provenance: 'model', content: text } as const;
  const meta = { ...(toolCalls.length === 0 ? {} : { toolCalls }), ...thoughts };
  return Object.keys(meta).length === 0 ? turn : { ...turn, meta };
}

/**
 * Returns the cost of an answer: the tokens that the model had to read and those that it wrote. Tokens from the cache
 * cost almost nothing.
 */
function tokensOf(usage: Usage | null): number {
  if (usage === null) return 0;
  return Math.max(0, (usage.promptTokens ?? 0) - (usage.cachedTokens ?? 0)) + (usage.completionTokens ?? 0);
}

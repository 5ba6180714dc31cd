import { actionText, type Action } from '@aish/contracts/actions';
import type { Decision } from '@aish/contracts/decisions';
import { totalChangeLines } from '@aish/contracts/effect-lines';
import type { Effects } from '@aish/contracts/effects';
import type { GoalSnapshotList } from '@aish/contracts/files';
import type { EventBody } from '@aish/contracts/events';
import { isTerminal, type GoalDetail, type Step } from '@aish/contracts/goals';
import type { Classification } from '@aish/contracts/safety';
import { formatControl } from './control.format.js';
import {
  formatApproval,
  formatDifference,
  formatPlace,
  formatReason,
  formatReasons,
  formatExecutionContext,
  formatVerdict,
  howToAnswer,
} from './decision.format.js';
import { formatDuration, formatMoment } from './duration.format.js';
import { LEFT_RUNNING, commandPiece, entryPieces, textPiece, type Piece, type Text } from './entry.pieces.js';
import { EventPrinter } from './event.printer.js';
import { formatSteps } from './goal.format.js';
import { span } from './line.js';
import { cleanText, oneLine } from './sanitise.js';

const fact = (text: string, depth = 1): Text => textPiece(text, 'dim', depth);

/**
 * Formats a goal's full history, from its text to its end, unfolded: events, times and details.
 *
 * @param undoable what undo can restore now, newest first; null if unknown.
 * @param moment formats a moment; local time by default.
 */
export function goalStory(
  goal: GoalDetail,
  undoable: GoalSnapshotList['items'] | null,
  moment: Moment = formatMoment,
): readonly Piece[] {
  const { number, text, preset, stepBudget, createdAt: at, state, summary, reason } = goal;
  const effects = isTerminal(state) ? goal.effects : null;
  return [
    ...entryPieces({ type: 'goal', number, text, preset, stepBudget, at }),
    fact(`${state}, ${formatSteps(goal)} steps, started ${moment(at)}, ${goal.id}`),
    ...budgetPieces(goal),
    ...messagePieces(goal, '', goal.steps[0]?.startedAt, moment),
    ...stepsStory(goal, moment),
    ...entryPieces({ type: 'end', state, text: summary ?? reason ?? '', effects, at }),
    ...endFacts(goal, moment),
    ...evidenceFacts(goal),
    ...undoOffer(goal, undoable),
  ];
}

/** Formats these steps of a goal with their actions; all by default. */
export function stepsStory(
  goal: GoalDetail,
  moment: Moment = formatMoment,
  steps: readonly Step[] = goal.steps,
): readonly Piece[] {
  const printer = new EventPrinter();
  const say: Say = (body) => printer.print(body);
  return steps.flatMap((step) => {
    const { n, text, model, usage, notes, startedAt } = step;
    const next = goal.steps.find((each) => each.n > n)?.startedAt;
    const of = { goalId: goal.id, step: n };
    const actions = goal.actions.filter(({ stepNumber }) => stepNumber === n);
    const about = (id: string): readonly Piece[] =>
      goal.decisions.filter(({ actionId }) => actionId === id).flatMap((each) => asked(each, say, moment));
    const others = goal.decisions.filter(({ actionId, stepNumber }) => actionId === null && stepNumber === n);
    return [
      ...say({ type: 'step.started', ...of, stepBudget: goal.stepBudget }),
      fact(stepFacts(step, moment)),
      ...(text === null ? [fact('not answered')] : say({ type: 'step.answered', ...of, text, model, usage, notes })),
      ...actions.flatMap((each) => [...begun(each, goal.id, say), ...about(each.id), ...ended(each, goal, say)]),
      ...others.flatMap((each) => asked(each, say, moment)),
      ...messagePieces(goal, startedAt, next, moment),
    ];
  });
}

/** Returns the messages and notices that the model got between two moments. */
function messagePieces(
  { id: goalId, messages }: GoalDetail,
  from: string,
  to: string | undefined,
  moment: Moment,
): Piece[] {
  const received = messages.filter(({ at }) => at >= from && (to === undefined || at < to));
  return received.map(({ by, text, at, readAt }) => {
    if (by === null) return textPiece(formatControl({ type: 'goal.noticed', goalId, text }), 'dim', 1);
    const read = readAt === null ? 'not read' : `read ${moment(readAt)}`;
    return textPiece(`${formatControl({ type: 'goal.said', goalId, text, by })}  ${moment(at)}, ${read}`, 'warn', 1);
  });
}

type Say = (body: EventBody) => readonly Piece[];
type Moment = (at: string) => string;

function begun(action: Action, goalId: string, say: Say): readonly Piece[] {
  const { id: actionId, stepNumber: step, n, kind, classification } = action;
  const command = actionText(action);
  if (classification === null) return [commandPiece({ kind, command, classification })];
  const shown = say({ type: 'action.classified', goalId, actionId, step, n, kind, command, classification });
  const check = action.kind === 'command' && action.isCheck === true ? [fact('this is the goal’s check', 2)] : [];
  return [...shown, ...check, fact(classified(classification), 2)];
}

function classified(classification: Classification): string {
  const { verdict, reason, by, held } = classification;
  const why = reason === null ? '' : `: ${formatReason({ reason, classification })}`;
  const source = by === 'second-opinion' ? ' by a second opinion' : '';
  return `classified ${verdict}${source}${why}${held === true ? '; it ran anyway, with its changes held' : ''}`;
}

function asked(decision: Decision, say: Say, moment: Moment): readonly Piece[] {
  const { id: decisionId, stepNumber: step, decidedAt } = decision;
  const when = decidedAt === null ? '' : `  ${moment(decidedAt)}`;
  return [
    ...say({ type: 'decision.requested', ...decision, decisionId, step, reason: formatReason(decision) }),
    textPiece(`d${decision.number}: ${formatVerdict(decision) ?? 'waiting for a verdict'}${when}`, 'warn', 2),
  ];
}

function ended(action: Action, { id: goalId, state: goalState }: GoalDetail, say: Say): readonly Piece[] {
  const { id: actionId, stepNumber: step, kind, state, outcome, result, skipReason } = action;
  const of = { goalId, actionId, step, kind };
  const command = actionText(action);
  if (outcome !== null || result !== null) {
    const notHeld = outcome?.unheld === undefined ? [] : [fact(`not held: ${oneLine(outcome.unheld)}`, 2)];
    return [...say({ type: 'action.finished', ...of, outcome, result }), ...notHeld];
  }
  if (state === 'lost') return say({ type: 'action.lost', ...of, command });
  if (state === 'skipped') return say({ type: 'action.skipped', ...of, command, reason: skipReason ?? state });
  const isLeft = state === 'started' && goalState === 'paused';
  return [fact(isLeft ? LEFT_RUNNING : state, 2)];
}

function stepFacts({ model, startedAt, answeredAt }: Step, moment: Moment): string {
  const took = answeredAt === null ? '' : formatDuration(Date.parse(answeredAt) - Date.parse(startedAt));
  return [moment(startedAt), oneLine(model ?? ''), took].filter((part) => part !== '').join(' · ');
}

function budgetPieces(goal: GoalDetail): readonly Piece[] {
  const { tokensUsed, tokenBudget, activeMs, timeBudgetMs, verify, haltExpiry, trust } = goal;
  const tokens = `${tokensUsed} tokens${tokenBudget === null ? '' : ` of ${tokenBudget}`}`;
  const time = `${formatDuration(activeMs)} at work${timeBudgetMs === null ? '' : ` of ${formatDuration(timeBudgetMs)}`}`;
  const undoable = 'trust undoable: commands whose changes can be undone run without asking';
  return [
    fact(`${tokens}, ${time}`),
    ...(verify === null ? [] : [fact(`check: ${oneLine(verify)}`)]),
    ...(trust === 'ask' ? [] : [textPiece(undoable, 'warn', 1)]),
    ...(haltExpiry === null
      ? []
      : [fact(`an unanswered HALT becomes ${haltExpiry.verdict} after ${formatDuration(haltExpiry.afterMs)}`)]),
  ];
}

/** Formats the end of a goal. Done means verified only if there is a check. */
function endFacts({ state, verified, waitingFor, endedAt }: GoalDetail, moment: Moment): readonly Piece[] {
  const facts = [
    ...(state === 'done' ? [`done, ${verified ? 'verified' : 'unverified'}`] : []),
    ...(waitingFor === null ? [] : [`waiting for the ${waitingFor}`]),
    ...(endedAt === null ? [] : [`ended ${moment(endedAt)}`]),
  ];
  return facts.length === 0 ? [] : [fact(facts.join(', '))];
}

/** Formats evidence that was read on hosts before a command stopped something there. */
function evidenceFacts({ number, evidence, actions }: GoalDetail): readonly Piece[] {
  const facts = evidence.map(({ actionId, host, subjects, failed }) => {
    const action = actions.find(({ id }) => id === actionId);
    const before = action === undefined ? '' : ` before ${action.stepNumber}.${action.n}`;
    const missing = failed === null ? '' : ` (incomplete: ${oneLine(failed)})`;
    return fact(`evidence${before}: ${oneLine(subjects.join(', '))} on ${oneLine(host)}${missing}`);
  });
  return facts.length === 0 ? [] : [...facts, fact(`to read it: aish show g${number} --evidence`)];
}

/** Says how to undo the changes of an ended goal, as far as this is possible. */
function undoOffer(
  { number, state, actions, effects }: GoalDetail,
  undoable: GoalSnapshotList['items'] | null,
): readonly Piece[] {
  if (undoable === null || !isTerminal(state) || totalChangeLines(effects).length === 0) return [];
  const oldest = undoable.findLast(({ stepNumber }) => stepNumber !== null)?.stepNumber ?? null;
  if (oldest === null) return [fact('it cannot be undone: no layer or copy of the earlier workspace exists')];
  const first = actions.find(({ outcome }) => changesFiles(outcome?.effects));
  const isAll = first === undefined || oldest <= first.stepNumber;
  const what = isAll ? 'everything' : `the changes from step ${oldest} on`;
  return [fact(`to undo ${what}: aish undo g${number}`)];
}

function changesFiles(effects: Effects | undefined): boolean {
  return effects !== undefined && effects.created.files + effects.changed.files + effects.deleted.files > 0;
}

/** Formats a decision: its action, reason and answer. */
export function decisionStory(decision: Decision): readonly Piece[] {
  const { number, state, goalText, action: command, classification, createdAt, decidedAt } = decision;
  const answer = formatVerdict(decision);
  return [
    { as: 'text', spans: [span(`d${number}`, 'accent'), span(`  ${state}  ${formatPlace(decision)}`)], depth: 0 },
    ...(goalText === null ? [] : [textPiece(cleanText(goalText), 'plain', 1, { by: 'person' })]),
    ...formatReasons(decision).map((reason, n) => textPiece(`${n === 0 ? 'reason' : 'and'}: ${reason}`, 'bad', 1)),
    ...formatExecutionContext(decision.executionContext, Infinity).map((each) => textPiece(each, 'warn', 1)),
    ...formatDifference(decision).map((each) => textPiece(each, 'bad', 1)),
    commandPiece({ kind: 'command', command, classification }),
    ...formatApproval(decision).map((each) => textPiece(each, 'warn', 1)),
    fact(`asked ${formatMoment(createdAt)}`),
    textPiece(
      answer === null
        ? `answer: ${howToAnswer(decision)}`
        : `${answer}${decidedAt === null ? '' : `  ${formatMoment(decidedAt)}`}`,
      'warn',
      1,
    ),
  ];
}

import { actionText, type Action } from '@aish/contracts/actions';
import type { Decision } from '@aish/contracts/decisions';
import { inAllLines } from '@aish/contracts/effect-lines';
import type { Effects } from '@aish/contracts/effects';
import type { GoalSnapshotList } from '@aish/contracts/files';
import type { EventBody } from '@aish/contracts/events';
import { isTerminal, type GoalDetail, type Step } from '@aish/contracts/goals';
import type { Classification } from '@aish/contracts/safety';
import {
  formatApproval,
  formatDifference,
  formatPlace,
  formatReason,
  formatReasons,
  formatSurroundings,
  formatVerdict,
  howToAnswer,
} from './decision.format.js';
import { formatDuration, formatMoment } from './duration.format.js';
import { commandPiece, entryPieces, textPiece, type Piece, type Text } from './entry.pieces.js';
import { EventPrinter } from './event.printer.js';
import { formatSteps } from './goal.format.js';
import { span } from './line.js';
import { cleanText, oneLine } from './sanitise.js';

const fact = (text: string, depth = 1): Text => textPiece(text, 'dim', depth);

/**
 * The whole story of a goal, from its text to its end, nothing folded: what its events said, and when, and with what.
 * @param undoable what can be taken back of it now, newest first; null where nobody could say.
 * @param moment writes a moment; in local time unless it is given.
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
    fact(`${state}, ${formatSteps(goal)} steps, begun ${moment(at)}, ${goal.id}`),
    ...budgetPieces(goal),
    ...stepsStory(goal, moment),
    ...entryPieces({ type: 'end', state, text: summary ?? reason ?? '', effects, at }),
    ...endFacts(goal, moment),
    ...evidenceFacts(goal),
    ...undoOffer(goal, undoable),
  ];
}

/** The steps of a goal, and what each did. */
export function stepsStory(goal: GoalDetail, moment: Moment = formatMoment): readonly Piece[] {
  const printer = new EventPrinter();
  const say: Say = (body) => printer.print(body);
  return goal.steps.flatMap((step) => {
    const { n, text, model, usage } = step;
    const of = { goalId: goal.id, step: n };
    const actions = goal.actions.filter(({ stepNumber }) => stepNumber === n);
    const about = (id: string): readonly Piece[] =>
      goal.decisions.filter(({ actionId }) => actionId === id).flatMap((each) => asked(each, say, moment));
    const others = goal.decisions.filter(({ actionId, stepNumber }) => actionId === null && stepNumber === n);
    return [
      ...say({ type: 'step.started', ...of, stepBudget: goal.stepBudget }),
      fact(stepFacts(step, moment)),
      ...(text === null ? [fact('not answered')] : say({ type: 'step.answered', ...of, text, model, usage })),
      ...actions.flatMap((each) => [...begun(each, goal.id, say), ...about(each.id), ...ended(each, goal, say)]),
      ...others.flatMap((each) => asked(each, say, moment)),
    ];
  });
}

type Say = (body: EventBody) => readonly Piece[];
/** How a moment is written. */
type Moment = (at: string) => string;

function begun(action: Action, goalId: string, say: Say): readonly Piece[] {
  const { id: actionId, stepNumber: step, n, kind, classification } = action;
  const command = actionText(action);
  if (classification === null) return [commandPiece({ kind, command, classification })];
  const shown = say({ type: 'action.classified', goalId, actionId, step, n, kind, command, classification });
  const check = action.kind === 'command' && action.isCheck === true ? [fact('the check of the goal', 2)] : [];
  return [...shown, ...check, fact(classified(classification), 2)];
}

function classified(classification: Classification): string {
  const { verdict, reason, by, held } = classification;
  const why = reason === null ? '' : `: ${formatReason({ reason, classification })}`;
  const source = by === 'second-opinion' ? ' by second opinion' : '';
  return `classified ${verdict}${source}${why}${held === true ? '; it ran all the same, held until it was looked at' : ''}`;
}

function asked(decision: Decision, say: Say, moment: Moment): readonly Piece[] {
  const { id: decisionId, stepNumber: step, decidedAt } = decision;
  const when = decidedAt === null ? '' : `  ${moment(decidedAt)}`;
  return [
    ...say({ type: 'decision.requested', ...decision, decisionId, step, reason: formatReason(decision) }),
    textPiece(`d-${decision.number}: ${formatVerdict(decision) ?? 'waits for a verdict'}${when}`, 'warn', 2),
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
  return [fact(isLeft ? 'started; aish reads its result when the goal goes on' : state, 2)];
}

function stepFacts({ model, startedAt, answeredAt }: Step, moment: Moment): string {
  const took = answeredAt === null ? '' : formatDuration(Date.parse(answeredAt) - Date.parse(startedAt));
  return [moment(startedAt), oneLine(model ?? ''), took].filter((part) => part !== '').join(' · ');
}

function budgetPieces(goal: GoalDetail): readonly Piece[] {
  const { tokensUsed, tokenBudget, activeMs, timeBudgetMs, verify, haltExpiry, trust } = goal;
  const tokens = `${tokensUsed} tokens${tokenBudget === null ? '' : ` of ${tokenBudget}`}`;
  const time = `${formatDuration(activeMs)} at work${timeBudgetMs === null ? '' : ` of ${formatDuration(timeBudgetMs)}`}`;
  const undoable = 'trust undoable: what can be taken back runs without a question';
  return [
    fact(`${tokens}, ${time}`),
    ...(verify === null ? [] : [fact(`proved by: ${oneLine(verify)}`)]),
    ...(trust === 'ask' ? [] : [textPiece(undoable, 'warn', 1)]),
    ...(haltExpiry === null
      ? []
      : [fact(`a HALT becomes ${haltExpiry.verdict} after ${formatDuration(haltExpiry.afterMs)}`)]),
  ];
}

/** Done means proved only where there is a check. */
function endFacts({ state, verified, waitingFor, endedAt }: GoalDetail, moment: Moment): readonly Piece[] {
  const facts = [
    ...(state === 'done' ? [`done, ${verified ? 'verified' : 'unverified'}`] : []),
    ...(waitingFor === null ? [] : [`waits for the ${waitingFor}`]),
    ...(endedAt === null ? [] : [`ended ${moment(endedAt)}`]),
  ];
  return facts.length === 0 ? [] : [fact(facts.join(', '))];
}

/** What was read on hosts before a command ended something there. */
function evidenceFacts({ number, evidence, actions }: GoalDetail): readonly Piece[] {
  const facts = evidence.map(({ actionId, host, subjects, failed }) => {
    const action = actions.find(({ id }) => id === actionId);
    const before = action === undefined ? '' : ` before ${action.stepNumber}.${action.n}`;
    const missing = failed === null ? '' : ` (incomplete: ${oneLine(failed)})`;
    return fact(`evidence${before}: ${oneLine(subjects.join(', '))} on ${oneLine(host)}${missing}`);
  });
  return facts.length === 0 ? [] : [...facts, fact(`to read it: aish show g${number} --evidence`)];
}

/** How what a goal that has ended deleted and changed is taken back, as far as it can be. */
function undoOffer(
  { number, state, actions, effects }: GoalDetail,
  undoable: GoalSnapshotList['items'] | null,
): readonly Piece[] {
  if (undoable === null || !isTerminal(state) || inAllLines(effects).length === 0) return [];
  const oldest = undoable.at(-1);
  if (oldest === undefined)
    return [fact('it cannot be taken back: no layer or copy of the workspace from before is kept')];
  const first = actions.find(({ outcome }) => changesFiles(outcome?.effects));
  const isAll = first === undefined || oldest.stepNumber <= first.stepNumber;
  const what = isAll ? 'it all' : `what was done from step ${oldest.stepNumber} on`;
  return [fact(`to take ${what} back: aish undo g${number}`)];
}

function changesFiles(effects: Effects | undefined): boolean {
  return effects !== undefined && effects.created.files + effects.changed.files + effects.deleted.files > 0;
}

/** One decision: what was asked, why, and the answer. */
export function decisionStory(decision: Decision): readonly Piece[] {
  const { number, state, goalText, action: command, classification, createdAt, decidedAt } = decision;
  const answer = formatVerdict(decision);
  return [
    { as: 'text', spans: [span(`d-${number}`, 'accent'), span(`  ${state}  ${formatPlace(decision)}`)], depth: 0 },
    ...(goalText === null ? [] : [textPiece(cleanText(goalText), 'plain', 1, { by: 'person' })]),
    ...formatReasons(decision).map((reason, n) => textPiece(`${n === 0 ? 'reason' : 'and'}: ${reason}`, 'bad', 1)),
    ...formatSurroundings(decision.surroundings).map((each) => textPiece(each, 'warn', 1)),
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

import { actionText, type Action } from '@aish/contracts/actions';
import type { Decision } from '@aish/contracts/decisions';
import { inAllLines, type Effects } from '@aish/contracts/effects';
import type { GoalSnapshotList } from '@aish/contracts/files';
import { isTerminal, type GoalDetail, type Step } from '@aish/contracts/goals';
import { otherReasons } from '@aish/contracts/marked-text';
import { line, span, type Line, type Style } from './line.js';
import { cleanText, oneLine } from './sanitise.js';
import {
  formatApproval,
  formatDifference,
  formatPlace,
  formatReason,
  formatReasons,
  formatSurroundings,
  formatVerdict,
  markGuilty,
} from './decision.format.js';
import { formatDuration, formatMoment } from './duration.format.js';
import { formatEnding, formatSteps, formatUsage, stateLook } from './goal.format.js';

/**
 * The whole story of a goal, from its text to its end, nothing folded.
 * @param undoable what can be taken back of it now, newest first; null where nobody could say.
 */
export function goalStory(goal: GoalDetail, undoable: GoalSnapshotList['items'] | null): readonly Line[] {
  return [
    [
      span(`goal ${goal.number}`, 'accent'),
      span('  '),
      span(goal.state, stateLook(goal.state).style),
      span(`  ${formatSteps(goal)} steps  preset ${oneLine(goal.preset)}`),
    ],
    ...paragraph(cleanText(goal.text), 'bold', '  '),
    line(`  begun ${formatMoment(goal.createdAt)}  ${goal.id}`, 'dim'),
    ...budgetLines(goal),
    ...stepsStory(goal),
    line(''),
    ...endStory(goal, undoable),
  ];
}

/** The steps of a goal, and what each did. */
export function stepsStory(goal: GoalDetail): readonly Line[] {
  const actionsOf = (step: Step) => goal.actions.filter(({ stepNumber }) => stepNumber === step.n);
  const decisionsOf = (action: Action) => goal.decisions.filter(({ actionId }) => actionId === action.id);
  return goal.steps.flatMap((step) => [
    line(''),
    ...stepStory(step, goal.stepBudget),
    ...actionsOf(step).flatMap((action) => actionStory(action, goal.number, decisionsOf(action))),
  ]);
}

function budgetLines(goal: GoalDetail): readonly Line[] {
  const { tokensUsed, tokenBudget, activeMs, timeBudgetMs, verify, haltExpiry, trust } = goal;
  const tokens = `${tokensUsed} tokens${tokenBudget === null ? '' : ` of ${tokenBudget}`}`;
  const time = `${formatDuration(activeMs)} at work${timeBudgetMs === null ? '' : ` of ${formatDuration(timeBudgetMs)}`}`;
  return [
    line(`  ${tokens}, ${time}`, 'dim'),
    ...(verify === null ? [] : [line(`  proved by: ${oneLine(verify)}`, 'dim')]),
    ...(trust === 'ask' ? [] : [line('  trust undoable: what can be taken back runs without a question', 'warn')]),
    ...(haltExpiry === null
      ? []
      : [line(`  a HALT becomes ${haltExpiry.verdict} after ${formatDuration(haltExpiry.afterMs)}`, 'dim')]),
  ];
}

/** What is a yes to it on the command line. */
const YES: Partial<Record<Decision['kind'], string>> = { question: 'answer "…"', need: 'give' };

/** One decision: what was asked, why, and the answer. */
export function decisionStory(decision: Decision): readonly Line[] {
  const answer = formatVerdict(decision);
  return [
    [span(`d-${decision.number}`, 'accent'), span(`  ${decision.state}  ${formatPlace(decision)}`)],
    ...paragraph(cleanText(decision.goalText ?? ''), 'plain', '  '),
    ...formatReasons(decision).map((reason, n) => line(`  ${n === 0 ? 'reason' : 'and'}: ${reason}`, 'bad')),
    ...formatSurroundings(decision.surroundings).map((each) => line(`  ${each}`, 'warn')),
    ...formatDifference(decision.difference).map((each) => line(`  ${each}`, 'bad')),
    ...commandLines(decision.action, decision.classification, '  '),
    ...formatApproval(decision).map((each) => line(`  ${each}`, 'warn')),
    line(`  asked ${formatMoment(decision.createdAt)}`, 'dim'),
    ...(answer === null
      ? [line(`  answer: aish decide d-${decision.number} ${YES[decision.kind] ?? 'proceed'}|skip|abort`, 'warn')]
      : [line(`  ${answer}${at(decision.decidedAt)}`, 'warn')]),
  ];
}

/** A command as it is run, and under it, for those who see no colours, a mark below its guilty part. */
export function commandLines(
  command: string,
  classification: Decision['classification'],
  indent: string,
  kind: Action['kind'] = 'command',
): readonly Line[] {
  const risky = classification !== null && classification.verdict !== 'safe' ? classification : null;
  const shown = markGuilty(command, risky);
  const lines = splitLines([span(`${indent}${kind === 'command' ? '$' : '⚙'} `, 'accent'), ...shown], `${indent}  `);
  if (shown.length < 2 || command.includes('\n')) return lines;
  const marks = shown.map(({ text, style }) => (style === 'guilty' ? '^' : ' ').repeat(text.length)).join('');
  return [...lines, line(`${indent}  ${marks.trimEnd()}`, 'bad')];
}

function stepStory({ n, text, model, usage, startedAt, answeredAt }: Step, budget: number): readonly Line[] {
  const took = answeredAt === null ? [] : [formatDuration(Date.parse(answeredAt) - Date.parse(startedAt))];
  const facts = [oneLine(model ?? ''), formatUsage(usage), ...took].filter((fact) => fact !== '').join(' · ');
  return [
    [span(`step ${n}/${budget}`, 'accent'), span(`  ${formatMoment(startedAt)}  ${facts}`, 'dim')],
    ...(text === null ? [line('  not answered', 'dim')] : paragraph(cleanText(text).trim(), 'plain', '  ')),
  ];
}

function actionStory(action: Action, goal: number, decisions: readonly Decision[]): readonly Line[] {
  return [
    ...commandLines(actionText(action), action.classification, '  ', action.kind),
    ...classified(action),
    ...decisions.flatMap((decision) => [
      line(`    HALT d-${decision.number}: ${formatReason(decision)}  ${formatMoment(decision.createdAt)}`, 'bad'),
      ...formatSurroundings(decision.surroundings).map((each) => line(`      ${each}`, 'warn')),
      ...formatDifference(decision.difference).map((each) => line(`      ${each}`, 'bad')),
      line(`    ${formatVerdict(decision) ?? 'waits for a verdict'}${at(decision.decidedAt)}`, 'warn'),
    ]),
    ...ended(action, goal),
  ];
}

function classified({ classification }: Action): readonly Line[] {
  if (classification === null) return [];
  const { verdict, reason, ruleId, by, excusedBy = [] } = classification;
  const excused = excusedBy.length === 0 ? null : `excused by ${excusedBy.join(', ')}`;
  const why = [reason, ruleId, ...otherReasons(classification), excused]
    .filter((part) => part !== null)
    .map(oneLine)
    .join(', ');
  const source = by === 'second-opinion' ? ' by second opinion' : '';
  const held = classification.held === true ? '; it ran all the same, held until it was looked at' : '';
  return [line(`    classified ${verdict}${source}${why === '' ? '' : `: ${why}`}${held}`, 'dim')];
}

function ended({ state, outcome, result, stepNumber, skipReason }: Action, goal: number): readonly Line[] {
  if (outcome === null && result === null) {
    if (state === 'lost') return [line('    lost: nobody knows how it ended; it is not run again', 'bad')];
    const why = skipReason === undefined ? '' : `: ${oneLine(skipReason)}`;
    return [line(`    ${state === 'skipped' ? `not run${why}` : state}`, 'dim')];
  }
  const ending = formatEnding({ outcome, result });
  const { text, isGood, omittedBytes } = ending;
  const where = outcome === null ? '' : `; aish output ${goal}.${stepNumber} prints all that is kept`;
  const omitted = omittedBytes === 0 ? [] : [line(`    … ${omittedBytes} bytes left out${where}`, 'dim')];
  const output = cleanText(ending.output).replace(/\n+$/, '');
  return [
    ...(output === '' ? [] : paragraph(output, 'dim', '    ')),
    ...omitted,
    line(`    ${text}`, isGood ? 'good' : 'bad'),
    ...(outcome?.unheld === undefined ? [] : [line(`    not held: ${oneLine(outcome.unheld)}`, 'dim')]),
  ];
}

function endStory(goal: GoalDetail, undoable: GoalSnapshotList['items'] | null): readonly Line[] {
  const { symbol, style } = stateLook(goal.state);
  const when = goal.endedAt === null ? '' : `  ${formatMoment(goal.endedAt)}`;
  const waits = goal.waitingFor === null ? '' : ` for the ${goal.waitingFor}`;
  return [
    [span(`${symbol} ${goal.state}${waits}${proofOf(goal)}`, style), span(when, 'dim')],
    ...paragraph(cleanText(goal.summary ?? goal.reason ?? ''), 'plain', '  '),
    ...inAllStory(goal, undoable),
  ];
}

/** Of a goal that has ended: what it deleted and changed in all, and how that is taken back, as far as it can be. */
function inAllStory(goal: GoalDetail, undoable: GoalSnapshotList['items'] | null): readonly Line[] {
  const lines = isTerminal(goal.state) ? inAllLines(goal.effects) : [];
  if (lines.length === 0) return [];
  return [
    ...lines.map((each) => line(`  ${cleanText(each)}`, 'warn')),
    ...(undoable === null ? [] : [line(`  ${undoOffer(goal, undoable)}`, 'dim')]),
  ];
}

function undoOffer({ number, actions }: GoalDetail, undoable: GoalSnapshotList['items']): string {
  const oldest = undoable.at(-1);
  if (oldest === undefined) return 'it cannot be taken back: no layer or copy of the workspace from before is kept';
  const first = actions.find(({ outcome }) => changesFiles(outcome?.effects));
  const isAll = first === undefined || oldest.stepNumber <= first.stepNumber;
  const what = isAll ? 'it all' : `what was done from step ${oldest.stepNumber} on`;
  return `to take ${what} back: aish undo g${number}`;
}

function changesFiles(effects: Effects | undefined): boolean {
  return effects !== undefined && effects.created.files + effects.changed.files + effects.deleted.files > 0;
}

/** Done means proved only where there is a check. */
function proofOf({ state, verified }: GoalDetail): string {
  if (state !== 'done') return '';
  return verified ? ', verified' : ', unverified';
}

function at(moment: string | null): string {
  return moment === null ? '' : `  ${formatMoment(moment)}`;
}

function paragraph(text: string, style: Style, indent: string): readonly Line[] {
  return text === '' ? [] : text.split('\n').map((each) => line(`${indent}${each}`, style));
}

function splitLines(spans: Line, indent: string): readonly Line[] {
  const lines: Line[] = [[]];
  for (const { text, style } of spans) {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines.push([span(indent)]);
      lines[lines.length - 1] = [...(lines.at(-1) ?? []), span(part, style)];
    }
  }
  return lines;
}

import { isLastQuestion } from '@aish/contracts/decision-rules';
import type { Decision, DecisionKind, Verdict } from '@aish/contracts/decisions';
import { approvalLines } from '@aish/contracts/approval-lines';
import { runAgainReason } from '@aish/contracts/run-again-reason';
import type { Preview } from '@aish/contracts/files';
import { differenceLines } from '@aish/contracts/effect-lines';
import { markedParts, otherReasons } from '@aish/contracts/marked-text';
import type { Classification } from '@aish/contracts/safety';
import { surroundingLines } from '@aish/contracts/surrounding-lines';
import { isJsonObject } from '@aish/contracts/json-text';
import { oneLine, showExact } from './sanitise.js';
import { span, type Span } from './line.js';

/** The exact action with the parts that rules object to in style `guilty`. May contain line breaks. */
export function markGuilty(action: string, classification: Classification | null): Span[] {
  return markedParts(action, classification).map(({ text, isGuilty }) =>
    span(showExact(text), isGuilty ? 'guilty' : 'bold'),
  );
}

const TOOL_CALL = /^\s*([\w-]+(?:\.[\w-]+)+)\s+(\{[\s\S]*\})\s*$/;

/** The name and the arguments of a tool's call, as decisions show them; null for a command. */
export function toolCall(action: string): { readonly name: string; readonly args: string } | null {
  const [, name, args] = TOOL_CALL.exec(action) ?? [];
  return name === undefined || args === undefined || !isJsonObject(args) ? null : { name, args };
}

/** What of an action a person may change: the command, or the arguments of a tool. */
export function editableAction({ action }: Pick<Decision, 'action'>): string {
  return toolCall(action)?.args ?? action;
}

/** Actions of goals can be run in another form; in a chat one says so instead. */
export function canEdit({ goalId, kind, difference }: Pick<Decision, 'goalId' | 'kind' | 'difference'>): boolean {
  return difference === null && goalId !== null && (kind === 'halt' || kind === 'check');
}

/** Whether letting it run can be made good for the rest of its goal or chat. */
export function canGrant({ goalId, kind, difference }: Pick<Decision, 'goalId' | 'kind' | 'difference'>): boolean {
  return difference === null && (goalId === null ? kind === 'command' || kind === 'tool' : kind === 'halt');
}

/** Whether it can be run before it counts: a command of a goal or of a chat. */
export function canPreview({
  action,
  actionId,
  kind,
  difference,
}: Pick<Decision, 'action' | 'actionId' | 'kind' | 'difference'>): boolean {
  return (
    difference === null && actionId !== null && (kind === 'halt' || kind === 'command') && toolCall(action) === null
  );
}

/** What `proceed` does after a preview. */
export function formatKeeps({ whyAnew }: Pick<Preview, 'whyAnew'>): string {
  return whyAnew === null ? 'Proceed keeps this run.' : `Proceed runs it again: ${runAgainReason(whyAnew)}.`;
}

/** What a decision is, in capitals. */
export function kindLabel(kind: DecisionKind): string {
  switch (kind) {
    case 'halt':
      return 'HALT';
    case 'check':
      return 'CHECK';
    case 'tool':
      return 'CONFIRM TOOL';
    case 'command':
      return 'CONFIRM COMMAND';
    case 'need':
      return 'NEED';
    case 'question':
    case 'elicitation':
      return 'QUESTION';
  }
}

/** `deletes a folder for good (files.rm-recursive)`, then what else speaks against it: one reason a piece. */
export function formatReasons({ reason, classification }: Pick<Decision, 'reason' | 'classification'>): string[] {
  // An opinion that found nothing is no reason: what asks then is the policy.
  const isFromOpinion = classification?.by === 'second-opinion' && classification.verdict !== 'safe';
  const rule = classification?.ruleId ?? (isFromOpinion ? 'second opinion' : null);
  const excused = (classification?.excusedBy ?? []).map((id) => `your rule ${id} excuses a part of it`);
  return [rule === null ? reason : `${reason} (${rule})`, ...otherReasons(classification), ...excused].map(oneLine);
}

/** The same on one line. */
export function formatReason(decision: Pick<Decision, 'reason' | 'classification'>): string {
  return formatReasons(decision).join('; ');
}

/** Whether earlier commands set variables that change what it means. */
export function hasCarried(surroundings: Decision['surroundings']): boolean {
  return (surroundings?.variables.length ?? 0) > 0;
}

/** What a command did that has run and waits for a verdict, a line each. */
export function formatDifference({ difference, number }: Pick<Decision, 'difference' | 'number'>): string[] {
  return differenceLines(difference, number).map(showExact);
}

/** Who has let it run, who has to, and when it may, a line each. */
export function formatApproval(decision: Pick<Decision, 'approval' | 'state'>): string[] {
  return approvalLines(decision).map(showExact);
}

/** What became of a verdict: given, or kept until another person says so, too, or the change window opens. */
export function formatGiven(decision: Decision): string {
  return formatVerdict(decision) ?? (formatApproval(decision).join('; ') || decision.state);
}

type Answerable = Pick<Decision, 'difference' | 'attempt' | 'goalId'>;

/** What a verdict is called on a card: otherwise where a command has run already, and at the last question about a refusal. */
export function verdictLabel({ difference, attempt, goalId }: Answerable, verdict: Exclude<Verdict, 'edit'>): string {
  if (verdict === 'instead') return 'not this way';
  if (isLastQuestion({ attempt })) {
    return { proceed: 'allow it', skip: 'stop trying', abort: goalId === null ? 'end it' : 'end the goal' }[verdict];
  }
  if (difference === null || verdict === 'abort') return verdict;
  return verdict === 'proceed' ? 'keep' : 'roll back';
}

/** Where a command would begin, exactly, a line each. */
export function formatSurroundings(surroundings: Decision['surroundings']): string[] {
  return surroundingLines(surroundings).map(showExact);
}

const YES: Partial<Record<DecisionKind, string>> = {
  question: 'answer "…"',
  need: 'give',
  elicitation: `accept --answer '{…}'`,
};

/** What answers a decision on the command line. */
export function howToAnswer({ number, kind }: Pick<Decision, 'number' | 'kind'>): string {
  return `aish decide d-${number} ${YES[kind] ?? 'proceed'} (or ${kind === 'elicitation' ? 'decline, or cancel' : 'skip, or abort'})`;
}

/** `goal 4  step 3/16`, or `chat  step 3`: what a decision holds up. */
export function formatPlace(decision: Decision): string {
  const { goalNumber } = decision;
  return `${goalNumber === null ? 'chat' : `goal ${goalNumber}`}  ${formatStep(decision)}`.trimEnd();
}

/** `step 3/16`; without a budget `step 3`; '' where there is no step. */
export function formatStep({ stepNumber, stepBudget }: Decision): string {
  if (stepNumber === null) return '';
  return `step ${stepNumber}${stepBudget === null ? '' : `/${stepBudget}`}`;
}

/** `proceed by admin`, `withdrawn: its goal ended`, or null while it waits. */
export function formatVerdict(
  decision: Pick<Decision, 'state' | 'verdict' | 'decidedBy' | 'message' | 'edited' | 'granted' | 'carried'> &
    Partial<Pick<Decision, 'kind' | 'answer' | 'goalId'>>,
): string | null {
  if (decision.state === 'withdrawn') return 'withdrawn: what it held up ended first';
  if (decision.verdict === null) return null;
  const by = oneLine(decision.decidedBy ?? 'someone');
  const said = decision.kind === 'question' ? decision.answer?.['answer'] : undefined;
  if (typeof said === 'string') return `answered by ${by}: “${oneLine(said)}”`;
  const reach = decision.kind === 'need' ? reachGiven(decision) : null;
  if (reach !== null) return `${reach} by ${by}${decision.message === null ? '' : `: “${oneLine(decision.message)}”`}`;
  const edited = decision.edited === null ? '' : `, instead: ${oneLine(decision.edited)}`;
  const granted = decision.granted === null ? '' : `, granted for this ${decision.granted}`;
  const carried = decision.carried ? ', with the variables of earlier commands' : '';
  const message = decision.message === null ? '' : `: “${oneLine(decision.message)}”`;
  return `${decision.verdict} by ${by}${edited}${granted}${carried}${message}`;
}

/** What was said to a need. */
function reachGiven({
  verdict,
  answer,
  goalId,
}: Pick<Decision, 'verdict'> & Partial<Pick<Decision, 'answer' | 'goalId'>>): string | null {
  if (verdict === 'skip') return 'not given';
  if (verdict !== 'proceed') return null;
  const given = `given to the ${goalId === null ? 'chat' : 'goal'}`;
  return answer?.['for'] === 'space' ? `${given} and its space` : given;
}

import { isLastQuestion } from '@aish/contracts/decision-rules';
import type { Decision, DecisionKind, Verdict } from '@aish/contracts/decisions';
import { approvalLines } from '@aish/contracts/approval-lines';
import { rerunReasonText } from '@aish/contracts/rerun-reason';
import type { Preview } from '@aish/contracts/files';
import { differenceLines } from '@aish/contracts/effect-lines';
import { markedParts, otherReasons } from '@aish/contracts/marked-text';
import type { Classification } from '@aish/contracts/safety';
import { executionContextLines } from '@aish/contracts/execution-context-lines';
import { isJsonObject } from '@aish/contracts/json-text';
import { oneLine, showExact } from './sanitise.js';
import { span, type Span } from './line.js';

/** Returns the exact action, with the objectionable parts in style `guilty`. It may contain line breaks. */
export function markGuilty(action: string, classification: Classification | null): Span[] {
  return markedParts(action, classification).map(({ text, isGuilty }) =>
    span(showExact(text), isGuilty ? 'guilty' : 'bold'),
  );
}

const TOOL_CALL = /^\s*([\w-]+(?:\.[\w-]+)+)\s+(\{[\s\S]*\})\s*$/;

/** Returns the name and arguments of a tool call, as decisions show them; null for a command. */
export function toolCall(action: string): { readonly name: string; readonly args: string } | null {
  const [, name, args] = TOOL_CALL.exec(action) ?? [];
  return name === undefined || args === undefined || !isJsonObject(args) ? null : { name, args };
}

/** Returns the part of an action that a person may edit: the command, or a tool's arguments. */
export function editableAction({ action }: Pick<Decision, 'action'>): string {
  return toolCall(action)?.args ?? action;
}

/** Whether the action can be edited. Only actions of goals can. In a chat, the person says what they want instead. */
export function canEdit({ goalId, kind, difference }: Pick<Decision, 'goalId' | 'kind' | 'difference'>): boolean {
  return difference === null && goalId !== null && (kind === 'halt' || kind === 'check' || kind === 'plan');
}

/** Whether the approval can become a grant for its goal or chat. */
export function canGrant({ goalId, kind, difference }: Pick<Decision, 'goalId' | 'kind' | 'difference'>): boolean {
  return difference === null && (goalId === null ? kind === 'command' || kind === 'tool' : kind === 'halt');
}

/** Whether the decision has a preview. Decisions about commands of goals and chats do. */
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

/** Says what `proceed` does after a preview. */
export function formatKeeps({ rerunReason }: Pick<Preview, 'rerunReason'>): string {
  return rerunReason === null
    ? 'Proceed keeps this run.'
    : `Proceed runs it again, because ${rerunReasonText(rerunReason)}.`;
}

/** Returns the kind of a decision, in capitals. */
export function kindLabel(kind: DecisionKind): string {
  switch (kind) {
    case 'halt':
      return 'HALT';
    case 'check':
      return 'CHECK';
    case 'plan':
      return 'PLAN';
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

/** Formats the reasons, one string each: first `deletes a folder for good (files.rm-recursive)`, then the others. */
export function formatReasons({ reason, classification }: Pick<Decision, 'reason' | 'classification'>): string[] {
  const rule = classification?.ruleId ?? null;
  const excused = (classification?.excusedBy ?? []).map((id) => `your rule ${id} allows part of it`);
  return [rule === null ? reason : `${reason} (${rule})`, ...otherReasons(classification), ...excused].map(oneLine);
}

/** Formats the reasons on one line. */
export function formatReason(decision: Pick<Decision, 'reason' | 'classification'>): string {
  return formatReasons(decision).join('; ');
}

/** Whether variables of earlier commands change the meaning of the action. */
export function hasCarried(executionContext: Decision['executionContext']): boolean {
  return (executionContext?.variables.length ?? 0) > 0;
}

/** Formats the changes of a command that has run and waits for a verdict, one per line. */
export function formatDifference({ difference, number }: Pick<Decision, 'difference' | 'number'>): string[] {
  return differenceLines(difference, number).map(showExact);
}

/** Says who approved the action, who must still approve it, and when it may run, one per line. */
export function formatApproval(decision: Pick<Decision, 'approval' | 'state'>): string[] {
  return approvalLines(decision).map(showExact);
}

/**
 * Formats the result of a verdict: it was given, or it is stored until another person approves too or the change window
 * opens.
 */
export function formatGiven(decision: Decision): string {
  return formatVerdict(decision) ?? (formatApproval(decision).join('; ') || decision.state);
}

type Answerable = Pick<Decision, 'difference' | 'attempt' | 'goalId'>;

/**
 * Returns the label of a verdict on a card. It differs if a command has already run, and at the last question about a
 * refusal.
 */
export function verdictLabel({ difference, attempt, goalId }: Answerable, verdict: Exclude<Verdict, 'edit'>): string {
  if (verdict === 'instead') return 'not this way';
  if (isLastQuestion({ attempt })) {
    return { proceed: 'allow it', skip: 'stop trying', abort: goalId === null ? 'end it' : 'end the goal' }[verdict];
  }
  if (difference === null || verdict === 'abort') return verdict;
  return verdict === 'proceed' ? 'keep' : 'roll back';
}

/** Says exactly where a command would start, one fact per line. */
export function formatExecutionContext(executionContext: Decision['executionContext'], scriptLines?: number): string[] {
  return executionContextLines(executionContext, scriptLines).map(showExact);
}

const YES: Partial<Record<DecisionKind, string>> = {
  question: 'answer "…"',
  need: 'give',
  elicitation: `accept --answer '{…}'`,
};

/** Returns the command that answers a decision. */
export function howToAnswer({ number, kind }: Pick<Decision, 'number' | 'kind'>): string {
  return `aish decide d${number} ${YES[kind] ?? 'proceed'} (or ${kind === 'elicitation' ? 'decline or cancel' : 'skip or abort'})`;
}

/** Formats the place of a decision: `goal 4 step 3/16`, or `chat step 3`. */
export function formatPlace(decision: Decision): string {
  const { goalNumber } = decision;
  return `${goalNumber === null ? 'chat' : `goal ${goalNumber}`}  ${formatStep(decision)}`.trimEnd();
}

/** Formats a step: `step 3/16`; `step 3` without a budget; '' without a step. */
export function formatStep({ stepNumber, stepBudget }: Decision): string {
  if (stepNumber === null) return '';
  return `step ${stepNumber}${stepBudget === null ? '' : `/${stepBudget}`}`;
}

/** Formats a verdict: `proceed by admin`, `withdrawn: its goal ended`, or null while the decision is open. */
export function formatVerdict(
  decision: Pick<Decision, 'state' | 'verdict' | 'decidedBy' | 'message' | 'edited' | 'granted' | 'carried'> &
    Partial<Pick<Decision, 'kind' | 'answer' | 'goalId'>>,
): string | null {
  if (decision.state === 'withdrawn') return 'withdrawn: no longer needed';
  if (decision.verdict === null) return null;
  const by = oneLine(decision.decidedBy ?? 'someone');
  const answerText = decision.kind === 'question' ? decision.answer?.['answer'] : undefined;
  if (typeof answerText === 'string') return `answered by ${by}: “${oneLine(answerText)}”`;
  const access = decision.kind === 'need' ? accessGiven(decision) : null;
  if (access !== null)
    return `${access} by ${by}${decision.message === null ? '' : `: “${oneLine(decision.message)}”`}`;
  const edited = decision.edited === null ? '' : `, new command: ${oneLine(decision.edited)}`;
  const granted = decision.granted === null ? '' : `, granted for this ${decision.granted}`;
  const carried = decision.carried ? ', with the variables of earlier commands' : '';
  const message = decision.message === null ? '' : `: “${oneLine(decision.message)}”`;
  return `${decision.verdict} by ${by}${edited}${granted}${carried}${message}`;
}

/** Formats the answer to a request for access. */
function accessGiven({
  verdict,
  answer,
  goalId,
}: Pick<Decision, 'verdict'> & Partial<Pick<Decision, 'answer' | 'goalId'>>): string | null {
  if (verdict === 'skip') return 'not given';
  if (verdict !== 'proceed') return null;
  const given = `given to the ${goalId === null ? 'chat' : 'goal'}`;
  return answer?.['for'] === 'space' ? `${given} and its space` : given;
}

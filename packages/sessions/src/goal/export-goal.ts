import { actionText, type Action } from '@aish/contracts/actions';
import type { Decision } from '@aish/contracts/decisions';
import { differenceLines, inAllLines } from '@aish/contracts/effects';
import { isTerminal, type GoalDetail, type Step } from '@aish/contracts/goals';
import { surroundingLines } from '@aish/contracts/surroundings';
import { summarizeRecord } from './summarize-record.js';

/** The whole story of a goal as Markdown: plan, actions, verdicts, results, what it cost. Pure. */
export function goalMarkdown(goal: GoalDetail): string {
  const { number, text, state, reason, summary } = goal;
  const facts = [
    `- state: **${state}**${state === 'done' ? (goal.verified ? ' (verified)' : ' (unverified)') : ''}`,
    ...(reason === null ? [] : [`- reason: ${oneLine(reason)}`]),
    `- preset: ${goal.preset}, steps: ${goal.stepsTaken} of ${goal.stepBudget}, tokens: ${goal.tokensUsed}`,
    `- given ${goal.createdAt}${goal.endedAt === null ? '' : `, ended ${goal.endedAt}`}`,
    ...(goal.verify === null ? [] : [`- check: ${inlineCode(goal.verify)}`]),
  ];
  return [
    `# Goal ${number}`,
    '',
    quote(text),
    '',
    ...facts,
    '',
    ...goal.steps.flatMap((step) => stepLines(goal, step)),
    '## End',
    '',
    summary ?? (isTerminal(state) ? summarizeRecord(goal) : (reason ?? state)),
    '',
    ...inAllMarkdown(goal),
  ].join('\n');
}

function inAllMarkdown({ state, effects }: GoalDetail): readonly string[] {
  const lines = isTerminal(state) ? inAllLines(effects) : [];
  return lines.length === 0 ? [] : [...code(lines.join('\n')), ''];
}

function stepLines(goal: GoalDetail, step: Step): readonly string[] {
  const { n, text, model, usage, startedAt, answeredAt } = step;
  const modelMs = answeredAt === null ? null : Date.parse(answeredAt) - Date.parse(startedAt);
  const actions = goal.actions.filter(({ stepNumber }) => stepNumber === n);
  const sandboxMs = actions.reduce((sum, { outcome }) => sum + (outcome?.durationMs ?? 0), 0);
  const facts = [
    model,
    usage === null ? null : `${usage.promptTokens ?? '?'} tokens read (${usage.cachedTokens ?? 0} cached)`,
    usage === null ? null : `${usage.completionTokens ?? '?'} written`,
    modelMs === null ? null : `model ${seconds(modelMs)}`,
    sandboxMs === 0 ? null : `sandbox ${seconds(sandboxMs)}`,
  ].filter((fact) => fact !== null);
  return [
    `## Step ${n}`,
    '',
    ...(facts.length === 0 ? [] : [`*${facts.join(' · ')}*`, '']),
    text === null ? '*not answered*' : quote(text.trim()),
    '',
    ...actions.flatMap((action) =>
      actionLines(
        action,
        goal.decisions.filter(({ actionId }) => actionId === action.id),
      ),
    ),
    ...goal.decisions
      .filter(({ kind, stepNumber }) => kind in ASKED && stepNumber === n)
      .flatMap((decision) => [
        `**${ASKED[decision.kind] ?? 'Question'}** d-${decision.number}${verdictOf(decision)}`,
        '',
        ...code(decision.action),
        '',
      ]),
  ];
}

/** What a model itself wants of a person. */
const ASKED: Partial<Record<Decision['kind'], string>> = {
  check: 'Check proposed',
  question: 'Question',
  need: 'Need',
};

function actionLines(action: Action, decisions: readonly Decision[]): readonly string[] {
  const { classification, state, outcome, result } = action;
  const judged = classification === null ? '' : `, classified ${classification.verdict}`;
  const kind = action.kind === 'tool' ? 'Tool call' : action.isCheck === true ? 'Check' : 'Command';
  const output = outcome?.output ?? result?.text ?? '';
  const ending = outcome === null ? state : `exit ${outcome.exitCode ?? '?'} after ${seconds(outcome.durationMs)}`;
  return [
    `**${kind}** (${ending}${judged})`,
    '',
    ...code(actionText(action)),
    '',
    ...decisions.flatMap((decision) => [
      `- HALT d-${decision.number}: ${oneLine(decision.reason)}${verdictOf(decision)}`,
      ...surroundingLines(decision.surroundings).map((each) => `  - ${inlineCode(each)}`),
      ...differenceLines(decision.difference).map((each) => `  - ${inlineCode(each.trim())}`),
    ]),
    ...(decisions.length === 0 ? [] : ['']),
    ...(output === '' ? [] : [...code(output.trimEnd()), '']),
  ];
}

function verdictOf({ state, verdict, decidedBy, message, edited, granted, carried }: Decision): string {
  if (verdict === null) return ` — ${state}`;
  const instead = edited === null ? '' : `, instead: ${inlineCode(edited)}`;
  const grant = granted === null ? '' : `, granted for this ${granted}`;
  const kept = carried ? ', with the variables of earlier commands' : '';
  return ` — **${verdict}** by ${decidedBy ?? 'someone'}${instead}${grant}${kept}${message === null ? '' : `: ${oneLine(message)}`}`;
}

/** A fence that is longer than any within. */
function code(text: string): readonly string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return [fence, text, fence];
}

function inlineCode(text: string): string {
  return text.includes('`') ? `\`\` ${oneLine(text)} \`\`` : `\`${oneLine(text)}\``;
}

function quote(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

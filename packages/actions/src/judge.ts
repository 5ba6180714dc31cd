import { actionText } from '@aish/contracts/actions';
import { grantableRule } from '@aish/contracts/grants';
import type { Classification } from '@aish/contracts/safety';
import type { ToolSpec } from '@aish/contracts/tools';
import { findApprovals } from '@aish/database/approvals.repository';
import { BUILT_IN_IS_SAFE, authorize } from '@aish/tools';
import type { Action, Judgement } from './action.js';
import { lastLines, type ActionContext, type ActionPorts } from './context.js';
import { needsPerson } from './life/begin.js';

type Opinion = Omit<Judgement, 'actionId' | 'grant'>;

const DESCRIPTION_MAX_CHARS = 2_000;

/** Asks the gate about an action, the policy about its tool, and whether a person has granted what they stop. */
export async function judge(
  action: Action,
  context: ActionContext,
  ports: ActionPorts,
  signal: AbortSignal,
): Promise<Judgement> {
  const opinion = await opinionOf(action, context, ports, signal);
  const ruleId = grantableRule(opinion.classification);
  const grant = needsPerson(opinion) ? await context.permissions.grantFor(actionText(action), ruleId) : null;
  return { actionId: action.id, ...opinion, grant };
}

async function opinionOf(
  action: Action,
  context: ActionContext,
  { gate, toolbox, db }: ActionPorts,
  signal: AbortSignal,
): Promise<Opinion> {
  const { session, permissions, words } = context;
  if (action.kind === 'command') {
    const classification = await gate.judge(action.command, session.sessionId, signal);
    const isConfirmed = classification.verdict === 'safe' && permissions.confirmCommands;
    return { classification, ...(isConfirmed ? { confirm: 'the model proposes a command' } : {}) };
  }
  const call = { id: action.callId, name: action.tool, arguments: action.arguments };
  const prepared = toolbox.prepare(call, await toolbox.specs(session));
  // Nothing is called that cannot be prepared: the model gets the fault as the result.
  if ('refused' in prepared || prepared.ready.isBuiltIn) return { classification: BUILT_IN_IS_SAFE };
  const { spec, args } = prepared.ready;
  const { readOnlyHint, destructiveHint } = spec.annotations;
  const annotations = {
    ...(readOnlyHint === undefined ? {} : { readOnlyHint }),
    ...(destructiveHint === undefined ? {} : { destructiveHint }),
  };
  const keepsOld = spec.keepsOld === true;
  const { name } = prepared.ready.call;
  const shown = actionText(action);
  const asked = { name, args, annotations, trusted: spec.trusted, keepsOld, shown };
  const classification = await gate.judgeToolCall(asked, session.sessionId, signal);
  const [toolGrants, seen] = await Promise.all([permissions.toolGrants(), findApprovals(db.statements, [spec.label])]);
  const { autoApproves } = permissions;
  const authorization = authorize(spec, classification, { autoApproves, grants: toolGrants, seen });
  if (authorization.kind === 'allowed') return { classification: { ...classification, verdict: 'safe' } };
  return { classification: stopped(classification, authorization.reason), context: describe(spec, args, words) };
}

/** What is not destructive is stopped by the policy alone. */
function stopped(classification: Classification, reason: string): Classification {
  return classification.verdict === 'destructive' ? classification : { ...classification, verdict: 'unknown', reason };
}

/** A tool's own words are data: each line is marked, so that none can pass for a word of aish. */
function describe(spec: ToolSpec, args: Readonly<Record<string, unknown>>, words: string): string {
  const said = spec.description.slice(0, DESCRIPTION_MAX_CHARS).split(/\r?\n/);
  const given = JSON.stringify(args, null, 2).slice(0, DESCRIPTION_MAX_CHARS).split('\n');
  return [
    lastLines(words),
    `${spec.label} with:`,
    ...given,
    'Its server says of it:',
    ...said.map((line) => `| ${line}`),
  ].join('\n');
}

import { actionText } from '@aish/contracts/actions';
import { grantableRule } from '@aish/contracts/decision-rules';
import { invariant } from '@aish/contracts/invariant';
import type { CommandSurroundings } from '@aish/contracts/surroundings';
import type { Classification } from '@aish/contracts/safety';
import type { ToolSpec } from '@aish/contracts/tools';
import { preludeFor } from '@aish/contracts/hosts';
import { wordsIn } from '@aish/prompt';
import { listHosts } from '@aish/database/hosts.repository';
import { listTurns } from '@aish/database/turns.repository';
import { findApprovals } from '@aish/database/approvals.repository';
import { listRefusals } from '@aish/database/refusals.repository';
import { isOutward, toolKnownReadOnly, untoldParts, withOutward, type OutwardAction } from '@aish/safety';
import { BUILT_IN_IS_SAFE, authorize, fingerprintOf } from '@aish/tools';
import type { Action, ActionGrant, Judgement } from './action.js';
import type { Call } from './call.js';
import type { Command } from './command.js';
import { lastLines, type ActionContext, type ActionPorts } from './context.js';
import { isCheck, needsPerson } from './life/begin.js';
import { onHosts, whyNotTogether } from './hosts/on-hosts.js';
import { refusedForCall } from './refused-calls.js';
import { asSentence } from './refusals.js';
import { bindingOf, withCarried } from './surroundings.js';

type Opinion = Omit<Judgement, 'actionId' | 'grant'> & {
  /** A person refused the same before: no grant covers it. */
  readonly isRefused?: boolean;
};

const DESCRIPTION_MAX_CHARS = 2_000;

/** An action, and what is known of it before it is judged. */
export interface Judged {
  readonly action: Action;
  /** What commands begin in; null when none is judged. */
  readonly around: CommandSurroundings | null;
  /** Why a person is asked again who let it through; null where nobody did. */
  readonly again: string | null;
}

/** Asks the gate about an action, the policy about its tool, and whether a person has granted what they stop. */
export async function judge(
  { action, around, again }: Judged,
  context: ActionContext,
  ports: ActionPorts,
  signal: AbortSignal,
): Promise<Judgement> {
  // Nobody is asked about what never runs: the model gets the reason as the result.
  if (action.kind === 'command' && whyNotTogether(action.command, context.hosts) !== null) {
    return { actionId: action.id, classification: BUILT_IN_IS_SAFE, grant: null };
  }
  const found =
    action.kind === 'command'
      ? await opinionOfCommand(action, around, context, ports, signal).then((opinion) =>
          again === null ? whereHeld(action.command, opinion, context, ports) : opinion,
        )
      : await opinionOfCall(action, context, ports, signal);
  const known = again === null ? found : askedAgain(found, again);
  const opinion = action.kind === 'command' ? withUntold(action.command, known, context) : known;
  const { isRefused = false, ...judgement } = opinion;
  const { classification, binding } = judgement;
  const isAsked = needsPerson(judgement) && binding !== undefined && !isRefused;
  const isGrantable = isAsked && !(await context.permissions.needsSeveral(classification));
  const what = { action: actionText(action), ruleId: grantableRule(classification), binding: binding ?? '' };
  return { actionId: action.id, ...judgement, grant: isGrantable ? await context.permissions.grantFor(what) : null };
}

/**
 * Judges a command by its words alone while nobody knows what it would begin in.
 * @returns null when that must be known first: nothing in it has to be asked about, or a grant may cover what has.
 */
export async function judgeByWords(
  action: Command,
  { session, permissions, hosts }: ActionContext,
  { gate }: ActionPorts,
  signal: AbortSignal,
): Promise<Judgement | null> {
  const { command } = action;
  const classification = onHosts(command, hosts, await gate.judge(command, session.sessionId, signal));
  // What only running it tells is known when the sandbox is back.
  if (classification.verdict === 'safe' || gate.runsHeld(command, classification, permissions.trust)) return null;
  const what = { action: command, ruleId: grantableRule(classification), binding: null };
  if ((await permissions.grantFor(what)) !== null) return null;
  const confirm = `${classification.reason ?? 'it is not known to be safe'}; the sandbox is away, so you will be asked again`;
  return { actionId: action.id, classification, confirm, grant: null };
}

function askedAgain(opinion: Opinion, why: string): Opinion {
  const { confirm, classification } = opinion;
  const reason = confirm ?? classification.reason;
  return { ...opinion, confirm: reason === null ? why : `${why}: ${reason}` };
}

/** Some commands do not say what they will change. In a closed workspace the question then suggests a preview. */
function withUntold(command: string, opinion: Opinion, { hosts }: ActionContext): Opinion {
  const { surroundings, classification, confirm = classification.reason } = opinion;
  if (!needsPerson(opinion) || !isClosed(surroundings, hosts)) return opinion;
  const parts = untoldParts(command);
  if (parts.length === 0) return opinion;
  const advice = `the words do not tell what ${parts.join(' and ')} will change: preview it first`;
  return { ...opinion, confirm: confirm === null ? advice : `${confirm}; ${advice}` };
}

async function opinionOfCommand(
  action: Command,
  around: CommandSurroundings | null,
  { session, permissions, hostFolders, hosts }: ActionContext,
  { gate, db }: ActionPorts,
  signal: AbortSignal,
): Promise<Opinion> {
  invariant(around !== null, 'a command is judged in its surroundings');
  const { command } = action;
  const preludes = hosts.length === 0 ? new Map<string, string>() : await preludesOf(db, hosts, action.id);
  // What it changes is looked at afterwards, which says more than a model that reads its words.
  const closedFor = isClosed(around, hosts) ? permissions.trust : null;
  const found = onHosts(command, hosts, await gate.judge(command, session.sessionId, signal, closedFor), preludes);
  const alone = await whereSent({ kind: 'command', command }, found, session.sessionId, db);
  // A check is always run without what earlier commands set.
  const granted = isCheck(action) ? null : await grantOf(alone, around, permissions);
  const classification = isCheck(action) || granted !== null ? alone : withCarried(alone, around);
  const isConfirmed = classification.verdict === 'safe' && isAskedAbout(command, permissions, gate);
  const confirm = isConfirmed ? { confirm: 'the model proposes a command' } : {};
  const kept = granted === null ? {} : { variablesGrant: granted };
  return { classification, ...confirm, ...kept, surroundings: around, binding: bindingOf(around, hostFolders, hosts) };
}

/** Whether commands can change nothing but files whose changes are held: the sandbox says so of all but other hosts. */
function isClosed(around: CommandSurroundings | undefined, hosts: readonly string[]): boolean {
  return hosts.length === 0 && around?.undoable === true;
}

/** In a closed workspace the changes of most commands decide, not their words. They begin only where they are held. */
function whereHeld(
  command: string,
  opinion: Opinion,
  { hosts, permissions }: ActionContext,
  { gate }: ActionPorts,
): Opinion {
  const { confirm, ...unasked } = opinion;
  const { classification, surroundings } = opinion;
  const { trust, confirmCommands } = permissions;
  if (!isClosed(surroundings, hosts) || surroundings?.variables.length !== 0) return opinion;
  const passes =
    classification.verdict === 'safe'
      ? confirm !== undefined && trust === 'undoable'
      : gate.runsHeld(command, classification, trust) && (trust === 'undoable' || !confirmCommands);
  return passes ? { ...unasked, classification: { ...classification, held: true } } : opinion;
}

/** Whether a person wants to be asked about a command that nothing speaks against. */
function isAskedAbout(
  command: string,
  { confirmCommands, confirmReads = false }: ActionContext['permissions'],
  gate: ActionPorts['gate'],
): boolean {
  return confirmCommands && (confirmReads || !gate.onlyReads(command));
}

/** Whether a person found the variables fine that speak against a command that is safe alone. */
async function grantOf(
  alone: Classification,
  { variables, variablesDigest }: CommandSurroundings,
  { grantForVariables }: ActionContext['permissions'],
): Promise<ActionGrant | null> {
  if (alone.verdict !== 'safe' || variables.length === 0 || variablesDigest === undefined) return null;
  return grantForVariables(variablesDigest);
}

/** What is asked about anyway is left as it is; what leaves the house needs a destination that the person has named. */
async function whereSent(
  action: OutwardAction,
  found: Classification,
  sessionId: string,
  { statements }: ActionPorts['db'],
): Promise<Classification> {
  if (!isOutward(action)) return found;
  return withOutward(found, action, wordsIn(await listTurns(statements, sessionId)));
}

async function preludesOf(
  { statements }: ActionPorts['db'],
  hosts: readonly string[],
  actionId: string,
): Promise<ReadonlyMap<string, string>> {
  const given = (await listHosts(statements)).filter(({ name }) => hosts.includes(name));
  return new Map(
    given.flatMap(({ name, prelude }) => (prelude === null ? [] : [[name, preludeFor(prelude, actionId)]])),
  );
}

async function opinionOfCall(
  action: Call,
  context: ActionContext,
  { gate, toolbox, db }: ActionPorts,
  signal: AbortSignal,
): Promise<Opinion> {
  const { session, permissions, words } = context;
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
  const found = await gate.judgeToolCall(asked, session.sessionId, signal);
  const classification = await whereSent({ kind: 'tool', name, args }, found, session.sessionId, db);
  const [toolGrants, seen] = await Promise.all([permissions.toolGrants(), findApprovals(db.statements, [spec.label])]);
  const { autoApproves } = permissions;
  const authorization = authorize(spec, classification, { autoApproves, grants: toolGrants, seen });
  const isRead = toolKnownReadOnly(asked);
  const refused = isRead
    ? null
    : refusedForCall(action.arguments, await listRefusals(db.statements, session.sessionId));
  const isAllowed = authorization.kind === 'allowed';
  if (isAllowed && refused === null) return { classification: { ...classification, verdict: 'safe' } };
  const judged = isAllowed ? classification : stopped(classification, authorization.reason);
  const confirm = judged.reason === null ? refused : `${refused} ${asSentence(judged.reason)}`;
  return {
    classification: judged,
    ...(refused !== null && confirm !== null && { confirm, isRefused: true }),
    context: describe(spec, args, words),
    binding: fingerprintOf(spec),
  };
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

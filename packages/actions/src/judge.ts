import { actionText } from '@aish/contracts/actions';
import { grantableRule } from '@aish/contracts/decision-rules';
import { invariant } from '@aish/contracts/invariant';
import type { ExecutionContext } from '@aish/contracts/execution-context';
import type { Classification } from '@aish/contracts/safety';
import type { ToolSpec } from '@aish/contracts/tools';
import { preludeFor } from '@aish/contracts/hosts';
import { wordsIn } from '@aish/prompt';
import { listHosts, type HostRow } from '@aish/database/hosts.repository';
import { listTurns } from '@aish/database/turns.repository';
import { findApprovals } from '@aish/database/approvals.repository';
import { listRefusals } from '@aish/database/refusals.repository';
import {
  isOutward,
  onlyOverwrites,
  toolKnownReadOnly,
  untoldParts,
  withOutward,
  type OutwardAction,
} from '@aish/safety';
import { BUILT_IN_IS_SAFE, authorize, fingerprintOf } from '@aish/tools';
import type { Action, ActionGrant, Judgement } from './action.js';
import type { Call } from './call.js';
import type { Command } from './command.js';
import { lastLines, type ActionContext, type ActionPorts } from './context.js';
import { isCheck, needsPerson } from './life/begin.js';
import { askReverts } from './hosts/ask-reverts.js';
import { onHosts, whyNotTogether } from './hosts/on-hosts.js';
import type { OnlyCreates } from './hosts/only-creates.js';
import { NO_REVERT } from './hosts/revert-words.js';
import { refusedForCall } from './refused-calls.js';
import { refusedBeforeQuestion } from './refusals.js';
import { bindingOf, withCarried } from './execution-context.js';

type Opinion = Omit<Judgement, 'actionId' | 'grant'> & {
  /** Whether a person refused this before, or a host cannot revert the change. No grant then covers the action. */
  readonly isRefused?: boolean;
};

const DESCRIPTION_MAX_CHARS = 2_000;

/** An action, and everything that is known about it before it is judged. */
export interface Judged {
  readonly action: Action;
  /** The execution context of commands; null if no command is judged. */
  readonly executionContext: ExecutionContext | null;
  /** Why the person who approved the action is asked again; null if nobody approved it. */
  readonly again: string | null;
  /** Set if the hosts said that nothing exists where the command creates files. */
  readonly creates?: OnlyCreates | null;
}

/** Judges an action: asks the gate about it and the policy about its tool, and looks for a grant if they stop it. */
export async function judge(
  { action, executionContext, again, creates = null }: Judged,
  context: ActionContext,
  ports: ActionPorts,
  signal: AbortSignal,
): Promise<Judgement> {
  if (context.permissions.onlyLooks === true && !onlyLooks(action, ports.gate)) {
    return { actionId: action.id, classification: BUILT_IN_IS_SAFE, grant: null, isBeforePlan: true };
  }
  // Nobody is asked about an action that can never run. The model gets the reason as the result.
  if (action.kind === 'command' && whyNotTogether(action.command, context.hosts) !== null) {
    return { actionId: action.id, classification: BUILT_IN_IS_SAFE, grant: null };
  }
  const found =
    action.kind === 'command'
      ? await opinionOfCommand(action, executionContext, creates, context, ports, signal).then((opinion) =>
          again === null ? whereHeld(action.command, opinion, context, ports) : opinion,
        )
      : await opinionOfCall(action, context, ports, signal);
  const known = again === null ? found : askedAgain(found, again);
  const opinion = action.kind === 'command' ? withUntold(action.command, known, context) : known;
  const { isRefused = false, ...judgement } = opinion;
  const { classification, binding } = judgement;
  const isAsked = needsPerson(judgement) && binding !== undefined && !isRefused;
  const isGrantable = isAsked && !(await context.permissions.forbidsGrants(classification));
  // In a closed workspace, all other effects of the command are held.
  const isText = action.kind === 'command' && !isClosed(judgement.executionContext, context.hosts);
  const ruleId = isText ? ports.gate.grantableRule(action.command, classification) : grantableRule(classification);
  const what = { action: actionText(action), ruleId, binding: binding ?? '' };
  return { actionId: action.id, ...judgement, grant: isGrantable ? await context.permissions.grantFor(what) : null };
}

/** Whether an action changes nothing. A person has given the check of the goal, or accepted it. */
function onlyLooks(action: Action, gate: ActionPorts['gate']): boolean {
  return action.kind === 'command' ? isCheck(action) || gate.onlyReads(action.command) : action.readOnly === true;
}

/**
 * Judges a command by its text alone while its execution context is unknown.
 *
 * @returns null if the context must be known first, because the text needs no question or a grant may cover it
 */
export async function judgeTextOnly(
  action: Command,
  { session, permissions, hosts }: ActionContext,
  { gate }: ActionPorts,
  signal: AbortSignal,
): Promise<Judgement | null> {
  const { command } = action;
  if (permissions.onlyLooks === true) return null;
  const classification = onHosts(command, hosts, await gate.judge(command, session.sessionId, signal));
  // Effects that only a run would show are checked when the sandbox is back.
  if (classification.verdict === 'safe' || gate.runsHeld(command, classification, permissions.trust)) return null;
  const what = { action: command, ruleId: grantableRule(classification), binding: null };
  if ((await permissions.grantFor(what)) !== null) return null;
  const confirm = `${classification.reason ?? 'it is not known to be safe'}; the sandbox is unavailable, so you will be asked again`;
  return { actionId: action.id, classification, confirm, grant: null };
}

function askedAgain(opinion: Opinion, why: string): Opinion {
  const { confirm, classification } = opinion;
  const reason = confirm ?? classification.reason;
  return { ...opinion, confirm: reason === null ? why : `${why}: ${reason}` };
}

/** Adds a suggestion to preview a command that does not say what it will change. Previews need a closed workspace. */
function withUntold(command: string, opinion: Opinion, { hosts }: ActionContext): Opinion {
  const { executionContext, classification, confirm = classification.reason } = opinion;
  if (!needsPerson(opinion) || !isClosed(executionContext, hosts)) return opinion;
  const parts = untoldParts(command);
  if (parts.length === 0) return opinion;
  const advice = `the command does not show what ${parts.join(' and ')} will change. Preview it first`;
  return { ...opinion, confirm: confirm === null ? advice : `${confirm}; ${advice}` };
}

async function opinionOfCommand(
  action: Command,
  executionContext: ExecutionContext | null,
  creates: OnlyCreates | null,
  { session, permissions, hostFolders, hosts }: ActionContext,
  { gate, db, hosts: ports }: ActionPorts,
  signal: AbortSignal,
): Promise<Opinion> {
  invariant(executionContext !== null, 'a command is judged in its execution context');
  const { command } = action;
  const given = hosts.length === 0 ? [] : (await listHosts(db.statements)).filter(({ name }) => hosts.includes(name));
  const reverts = given.length === 0 ? [] : await askReverts(command, given, ports, action.id, signal);
  // The command's changes are checked afterwards, which shows more than a model that reads its text.
  const closedFor = isClosed(executionContext, hosts) ? permissions.trust : null;
  const whole = await gate.judge(command, session.sessionId, signal, closedFor);
  // Objections to overwriting do not count if nothing exists at the paths. All others do, including those to the rest
  // of the line.
  const judged = creates !== null && onlyOverwrites(whole) ? creates.rest : command;
  const found = onHosts(
    judged,
    hosts,
    judged === command ? whole : await gate.judge(judged, session.sessionId, signal, closedFor),
    preludesOf(given, action.id),
    reverts,
    executionContext.hostFiles,
  );
  const hasNetwork = !isClosed(executionContext, hosts);
  const alone = await whereSent({ kind: 'command', command, hasNetwork }, found, session.sessionId, db);
  // A check always runs without carried variables.
  const granted = isCheck(action) ? null : await grantOf(alone, executionContext, permissions);
  const classification = isCheck(action) || granted !== null ? alone : withCarried(alone, executionContext);
  const isConfirmed = classification.verdict === 'safe' && isAskedAbout(command, permissions, gate);
  const confirm = isConfirmed ? { confirm: 'the model proposes a command' } : {};
  const kept = granted === null ? {} : { variablesGrant: granted };
  const isRefused = reverts.some(({ ruleId }) => ruleId === NO_REVERT);
  const binding = bindingOf(executionContext, hostFolders, hosts);
  return { classification, ...confirm, ...kept, executionContext, binding, isRefused };
}

/**
 * Whether commands can change only files whose changes are held. The sandbox knows this for everything except other
 * hosts.
 */
function isClosed(executionContext: ExecutionContext | undefined, hosts: readonly string[]): boolean {
  return hosts.length === 0 && executionContext?.undoable === true;
}

/**
 * Applies the rules of a closed workspace: for most commands, the changes decide and not the text. Such a command
 * starts only if its changes can be held.
 */
function whereHeld(
  command: string,
  opinion: Opinion,
  { hosts, permissions }: ActionContext,
  { gate }: ActionPorts,
): Opinion {
  const { confirm, ...unasked } = opinion;
  const { classification, executionContext } = opinion;
  const { trust, confirmCommands } = permissions;
  if (!isClosed(executionContext, hosts) || executionContext?.variables.length !== 0) return opinion;
  const passes =
    classification.verdict === 'safe'
      ? confirm !== undefined && trust === 'undoable'
      : gate.runsHeld(command, classification, trust) && (trust === 'undoable' || !confirmCommands);
  return passes ? { ...unasked, classification: { ...classification, held: true } } : opinion;
}

/** Whether a person wants to be asked about a command without findings. */
function isAskedAbout(
  command: string,
  { confirmCommands, confirmReads = false }: ActionContext['permissions'],
  gate: ActionPorts['gate'],
): boolean {
  return confirmCommands && (confirmReads || !gate.onlyReads(command));
}

/** Returns the grant for carried variables, if they are the only objection to a command. */
async function grantOf(
  alone: Classification,
  executionContext: ExecutionContext,
  { grantForVariables, forbidsGrants }: ActionContext['permissions'],
): Promise<ActionGrant | null> {
  const { variables, variablesDigest } = executionContext;
  if (alone.verdict !== 'safe' || variables.length === 0 || variablesDigest === undefined) return null;
  return (await forbidsGrants(withCarried(alone, executionContext))) ? null : grantForVariables(variablesDigest);
}

/**
 * Adds the objection to a command that sends data to a destination that the person has not named. Other objections
 * stay.
 */
async function whereSent(
  action: OutwardAction,
  found: Classification,
  sessionId: string,
  { statements }: ActionPorts['db'],
): Promise<Classification> {
  if (!isOutward(action)) return found;
  return withOutward(found, action, wordsIn(await listTurns(statements, sessionId)));
}

function preludesOf(hosts: readonly HostRow[], actionId: string): ReadonlyMap<string, string> {
  return new Map(
    hosts.flatMap(({ name, prelude }) => (prelude === null ? [] : [[name, preludeFor(prelude, actionId)]])),
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
  // A call that cannot be prepared does not run. The model gets the error as the result.
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
  const declared = Object.keys(spec.inputSchema['properties'] ?? {});
  const asked = { name, args, declared, annotations, trusted: spec.trusted, keepsOld, shown };
  const found = await gate.judgeToolCall(asked, session.sessionId, signal);
  const classification = await whereSent({ kind: 'tool', name, args }, found, session.sessionId, db);
  const isGrantable = !(await permissions.forbidsGrants(stopped(classification, '')));
  const [toolGrants, seen] = await Promise.all([
    isGrantable ? permissions.toolGrants() : [],
    findApprovals(db.statements, [spec.label]),
  ]);
  const { autoApproves } = permissions;
  const authorization = authorize(spec, classification, { autoApproves, grants: toolGrants, seen });
  const isRead = toolKnownReadOnly(asked);
  const refused = isRead
    ? null
    : refusedForCall(action.arguments, await listRefusals(db.statements, session.sessionId));
  const isAllowed = authorization.kind === 'allowed';
  if (isAllowed && refused === null) return { classification: { ...classification, verdict: 'safe' } };
  const judged = isAllowed ? classification : stopped(classification, authorization.reason);
  return {
    classification: judged,
    ...(refused !== null && {
      ...refusedBeforeQuestion(refused.quote, refused.attempt, judged.reason),
      isRefused: true,
    }),
    context: describe(spec, args, words),
    binding: fingerprintOf(spec),
  };
}

/** Makes a classification for the policy, which stops actions that are not destructive. */
function stopped(classification: Classification, reason: string): Classification {
  return classification.verdict === 'destructive' ? classification : { ...classification, verdict: 'unknown', reason };
}

/**
 * Describes a tool for a person. The tool's own text is data, so each of its lines is marked and none can be mistaken
 * for a text from aish.
 */
function describe(spec: ToolSpec, args: Readonly<Record<string, unknown>>, words: string): string {
  const description = spec.description.slice(0, DESCRIPTION_MAX_CHARS).split(/\r?\n/);
  const given = JSON.stringify(args, null, 2).slice(0, DESCRIPTION_MAX_CHARS).split('\n');
  return [
    lastLines(words),
    `${spec.label} with:`,
    ...given,
    'Its server says of it:',
    ...description.map((line) => `| ${line}`),
  ].join('\n');
}

import {
  AishError,
  actionText,
  isAishError,
  toolNews,
  type Elicitation,
  type ElicitationAnswer,
  type EventBody,
  type LiveBody,
  type ProblemCode,
  type ToolCallOptions,
  type ToolContext,
  type ToolSpec,
} from '@aish/contracts';
import { findApprovals, saveApproval, wasApproved } from '@aish/database';
import { Connections, snapshotBefore } from '@aish/sandbox-client';
import { BUILT_IN_IS_SAFE, authorize, fingerprintOf, type Approval } from '@aish/tools';
import type { ChatEvent } from './machine/events.js';
import type { ChatAction, ChatMachine } from './machine/state.js';
import type { ChatPorts, ChatSettings } from './ports.js';

export interface ActContext {
  readonly tools: ToolContext;
  readonly machine: ChatMachine;
  readonly specs: readonly ToolSpec[];
  readonly grants: readonly Approval[];
  /** The model's words that led to the action. */
  readonly words: string;
  /** Folders of the host that its commands get, by name. */
  readonly hostFolders: readonly string[];
  readonly live: (body: LiveBody) => void;
  /** Writes an event that decides nothing. */
  readonly note: (body: EventBody) => Promise<void>;
  /** Asks a person while the call is kept open. */
  readonly askMeanwhile: (action: ChatAction, question: Elicitation, gone: AbortSignal) => Promise<ElicitationAnswer>;
  /** Told what a search found. */
  readonly found: (names: readonly string[]) => void;
}

type Command = Extract<ChatAction, { kind: 'command' }>;
type Call = Extract<ChatAction, { kind: 'tool' }>;

const CONTEXT_LINES = 12;
const DESCRIPTION_MAX_CHARS = 2_000;

/** What is to be known before an action is begun: whether it can be, whether it is dangerous, whether to ask. */
export async function judge(
  action: ChatAction,
  context: ActContext,
  ports: ChatPorts,
  settings: ChatSettings,
  signal: AbortSignal,
): Promise<ChatEvent> {
  return action.kind === 'command'
    ? judgeCommand(action, context, ports, signal)
    : judgeCall(action, context, ports, settings, signal);
}

async function judgeCommand(
  action: Command,
  context: ActContext,
  { gate }: ChatPorts,
  signal: AbortSignal,
): Promise<ChatEvent> {
  const classification = await gate.judge(action.command, context.tools.sessionId, signal);
  const isSafe = classification.verdict === 'safe';
  const reason = isSafe ? 'the model proposes a command' : (classification.reason ?? 'it is not known to be safe');
  const ask = isSafe && !context.machine.confirmCommands ? null : { reason, context: lastLines(context.words) };
  return { type: 'judged', actionId: action.id, classification, ask };
}

async function judgeCall(
  action: Call,
  context: ActContext,
  { gate, toolbox, db }: ChatPorts,
  settings: ChatSettings,
  signal: AbortSignal,
): Promise<ChatEvent> {
  const prepared = toolbox.prepare(callOf(action), context.specs);
  if ('refused' in prepared) return { type: 'unfit', actionId: action.id, result: prepared.refused };
  const { spec, args, isBuiltIn } = prepared.ready;
  if (isBuiltIn) return { type: 'judged', actionId: action.id, classification: BUILT_IN_IS_SAFE, ask: null };
  const { readOnlyHint, destructiveHint } = spec.annotations;
  const annotations = {
    ...(readOnlyHint === undefined ? {} : { readOnlyHint }),
    ...(destructiveHint === undefined ? {} : { destructiveHint }),
  };
  const keepsOld = spec.keepsOld === true;
  const call = { name: spec.name, args, annotations, trusted: spec.trusted, keepsOld, shown: actionText(action) };
  const classification = await gate.judgeToolCall(call, context.tools.sessionId, signal);
  const seen = await findApprovals(db.statements, [spec.label]);
  const policy = { autoApprove: settings.autoApprove, grants: context.grants, seen };
  const authorization = authorize(spec, classification, policy);
  if (authorization.kind === 'ask') {
    const ask = { reason: authorization.reason, context: describe(spec, args, context.words) };
    return { type: 'judged', actionId: action.id, classification, ask };
  }
  return { type: 'judged', actionId: action.id, classification, ask: null };
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

/** Carries out an action that is marked as started. */
export async function run(
  action: ChatAction,
  context: ActContext,
  ports: ChatPorts,
  settings: ChatSettings,
  signal: AbortSignal,
): Promise<ChatEvent> {
  if (action.kind === 'tool') return runCall(action, context, ports, signal);
  const place = {
    goalId: null,
    step: context.machine.step?.n ?? 0,
    workspaceId: context.tools.sessionId,
    wasApproved: (actionId: string) => wasApproved(ports.db.statements, actionId),
    note: context.note,
  };
  await snapshotBefore(action, place, ports.workspaces, signal);
  return runCommand(action, context, ports, settings, signal);
}

async function runCall(action: Call, context: ActContext, ports: ChatPorts, signal: AbortSignal): Promise<ChatEvent> {
  const prepared = ports.toolbox.prepare(callOf(action), context.specs);
  if ('refused' in prepared) return { type: 'called', actionId: action.id, result: prepared.refused };
  // A person or the policy let it be called: from now on this is what was approved.
  const { spec, isBuiltIn } = prepared.ready;
  if (!isBuiltIn) await saveApproval(ports.db.statements, spec.label, fingerprintOf(spec), context.tools.owner);
  const { pending } = action;
  const options: ToolCallOptions = {
    ...toolNews(action.id, context.live),
    elicit: (question, gone, isResumable) =>
      isResumable ? Promise.resolve(null) : context.askMeanwhile(action, question, gone),
    ...(pending?.answers === undefined ? {} : { resume: { state: pending.state, answers: pending.answers } }),
  };
  const { result, found } = await ports.toolbox.call(prepared.ready, context.tools, context.specs, signal, options);
  context.found(found);
  return { type: 'called', actionId: action.id, result };
}

async function runCommand(
  { id, command }: Command,
  context: ActContext,
  { sandbox }: ChatPorts,
  settings: ChatSettings,
  signal: AbortSignal,
): Promise<ChatEvent> {
  const request = {
    runId: id,
    workspaceId: context.tools.sessionId,
    command,
    timeoutMs: settings.commandTimeoutMs,
    hostFolders: [...context.hostFolders],
  };
  const connections = new Connections();
  try {
    for await (const frame of sandbox.run(request, signal)) {
      if (frame.type === 'exit') {
        return { type: 'ran', actionId: id, outcome: frame.outcome, connections: connections.list() };
      }
      if (frame.type === 'network') connections.take(frame);
      else context.live({ type: 'action.output', goalId: null, actionId: id, stream: frame.stream, text: frame.text });
    }
  } catch (error) {
    return sandboxAnswer(error, id);
  }
  throw new AishError('internal', 'The stream of a run ended without an exit frame');
}

/** Takes over what was begun before: the sandbox knows a command, or nobody does; of a call nobody knows. */
export async function recover(
  action: ChatAction,
  context: ActContext,
  ports: ChatPorts,
  settings: ChatSettings,
  signal: AbortSignal,
): Promise<ChatEvent> {
  if (action.kind === 'tool') return { type: 'lost', actionId: action.id };
  try {
    const status = await ports.sandbox.status(action.id, signal);
    if (status === null) return { type: 'lost', actionId: action.id };
    const { state, outcome, connections } = status;
    if (state === 'lost') return { type: 'lost', actionId: action.id, connections };
    if (outcome !== null) return { type: 'ran', actionId: action.id, outcome, connections };
  } catch (error) {
    if (!isAishError(error) || error.code === 'aborted') throw error;
    return { type: 'lost', actionId: action.id };
  }
  return runCommand(action, context, ports, settings, signal);
}

/** Refusals that come before anything was started; after any other one nobody knows what happened. */
const NOTHING_BEGAN: ReadonlySet<ProblemCode> = new Set([
  'sandbox_unreachable',
  'engine_unavailable',
  'image_missing',
  'runtime_missing',
  'disk_full',
  'too_many',
  'service_stopping',
  'unauthorized',
  'command_too_long',
  'mount_missing',
  'mount_not_allowed',
  'invalid_body',
  'payload_too_large',
]);

function sandboxAnswer(error: unknown, actionId: string): ChatEvent {
  if (!isAishError(error) || error.code === 'aborted') throw error;
  if (NOTHING_BEGAN.has(error.code)) return { type: 'refused', actionId, reason: `${error.code}: ${error.message}` };
  return { type: 'lost', actionId };
}

function callOf({ callId, tool, arguments: text }: Call) {
  return { id: callId, name: tool, arguments: text };
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-CONTEXT_LINES).join('\n');
}

import * as z from 'zod';
import { Trust } from './trust.js';
import { ActionKind, RunOutcome } from './actions.js';
import { CHAT_EVENTS, CHAT_LIVE, Draft, LiveProgress } from './chat.js';
import { Difference } from './effects.js';
import { DecisionKind, GrantScope, Verdict } from './decisions.js';
import { GoalState, Usage, WaitingFor } from './goals.js';
import { NetworkConnection, NetworkPolicy } from './network.js';
import { ExecutionContext } from './execution-context.js';
import { Classification } from './safety.js';
import { ToolResult } from './tools.js';

/** The ID of the goal; null in a chat. */
const goalId = z.uuid().nullable();
/** Fields that all events about an action share. `command` is the command, or a tool's label and arguments. */
const action = { goalId, actionId: z.uuid(), step: z.int(), kind: ActionKind.default('command') };

/**
 * The body of an event of a session. An event is stored in `events` in the transaction that caused it. `GET
 * /v1/sessions/:id/events` replays the events in order, with the sequence number as SSE ID.
 */
export const EventBody = z.discriminatedUnion('type', [
  ...CHAT_EVENTS,
  z.object({
    type: z.literal('goal.created'),
    goalId: z.uuid(),
    number: z.int(),
    text: z.string(),
    preset: z.string(),
    stepBudget: z.int(),
  }),
  z.object({
    type: z.literal('goal.changed'),
    goalId: z.uuid(),
    state: GoalState,
    reason: z.string().nullable(),
    waitingFor: WaitingFor.nullable(),
    summary: z.string().nullable(),
  }),
  z.object({ type: z.literal('step.started'), goalId, step: z.int(), stepBudget: z.int().nullable() }),
  z.object({
    type: z.literal('step.answered'),
    goalId,
    step: z.int(),
    text: z.string(),
    model: z.string().nullable(),
    usage: Usage.nullable(),
    notes: z.array(z.string()).optional(),
    /** The model's thoughts before the answer; absent if unknown. */
    reasoning: z.string().optional(),
  }),
  z.object({
    type: z.literal('action.classified'),
    ...action,
    n: z.int(),
    command: z.string(),
    classification: Classification,
  }),
  z.object({
    type: z.literal('action.started'),
    ...action,
    command: z.string(),
  }),
  z.object({
    type: z.literal('action.finished'),
    ...action,
    /** The result of a command; null for a tool. */
    outcome: RunOutcome.nullable(),
    /** The result of a tool; null for a command. */
    result: ToolResult.nullable().default(null),
  }),
  z.object({
    type: z.literal('action.skipped'),
    ...action,
    command: z.string(),
    reason: z.string(),
  }),
  z.object({
    type: z.literal('action.lost'),
    ...action,
    command: z.string(),
  }),
  /** Precedes a command that a person approved. If there is no snapshot, `sizeBytes` is null and `reason` says why. */
  z.object({
    type: z.literal('action.snapshot'),
    goalId,
    actionId: z.uuid(),
    step: z.int(),
    sizeBytes: z.int().nullable(),
    reason: z.string().nullable(),
  }),
  z.object({
    type: z.literal('action.undone'),
    goalId,
    actionId: z.uuid(),
    /** Null if a person ran the command. */
    step: z.int().nullable(),
    command: z.string(),
    by: z.string(),
  }),
  /** A person runs a command of their own. aish asks nobody about it, and no model sees it. */
  z.object({ type: z.literal('command.started'), commandId: z.uuid(), command: z.string(), by: z.string() }),
  /** `outcome` is null if it did not run; `reason` says why. */
  z.object({
    type: z.literal('command.ended'),
    commandId: z.uuid(),
    outcome: RunOutcome.nullable(),
    reason: z.string().nullable(),
  }),
  z.object({
    type: z.literal('decision.requested'),
    goalId,
    decisionId: z.uuid(),
    number: z.int(),
    kind: DecisionKind.default('halt'),
    actionId: z.uuid().nullable(),
    step: z.int().nullable(),
    stepBudget: z.int().nullable(),
    reason: z.string(),
    action: z.string(),
    executionContext: ExecutionContext.nullable().optional(),
    difference: Difference.nullable().optional(),
  }),
  z.object({
    type: z.literal('decision.given'),
    goalId,
    decisionId: z.uuid(),
    number: z.int(),
    verdict: Verdict,
    message: z.string().nullable(),
    /** The action that runs instead. */
    edited: z.string().nullable().optional(),
    granted: GrantScope.nullable().optional(),
    carried: z.boolean().optional(),
    by: z.string(),
  }),
  /** A person approved the action. It now waits for another person or for the change window. */
  z.object({
    type: z.literal('decision.approved'),
    goalId,
    decisionId: z.uuid(),
    number: z.int(),
    by: z.string(),
    /** Everyone who has approved it. */
    approvals: z.array(z.string()),
    needed: z.int(),
    /** When the window opens in which the action runs; null if it waits for another person. */
    waitsUntil: z.iso.datetime().nullable(),
  }),
  /** A person withdrew their approval. */
  z.object({ type: z.literal('decision.taken_back'), goalId, decisionId: z.uuid(), number: z.int(), by: z.string() }),
  /** An action that would have halted ran because a person had granted it. */
  z.object({ type: z.literal('grant.used'), ...action, grantId: z.uuid(), scope: GrantScope, createdBy: z.string() }),
  z.object({ type: z.literal('grant.revoked'), goalId: z.uuid(), grantId: z.uuid(), by: z.string() }),
  /** A person sent a message to a goal that is running. The model reads it at its next turn. */
  z.object({ type: z.literal('goal.said'), goalId: z.uuid(), text: z.string(), by: z.string() }),
  /** From now on the model sees the messages up to the event `said`. */
  z.object({ type: z.literal('goal.heard'), goalId: z.uuid(), said: z.int() }),
  z.object({ type: z.literal('goal.edited'), goalId: z.uuid(), text: z.string(), by: z.string() }),
  z.object({
    type: z.literal('goal.continued'),
    goalId: z.uuid(),
    steps: z.int(),
    stepBudget: z.int(),
    message: z.string().nullable(),
    by: z.string(),
  }),
  /** From now on this command proves the goal; null means that no command does. */
  z.object({ type: z.literal('goal.check'), goalId: z.uuid(), verify: z.string().nullable(), by: z.string() }),
  z.object({ type: z.literal('goal.trust'), goalId: z.uuid(), trust: Trust, by: z.string() }),
  /** aish added a notice for the model. */
  z.object({ type: z.literal('goal.noticed'), goalId: z.uuid(), text: z.string() }),
  z.object({ type: z.literal('decision.withdrawn'), goalId, decisionId: z.uuid(), number: z.int() }),
  /**
   * A destination that a command connected to or was refused. Each destination and outcome has one event, and `count`
   * says how often it happened.
   */
  z.object({
    type: z.literal('network.connection'),
    goalId,
    actionId: z.uuid(),
    step: z.int(),
    ...NetworkConnection.shape,
    count: z.int(),
  }),
  /** An admin changed the network access of this session's commands. */
  z.object({ type: z.literal('network.changed'), policy: NetworkPolicy, by: z.string() }),
  /** An admin changed the secrets that this session's commands may use. */
  z.object({ type: z.literal('secrets.changed'), names: z.array(z.string()), by: z.string() }),
]);
export type EventBody = z.infer<typeof EventBody>;
export type EventType = EventBody['type'];

export const SessionEvent = z
  .object({ sessionId: z.uuid(), seq: z.int(), at: z.iso.datetime(), body: EventBody })
  .meta({ id: 'SessionEvent' });
export type SessionEvent = z.infer<typeof SessionEvent>;

/**
 * Bodies that are sent live beside the stored events and never stored: the text that the model is writing and the
 * output that a command is printing.
 */
export const LiveBody = z.discriminatedUnion('type', [
  ...CHAT_LIVE,
  z.object({ type: z.literal('model.delta'), goalId, step: z.int(), text: z.string() }),
  /** A piece of what the model thinks before it writes. */
  z.object({ type: z.literal('model.reasoning'), goalId, step: z.int(), text: z.string() }),
  /** The whole answer so far, like `answer.draft` in a chat. */
  z.object({ type: z.literal('model.draft'), goalId, step: z.int(), ...Draft.shape }),
  z.object({ type: z.literal('model.progress'), goalId, step: z.int(), ...LiveProgress.shape }),
  /** The output of an action, or of a person's own command, whose `commandId` is then the `actionId`. */
  z.object({
    type: z.literal('action.output'),
    goalId,
    actionId: z.uuid(),
    stream: z.enum(['stdout', 'stderr']),
    text: z.string(),
  }),
]);
export type LiveBody = z.infer<typeof LiveBody>;

/**
 * Messages on the event bus. `events` says that there are more events, up to `seq`. `live` carries text that is not
 * stored. `cancel` asks the worker that runs a goal to stop now. A lost message does no harm, because the database has
 * everything.
 */
export const Notice = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('events'),
    sessionId: z.uuid(),
    seq: z.int(),
    goalId: z.uuid().nullable(),
    types: z.array(z.string()),
  }),
  z.object({
    type: z.literal('live'),
    sessionId: z.uuid(),
    body: LiveBody,
    /** The process that sent the message. It has already informed its own listeners. */
    origin: z.string().optional(),
    /** Set if the body is a piece of a draft. The piece `last` completes the draft. */
    piece: z.enum(['more', 'last']).optional(),
  }),
  /**
   * Says that the process `origin` has listeners for these chats, so that the processes that run the chats send `live`.
   * It is repeated regularly.
   */
  z.object({ type: z.literal('watch'), sessionIds: z.array(z.uuid()), origin: z.string() }),
  /** Asks the api process that runs a chat to stop its exchange now. */
  z.object({ type: z.literal('stop'), sessionId: z.uuid(), by: z.string() }),
  z.object({ type: z.literal('cancel'), goalId: z.uuid() }),
]);
export type Notice = z.infer<typeof Notice>;

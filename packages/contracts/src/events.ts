import * as z from 'zod';
import { Trust } from './trust.js';
import { ActionKind, RunOutcome } from './actions.js';
import { CHAT_EVENTS, CHAT_LIVE, Draft, LiveProgress } from './chat.js';
import { Difference } from './effects.js';
import { DecisionKind, GrantScope, Verdict } from './decisions.js';
import { GoalState, Usage, WaitingFor } from './goals.js';
import { NetworkConnection, NetworkPolicy } from './network.js';
import { CommandSurroundings } from './surroundings.js';
import { Classification } from './safety.js';
import { ToolResult } from './tools.js';

/** Null in a chat. */
const goalId = z.uuid().nullable();
/** What an event says of its action. `command`: the command, or a tool's label and arguments. */
const action = { goalId, actionId: z.uuid(), step: z.int(), kind: ActionKind.default('command') };

/**
 * What happened in a session, in order. Stored in `events` in the transaction that made it happen; replayed by
 * `GET /v1/sessions/:id/events` with the sequence number as SSE id.
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
    /** What it thought before; absent where nothing is known of that. */
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
    /** Of a command. */
    outcome: RunOutcome.nullable(),
    /** Of a tool. */
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
  /** Before a command that a person let through; `sizeBytes` is null when there is none, `reason` says why. */
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
    step: z.int(),
    command: z.string(),
    by: z.string(),
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
    surroundings: CommandSurroundings.nullable().optional(),
    difference: Difference.nullable().optional(),
  }),
  z.object({
    type: z.literal('decision.given'),
    goalId,
    decisionId: z.uuid(),
    number: z.int(),
    verdict: Verdict,
    message: z.string().nullable(),
    /** What runs instead. */
    edited: z.string().nullable().optional(),
    granted: GrantScope.nullable().optional(),
    carried: z.boolean().optional(),
    by: z.string(),
  }),
  /** A person let it run, and it waits for another one or for the change window. */
  z.object({
    type: z.literal('decision.approved'),
    goalId,
    decisionId: z.uuid(),
    number: z.int(),
    by: z.string(),
    /** Everyone who has. */
    approvals: z.array(z.string()),
    needed: z.int(),
    /** When the window opens in which it runs; null: it waits for another person. */
    waitsUntil: z.iso.datetime().nullable(),
  }),
  /** Who had let it run has not any more. */
  z.object({ type: z.literal('decision.taken_back'), goalId, decisionId: z.uuid(), number: z.int(), by: z.string() }),
  /** An action that would have halted ran, for a person had granted it. */
  z.object({ type: z.literal('grant.used'), ...action, grantId: z.uuid(), scope: GrantScope, createdBy: z.string() }),
  z.object({ type: z.literal('grant.revoked'), goalId: z.uuid(), grantId: z.uuid(), by: z.string() }),
  z.object({ type: z.literal('goal.edited'), goalId: z.uuid(), text: z.string(), by: z.string() }),
  z.object({
    type: z.literal('goal.continued'),
    goalId: z.uuid(),
    steps: z.int(),
    stepBudget: z.int(),
    message: z.string().nullable(),
    by: z.string(),
  }),
  /** What proves the goal, from now on; null: nothing. */
  z.object({ type: z.literal('goal.check'), goalId: z.uuid(), verify: z.string().nullable(), by: z.string() }),
  z.object({ type: z.literal('goal.trust'), goalId: z.uuid(), trust: Trust, by: z.string() }),
  /** aish told the model something that nobody else said. */
  z.object({ type: z.literal('goal.noticed'), goalId: z.uuid(), text: z.string() }),
  z.object({ type: z.literal('decision.withdrawn'), goalId, decisionId: z.uuid(), number: z.int() }),
  /** What a command connected to or was refused, once per destination and outcome; `count`: how often. */
  z.object({
    type: z.literal('network.connection'),
    goalId,
    actionId: z.uuid(),
    step: z.int(),
    ...NetworkConnection.shape,
    count: z.int(),
  }),
  /** An admin said what commands of this session may reach. */
  z.object({ type: z.literal('network.changed'), policy: NetworkPolicy, by: z.string() }),
  /** An admin said which secrets commands of this session may use. */
  z.object({ type: z.literal('secrets.changed'), names: z.array(z.string()), by: z.string() }),
]);
export type EventBody = z.infer<typeof EventBody>;
export type EventType = EventBody['type'];

export const SessionEvent = z
  .object({ sessionId: z.uuid(), seq: z.int(), at: z.iso.datetime(), body: EventBody })
  .meta({ id: 'SessionEvent' });
export type SessionEvent = z.infer<typeof SessionEvent>;

/** Sent live beside the stored events, never stored: what the model writes and what a command prints right now. */
export const LiveBody = z.discriminatedUnion('type', [
  ...CHAT_LIVE,
  z.object({ type: z.literal('model.delta'), goalId, step: z.int(), text: z.string() }),
  /** What it thinks before it writes. */
  z.object({ type: z.literal('model.reasoning'), goalId, step: z.int(), text: z.string() }),
  /** All of the answer so far, as `answer.draft` of a chat. */
  z.object({ type: z.literal('model.draft'), goalId, step: z.int(), ...Draft.shape }),
  z.object({ type: z.literal('model.progress'), goalId, step: z.int(), ...LiveProgress.shape }),
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
 * What travels on the event bus. `events` says "there is more, up to seq"; `live` carries text that is not stored;
 * `cancel` asks the worker that drives a goal to stop now. A lost notice loses nothing: the database has it.
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
    /** The process that sent it. It has told its own listeners already. */
    origin: z.string().optional(),
    /** The body is a piece of a draft; `last` completes it. */
    piece: z.enum(['more', 'last']).optional(),
  }),
  /** Somebody listens to these chats at the process `origin`. Their drivers then send `live`. Repeated regularly. */
  z.object({ type: z.literal('watch'), sessionIds: z.array(z.uuid()), origin: z.string() }),
  /** Asks the api that drives a chat to stop its exchange now. */
  z.object({ type: z.literal('stop'), sessionId: z.uuid(), by: z.string() }),
  z.object({ type: z.literal('cancel'), goalId: z.uuid() }),
]);
export type Notice = z.infer<typeof Notice>;

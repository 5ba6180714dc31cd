import { z } from 'zod';
import { Verdict } from './decisions.js';
import { GoalState, RunOutcome, Usage, WaitingFor } from './goals.js';
import { Classification } from './safety.js';

/**
 * What happened in a session, in order. Stored in `events` in the transaction that made it happen; replayed by
 * `GET /v1/sessions/:id/events` with the sequence number as SSE id.
 */
export const EventBody = z.discriminatedUnion('type', [
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
  z.object({ type: z.literal('step.started'), goalId: z.uuid(), step: z.int(), stepBudget: z.int() }),
  z.object({
    type: z.literal('step.answered'),
    goalId: z.uuid(),
    step: z.int(),
    text: z.string(),
    model: z.string().nullable(),
    usage: Usage.nullable(),
  }),
  z.object({
    type: z.literal('action.classified'),
    goalId: z.uuid(),
    actionId: z.uuid(),
    step: z.int(),
    n: z.int(),
    command: z.string(),
    classification: Classification,
  }),
  z.object({
    type: z.literal('action.started'),
    goalId: z.uuid(),
    actionId: z.uuid(),
    step: z.int(),
    command: z.string(),
  }),
  z.object({
    type: z.literal('action.finished'),
    goalId: z.uuid(),
    actionId: z.uuid(),
    step: z.int(),
    outcome: RunOutcome,
  }),
  z.object({
    type: z.literal('action.skipped'),
    goalId: z.uuid(),
    actionId: z.uuid(),
    step: z.int(),
    command: z.string(),
    reason: z.string(),
  }),
  z.object({
    type: z.literal('action.lost'),
    goalId: z.uuid(),
    actionId: z.uuid(),
    step: z.int(),
    command: z.string(),
  }),
  z.object({
    type: z.literal('decision.requested'),
    goalId: z.uuid(),
    decisionId: z.uuid(),
    number: z.int(),
    actionId: z.uuid(),
    step: z.int(),
    stepBudget: z.int(),
    reason: z.string(),
    action: z.string(),
  }),
  z.object({
    type: z.literal('decision.given'),
    goalId: z.uuid(),
    decisionId: z.uuid(),
    number: z.int(),
    verdict: Verdict,
    message: z.string().nullable(),
    by: z.string(),
  }),
  z.object({ type: z.literal('decision.withdrawn'), goalId: z.uuid(), decisionId: z.uuid(), number: z.int() }),
]);
export type EventBody = z.infer<typeof EventBody>;
export type EventType = EventBody['type'];

export const SessionEvent = z
  .object({ sessionId: z.uuid(), seq: z.int(), at: z.iso.datetime(), body: EventBody })
  .meta({ id: 'SessionEvent' });
export type SessionEvent = z.infer<typeof SessionEvent>;

/** Sent live beside the stored events, never stored: what the model writes and what a command prints right now. */
export const LiveBody = z.discriminatedUnion('type', [
  z.object({ type: z.literal('model.delta'), goalId: z.uuid(), step: z.int(), text: z.string() }),
  z.object({
    type: z.literal('action.output'),
    goalId: z.uuid(),
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
  z.object({ type: z.literal('live'), sessionId: z.uuid(), body: LiveBody }),
  z.object({ type: z.literal('cancel'), goalId: z.uuid() }),
]);
export type Notice = z.infer<typeof Notice>;

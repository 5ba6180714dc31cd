import * as z from 'zod';
import { CreateGoal } from './goals.js';

/** How many bytes an event may have. */
export const EVENT_MAX_BYTES = 1_048_576;

/** The last part of its URL: `POST /v1/events/alerts`. */
export const EventSourceName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'must begin with a lowercase letter and go on with a-z, 0-9 and -')
  .meta({ id: 'EventSourceName' });

/**
 * How an event proves where it comes from. `token`: a header contains the secret. `github`, `gitea`: a signature of the
 * body, as in their documentation. `standard-webhooks`: https://www.standardwebhooks.com, over ID, time and body.
 */
export const EventProof = z.enum(['token', 'github', 'gitea', 'standard-webhooks']);
export type EventProof = z.infer<typeof EventProof>;

export const AddEventSource = z
  .strictObject({
    name: EventSourceName,
    proof: EventProof.default('token'),
    /** With `token`: the header that holds the secret alone. Null: `Authorization`, as Bearer or as password of Basic. */
    header: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be the name of a header in lowercase')
      .nullable()
      .default(null),
    /** Where the sender names it; made when absent. */
    secret: z.string().min(16).max(500).optional(),
  })
  .meta({ id: 'AddEventSource' });
export type AddEventSource = z.infer<typeof AddEventSource>;

/** A sender of events. Its secret is shown once, when it is added. */
export const EventSource = z
  .object({
    name: EventSourceName,
    proof: EventProof,
    header: z.string().nullable(),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'EventSource' });
export type EventSource = z.infer<typeof EventSource>;

export const AddedEventSource = EventSource.extend({ secret: z.string() }).meta({ id: 'AddedEventSource' });
export type AddedEventSource = z.infer<typeof AddedEventSource>;

export const EventSourceList = z.object({ items: z.array(EventSource) }).meta({ id: 'EventSourceList' });
export type EventSourceList = z.infer<typeof EventSourceList>;

/** The path of a value in an event: `alerts.0.labels.instance`; `*` is every item. */
export const EventPath = z
  .string()
  .max(200)
  .regex(/^[\w*-]+(\.[\w*-]+)*$/, 'must be names with dots between, as alerts.0.labels.instance; * is every item')
  .meta({ id: 'EventPath' });

/** What has to stand at each path; `*` in a value is any text. */
export const EventMatch = z.record(EventPath, z.string().max(500)).meta({ id: 'EventMatch' });
export type EventMatch = z.infer<typeof EventMatch>;

export const AddEventRule = z
  .strictObject({
    source: EventSourceName,
    match: EventMatch.default({}),
    /** What makes an event the same as one before. Empty: its whole body. */
    key: z.array(EventPath).max(8).default([]),
    /** Within this time the same event gives no other goal, milliseconds. */
    coolDownMs: z
      .int()
      .min(0)
      .max(30 * 24 * 3_600_000)
      .default(600_000),
    /** Goals of this rule that may be open at once. */
    atMost: z.int().min(1).max(100).default(3),
    /** What an event matches that says it is over. Null: none does. */
    resolved: EventMatch.nullable().default(null),
    /** What the open goal of an event that is over is: told of it, or cancelled. */
    onResolved: z.enum(['tell', 'cancel']).default('tell'),
    /** The goal. `{{path}}` in its text is what stands there, in quotes. */
    goal: CreateGoal,
  })
  .meta({ id: 'AddEventRule' });
export type AddEventRule = z.infer<typeof AddEventRule>;

/** What an event begins. The first rule of its source that matches counts. */
export const EventRule = AddEventRule.extend({
  id: z.uuid(),
  number: z.int(),
  createdBy: z.string(),
  createdAt: z.iso.datetime(),
}).meta({ id: 'EventRule' });
export type EventRule = z.infer<typeof EventRule>;

export const EventRuleList = z.object({ items: z.array(EventRule) }).meta({ id: 'EventRuleList' });
export type EventRuleList = z.infer<typeof EventRuleList>;

/**
 * What came of an event. `goal`: it gave one. `repeated`: it is counted with the one before. `resolved`: it says that
 * one is over. `limited`: too many goals of its rule were open. `failed`: the space of its goal is gone. `unmatched`: no
 * rule is for it. `replayed`: this very delivery was here before.
 */
export const EventOutcome = z.enum(['goal', 'repeated', 'resolved', 'limited', 'failed', 'unmatched', 'replayed']);
export type EventOutcome = z.infer<typeof EventOutcome>;

/** What the sender is told. */
export const EventReceipt = z
  .object({ outcome: EventOutcome, event: z.int().nullable(), goal: z.int().nullable() })
  .meta({ id: 'EventReceipt' });
export type EventReceipt = z.infer<typeof EventReceipt>;

/** An event as it is kept: the newest 1,000 of each source, and those whose goals are open. */
export const ReceivedEvent = z
  .object({
    id: z.uuid(),
    number: z.int(),
    source: z.string(),
    rule: z.int().nullable(),
    key: z.string().nullable(),
    outcome: EventOutcome,
    /** How often it came again. */
    repeats: z.int(),
    goal: z.int().nullable(),
    body: z.unknown(),
    receivedAt: z.iso.datetime(),
    lastAt: z.iso.datetime(),
    resolvedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ReceivedEvent' });
export type ReceivedEvent = z.infer<typeof ReceivedEvent>;

export const ReceivedEventList = z.object({ items: z.array(ReceivedEvent) }).meta({ id: 'ReceivedEventList' });
export type ReceivedEventList = z.infer<typeof ReceivedEventList>;

/** What an event would begin by today's rules; nothing is done. */
export const EventTest = z
  .object({
    rule: z.int().nullable(),
    key: z.string().nullable(),
    isResolved: z.boolean(),
    /** The text of its goal. */
    text: z.string().nullable(),
  })
  .meta({ id: 'EventTest' });
export type EventTest = z.infer<typeof EventTest>;

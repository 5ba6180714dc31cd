import * as z from 'zod';
import { CreateGoal } from './goals.js';

/** Maximum size of an event in bytes. */
export const EVENT_MAX_BYTES = 1_048_576;

/** The last part of its URL: `POST /v1/events/alerts`. */
export const EventSourceName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'must begin with a lowercase letter, followed by a-z, 0-9 or -')
  .meta({ id: 'EventSourceName' });

/**
 * How an event proves its origin. `token`: a header contains the secret. `github`, `gitea`: a signature of the body, as
 * those products document it. `standard-webhooks`: a signature of ID, time and body, see
 * https://www.standardwebhooks.com.
 */
export const EventProof = z.enum(['token', 'github', 'gitea', 'standard-webhooks']);
export type EventProof = z.infer<typeof EventProof>;

export const AddEventSource = z
  .strictObject({
    name: EventSourceName,
    proof: EventProof.default('token'),
    /**
     * The header that contains only the secret, for the proof `token`. Null means `Authorization`, as a Bearer token or
     * as the Basic password.
     */
    header: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be the name of a header in lowercase')
      .nullable()
      .default(null),
    /** Set if the sender chose the secret. If it is absent, aish makes one. */
    secret: z.string().min(16).max(500).optional(),
  })
  .meta({ id: 'AddEventSource' });
export type AddEventSource = z.infer<typeof AddEventSource>;

/** A sender of events. Its secret is shown once, when the source is added. */
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
  .regex(
    /^[\w*-]+(\.[\w*-]+)*$/,
    'must be names separated by dots, such as alerts.0.labels.instance; * matches every item',
  )
  .meta({ id: 'EventPath' });

/** The value required at each path. `*` in a value matches any text. */
export const EventMatch = z.record(EventPath, z.string().max(500)).meta({ id: 'EventMatch' });
export type EventMatch = z.infer<typeof EventMatch>;

export const AddEventRule = z
  .strictObject({
    source: EventSourceName,
    match: EventMatch.default({}),
    /** The paths of the values that identify repeated events. If there are none, the whole body counts. */
    key: z.array(EventPath).max(8).default([]),
    /** A repeated event within this time starts no further goal, in milliseconds. */
    coolDownMs: z
      .int()
      .min(0)
      .max(30 * 24 * 3_600_000)
      .default(600_000),
    /** Maximum number of open goals of this rule. */
    atMost: z.int().min(1).max(100).default(3),
    /** Matches an event which says that an earlier one is resolved. Null means that no event does. */
    resolved: EventMatch.nullable().default(null),
    /** The effect on the open goal of a resolved event: it gets a message or is cancelled. */
    onResolved: z.enum(['tell', 'cancel']).default('tell'),
    /** The goal to create. aish replaces `{{path}}` in its text with the quoted value at that path. */
    goal: CreateGoal,
  })
  .meta({ id: 'AddEventRule' });
export type AddEventRule = z.infer<typeof AddEventRule>;

/** A rule that says which events start a goal, and which goal. The first matching rule of a source applies. */
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
 * The result of an event. `goal`: it started one. `repeated`: it was counted with an earlier one. `resolved`: it says
 * that an earlier one is resolved. `limited`: too many goals of its rule were open. `failed`: the space of its goal
 * does not exist any more. `unmatched`: no rule matches. `replayed`: exactly this delivery came before.
 */
export const EventOutcome = z.enum(['goal', 'repeated', 'resolved', 'limited', 'failed', 'unmatched', 'replayed']);
export type EventOutcome = z.infer<typeof EventOutcome>;

/** The response to the sender. */
export const EventReceipt = z
  .object({ outcome: EventOutcome, event: z.int().nullable(), goal: z.int().nullable() })
  .meta({ id: 'EventReceipt' });
export type EventReceipt = z.infer<typeof EventReceipt>;

/** A stored event. aish keeps the newest 1,000 of each source, and those whose goals are open. */
export const ReceivedEvent = z
  .object({
    id: z.uuid(),
    number: z.int(),
    source: z.string(),
    rule: z.int().nullable(),
    key: z.string().nullable(),
    outcome: EventOutcome,
    /** How often the event was repeated. */
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

/** The result that an event would have under the current rules. A test starts nothing. */
export const EventTest = z
  .object({
    rule: z.int().nullable(),
    key: z.string().nullable(),
    isResolved: z.boolean(),
    /** The text of the goal that would start; null if none would. */
    text: z.string().nullable(),
  })
  .meta({ id: 'EventTest' });
export type EventTest = z.infer<typeof EventTest>;

import { z } from 'zod';
import { HostName } from './hosts.js';

/** `disk-nas-1`: kind, host, number. It stays the same while the same thing is wrong. */
export const FindingId = z.string().regex(/^[a-z]+-[a-z0-9][a-z0-9._-]*-\d{1,6}$/, 'an id such as disk-nas-1');

/** What a probe read, under one name: a file system, a unit, a container. */
export const Fact = z.object({
  probe: z.string(),
  name: z.string(),
  values: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
export type Fact = z.infer<typeof Fact>;

export const LabFinding = z.object({
  id: FindingId,
  host: z.string(),
  sentence: z.string(),
  fact: Fact,
  firstSeenAt: z.iso.datetime(),
  /** Somebody muted it, or brief.yaml ignores it. */
  muted: z.boolean(),
});
export type LabFinding = z.infer<typeof LabFinding>;

export const LabHost = z.object({
  host: z.string(),
  /** When it was last asked; null: never. */
  at: z.iso.datetime().nullable(),
  answered: z.boolean(),
  /** Why it did not answer. */
  detail: z.string(),
  /** Probes that could not run, and why. */
  skipped: z.array(z.object({ probe: z.string(), reason: z.string() })),
});
export type LabHost = z.infer<typeof LabHost>;

/** The daily check of all hosts, from their newest snapshots. */
export const Brief = z
  .object({
    at: z.iso.datetime(),
    findings: z.array(LabFinding),
    hosts: z.array(LabHost),
    /** The same as text; each line of a finding names its id. */
    lines: z.array(z.string()),
    /** The findings in the words of a model; each sentence names its findings. Empty without a model, and for a kept brief. */
    sentences: z.array(z.string()),
    /** Decisions that wait for a verdict, and goals that ended since the last message. */
    work: z.array(z.string()),
  })
  .meta({ id: 'Brief' });
export type Brief = z.infer<typeof Brief>;

export const ShowChanges = z.strictObject({
  since: z.iso.datetime(),
  host: HostName.optional(),
  /** Compares with this host instead of the past. */
  with: HostName.optional(),
});

export const LabChange = z.object({
  host: z.string(),
  probe: z.string(),
  name: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
export type LabChange = z.infer<typeof LabChange>;
export const LabChangeList = z.object({ items: z.array(LabChange) }).meta({ id: 'LabChangeList' });

/** Without a date: until its fact changes. */
export const MuteFinding = z.strictObject({ until: z.iso.datetime().nullable() }).meta({ id: 'MuteFinding' });

/** The text of brief.yaml. */
export const BriefRules = z.strictObject({ yaml: z.string().max(65_536) }).meta({ id: 'BriefRules' });

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day: 07:00');

/** The daily brief. It sends a message if something is wrong, and once a week in any case. */
export const BriefSchedule = z
  .object({
    /** Null: off. */
    at: timeOfDay.nullable(),
    timezone: z.string(),
    nextAt: z.iso.datetime().nullable(),
    /** When it last sent a message. */
    toldAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'BriefSchedule' });
export type BriefSchedule = z.infer<typeof BriefSchedule>;

export const SetBriefSchedule = z
  .strictObject({ at: timeOfDay.nullable(), timezone: z.string().min(1).max(64).default('UTC') })
  .meta({ id: 'SetBriefSchedule' });
export type SetBriefSchedule = z.infer<typeof SetBriefSchedule>;

import { z } from 'zod';
import { HostName } from './hosts.js';

/** `disk-nas-1`: kind, host, number. The ID stays the same while the same problem lasts. */
export const FindingId = z.string().regex(/^[a-z]+-[a-z0-9][a-z0-9._-]*-\d{1,6}$/, 'must be an ID such as disk-nas-1');

/** One named thing that a probe read, such as a file system, a unit or a container. */
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
  /** Whether somebody muted the finding or brief.yaml ignores it. */
  muted: z.boolean(),
});
export type LabFinding = z.infer<typeof LabFinding>;

export const LabHost = z.object({
  host: z.string(),
  /** When the host was last asked; null if it never was. */
  at: z.iso.datetime().nullable(),
  answered: z.boolean(),
  /** Why the host did not answer, or what it did not say. */
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
    /** The brief as text. Each line about a finding contains its ID. */
    lines: z.array(z.string()),
    /**
     * The findings as sentences written by a model. Each sentence names its findings. Empty without a model, and for a
     * stored brief.
     */
    sentences: z.array(z.string()),
    /** Decisions that wait for a verdict, and goals that have ended since the last message. */
    work: z.array(z.string()),
  })
  .meta({ id: 'Brief' });
export type Brief = z.infer<typeof Brief>;

export const ShowChanges = z.strictObject({
  since: z.iso.datetime(),
  host: HostName.optional(),
  /** Compares with this host instead of an earlier time. */
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

/** Mutes a finding until a date. Without a date it is muted until its fact changes. */
export const MuteFinding = z.strictObject({ until: z.iso.datetime().nullable() }).meta({ id: 'MuteFinding' });

/** The text of brief.yaml. */
export const BriefRules = z.strictObject({ yaml: z.string().max(65_536) }).meta({ id: 'BriefRules' });

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, such as 07:00');

/** The daily brief. It sends a message if something is wrong, and once a week in any case. */
export const BriefSchedule = z
  .object({
    /** The time of day; null if the daily brief is off. */
    at: timeOfDay.nullable(),
    timezone: z.string(),
    nextAt: z.iso.datetime().nullable(),
    /** When it last sent a message. */
    sentAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'BriefSchedule' });
export type BriefSchedule = z.infer<typeof BriefSchedule>;

export const SetBriefSchedule = z
  .strictObject({ at: timeOfDay.nullable(), timezone: z.string().min(1).max(64).default('UTC') })
  .meta({ id: 'SetBriefSchedule' });
export type SetBriefSchedule = z.infer<typeof SetBriefSchedule>;

import type { Tx } from '../tx.js';
import { storable } from './storable.js';

/** A look that has not come to its end by then died with its api. */
const CLAIM_MINUTES = 5;

export interface LabScheduleRow {
  /** 07:00 */
  readonly at: string;
  readonly timezone: string;
  /** The last look that came to its end, or when the schedule was set. */
  readonly lookedAt: Date;
  /** The last message, and the last one that said that all is quiet. */
  readonly toldAt: Date | null;
  readonly quietAt: Date | null;
}

export async function readLabSchedule(tx: Tx): Promise<LabScheduleRow | null> {
  const rows = await tx.$queryRaw<LabScheduleRow[]>`
    select at, timezone, looked_at as "lookedAt", told_at as "toldAt", quiet_at as "quietAt" from lab_schedule`;
  return rows[0] ?? null;
}

/** The next look is the first one after `now`. What was told before stays known. */
export async function saveLabSchedule(
  tx: Tx,
  { at, timezone }: Pick<LabScheduleRow, 'at' | 'timezone'>,
  now: Date,
): Promise<void> {
  await tx.$executeRaw`
    insert into lab_schedule (id, at, timezone, looked_at) values (1, ${at}, ${timezone}, ${now}::timestamptz)
    on conflict (id) do update set at = excluded.at, timezone = excluded.timezone, looked_at = excluded.looked_at,
      claimed_at = null`;
}

export async function deleteLabSchedule(tx: Tx): Promise<void> {
  await tx.$executeRaw`delete from lab_schedule`;
}

/** Takes the look that is due after `lookedAt`, for one api alone. @returns false if another one has it. */
export async function claimLabLook(tx: Tx, lookedAt: Date, now: Date): Promise<boolean> {
  const claimed = await tx.$executeRaw`
    update lab_schedule set claimed_at = ${now}::timestamptz
    where looked_at = ${lookedAt}::timestamptz and (claimed_at is null or claimed_at > ${now}::timestamptz
      or claimed_at < ${now}::timestamptz - make_interval(mins => ${CLAIM_MINUTES}::int))`;
  return claimed === 1;
}

/** Notes that a look has ended and which message it led to. */
export async function settleLabLook(
  tx: Tx,
  { now, told }: { readonly now: Date; readonly told: 'nothing' | 'quiet' | 'findings' },
): Promise<void> {
  await tx.$executeRaw`
    update lab_schedule set looked_at = ${now}::timestamptz, claimed_at = null,
      told_at = case when ${told !== 'nothing'} then ${now}::timestamptz else told_at end,
      quiet_at = case when ${told === 'quiet'} then ${now}::timestamptz else quiet_at end`;
}

/** Writes down the message of a look, once per channel. */
export async function noteBrief(tx: Tx, lookedAt: Date, text: string): Promise<void> {
  await tx.$executeRaw`
    insert into notifications (id, key, channel, kind, text, state, due_at)
    select gen_random_uuid(), 'brief:' || ${lookedAt.toISOString()}::text, c.name, 'brief', ${storable(text)}, 'pending', now()
    from notification_channels c
    on conflict do nothing`;
}

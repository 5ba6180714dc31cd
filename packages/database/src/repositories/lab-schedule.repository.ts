import type { Tx } from '../tx.js';
import { storable } from './storable.js';

/** If a check has not finished after this time, its api process has died. */
const CLAIM_MINUTES = 5;

export interface LabScheduleRow {
  /** The time of day, for example 07:00. */
  readonly at: string;
  readonly timezone: string;
  /** The time of the last finished check, or the time when the schedule was set. */
  readonly lookedAt: Date;
  /** The times of the last message, and of the last one that said that all is well. */
  readonly sentAt: Date | null;
  readonly quietAt: Date | null;
}

export async function readLabSchedule(tx: Tx): Promise<LabScheduleRow | null> {
  const rows = await tx.$queryRaw<LabScheduleRow[]>`
    select at, timezone, looked_at as "lookedAt", sent_at as "sentAt", quiet_at as "quietAt" from lab_schedule`;
  return rows[0] ?? null;
}

/** Stores the schedule. The next check is the first one after `now`. Known findings stay known. */
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

/**
 * Claims the check that is due after `lookedAt` for one api process.
 *
 * @returns false if another process has claimed it.
 */
export async function claimLabLook(tx: Tx, lookedAt: Date, now: Date): Promise<boolean> {
  const claimed = await tx.$executeRaw`
    update lab_schedule set claimed_at = ${now}::timestamptz
    where looked_at = ${lookedAt}::timestamptz and (claimed_at is null or claimed_at > ${now}::timestamptz
      or claimed_at < ${now}::timestamptz - make_interval(mins => ${CLAIM_MINUTES}::int))`;
  return claimed === 1;
}

/** Records that a check has ended, and the message that it caused. */
export async function settleLabLook(
  tx: Tx,
  { now, message }: { readonly now: Date; readonly message: 'nothing' | 'quiet' | 'findings' },
): Promise<void> {
  await tx.$executeRaw`
    update lab_schedule set looked_at = ${now}::timestamptz, claimed_at = null,
      sent_at = case when ${message !== 'nothing'} then ${now}::timestamptz else sent_at end,
      quiet_at = case when ${message === 'quiet'} then ${now}::timestamptz else quiet_at end`;
}

/** Stores the message of a check, once per channel. */
export async function noteBrief(tx: Tx, lookedAt: Date, text: string): Promise<void> {
  await tx.$executeRaw`
    insert into notifications (id, key, channel, kind, text, state, due_at)
    select gen_random_uuid(), 'brief:' || ${lookedAt.toISOString()}::text, c.name, 'brief', ${storable(text)}, 'pending', now()
    from notification_channels c
    on conflict do nothing`;
}

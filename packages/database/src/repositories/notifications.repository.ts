import { invariant } from '@aish/contracts/invariant';
import type { Tx } from '../tx.js';
import { storable } from './storable.js';

export interface DueNotification {
  readonly id: string;
  readonly channel: string;
  readonly kind: string;
  /** The goal; null for a brief. */
  readonly goalId: string | null;
  readonly decisionId: string | null;
  /** The lines of a brief; null for any other notification. */
  readonly text: string | null;
  /** A recipient other than the channel's default. */
  readonly recipient: string | null;
  /** The number of attempts, including this one. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** Whether the notification's goal has high priority. Then it does not wait for the end of the quiet hours. */
  readonly isUrgent: boolean;
}

/** How long a sender may take before another one tries. */
const CLAIM = '40 seconds';

/** Stores the current channels. A new channel starts with notifications from now on. */
export async function openChannels(tx: Tx, channels: readonly string[]): Promise<void> {
  await tx.$executeRaw`
    insert into notification_channels (name) select unnest(${[...channels]}::text[]) on conflict do nothing`;
}

/**
 * Adds a notification for each open HALT and for each goal that ended in one of `states` within the last day, once per
 * channel.
 *
 * @returns the number of new ones.
 */
export async function noteWhatHappened(
  tx: Tx,
  input: {
    readonly channels: readonly string[];
    readonly halts: boolean;
    readonly states: readonly string[];
    readonly dueAt: Date;
  },
): Promise<number> {
  const channels = [...input.channels];
  const halts = await tx.$executeRaw`
    insert into notifications (id, key, channel, kind, goal_id, decision_id, state, due_at)
    select gen_random_uuid(), 'halt:' || d.id, c.name, 'halt', d.goal_id, d.id, 'pending', ${input.dueAt}
    from decisions d cross join notification_channels c
    where ${input.halts} and c.name = any(${channels}::text[]) and d.state = 'pending' and d.kind in ('halt', 'check', 'plan', 'question', 'need', 'elicitation')
      and d.goal_id is not null and d.created_at >= c.since
    on conflict do nothing`;
  const ends = await tx.$executeRaw`
    insert into notifications (id, key, channel, kind, goal_id, state, due_at)
    select gen_random_uuid(), 'end:' || g.id || ':' || extract(epoch from g.ended_at), c.name, g.state, g.id, 'pending',
           ${input.dueAt}
    from goals g cross join notification_channels c
    where c.name = any(${channels}::text[]) and g.state = any(${[...input.states]}::text[])
      and g.ended_at >= c.since and g.ended_at > now() - interval '1 day'
    on conflict do nothing`;
  return halts + ends + (await noteUnanswered(tx, channels, input.dueAt));
}

/**
 * Adds a notification to the next person for each decision that nobody has answered within the time set by its space,
 * once per step and channel.
 */
async function noteUnanswered(tx: Tx, channels: readonly string[], dueAt: Date): Promise<number> {
  return tx.$executeRaw`
    insert into notifications (id, key, channel, kind, goal_id, decision_id, recipient, state, due_at)
    select gen_random_uuid(), 'unanswered:' || d.id || ':' || step.value::text, step.value ->> 'channel', 'unanswered', d.goal_id, d.id,
           step.value ->> 'to', 'pending', ${dueAt}
    from decisions d join sessions s on s.id = d.session_id join spaces p on p.name = s.space
      cross join jsonb_array_elements(p.escalation) as step
    where d.state = 'pending' and d.waits_until is null and d.goal_id is not null
      and step.value ->> 'channel' = any(${[...channels]}::text[])
      and d.created_at + (step.value ->> 'afterMinutes')::int * interval '1 minute' <= now()
    on conflict do nothing`;
}

/**
 * Claims the notifications that are due at `now` for this sender, for 40 seconds. Those that are not urgent wait during
 * quiet hours, and while their people are at a terminal or the page.
 */
export async function claimDue(
  tx: Tx,
  {
    limit,
    now,
    isQuiet,
    here,
  }: {
    readonly limit: number;
    readonly now: Date;
    readonly isQuiet: boolean;
    readonly here: { readonly people: readonly string[]; readonly isEverybody: boolean };
  },
): Promise<DueNotification[]> {
  return tx.$queryRaw<DueNotification[]>`
    with due as (
      select n.id, coalesce(g.priority = 'high', false) as urgent
      from notifications n left join goals g on g.id = n.goal_id
      where n.state in ('pending', 'sending')
        and (g.priority = 'high' and n.attempts = 0
          or n.due_at <= ${now}::timestamptz and (g.priority = 'high' or not ${isQuiet}::boolean
            and not coalesce(n.recipient = any(${[...here.people]}::text[]), ${here.isEverybody}::boolean)))
      order by n.due_at, n.channel, n.recipient, n.created_at limit ${limit}::int for update of n skip locked)
    update notifications n set state = 'sending', attempts = attempts + 1, due_at = ${now}::timestamptz + ${CLAIM}::text::interval
    from due where n.id = due.id
    returning n.id, channel, kind, goal_id as "goalId", decision_id as "decisionId",
      text, recipient, attempts, created_at as "createdAt", due.urgent as "isUrgent"`;
}

/**
 * Stores how an attempt ended. `dropped` means that the notification is no longer relevant. With `dueAt` the
 * notification is tried again at that time.
 */
export async function settleNotification(
  tx: Tx,
  id: string,
  outcome: {
    readonly state: 'sent' | 'dropped' | 'failed' | 'pending';
    readonly error?: string | undefined;
    readonly dueAt?: Date | undefined;
  },
): Promise<void> {
  await tx.$executeRaw`
    update notifications set state = ${outcome.state}, error = ${outcome.error === undefined ? null : storable(outcome.error)},
      due_at = coalesce(${outcome.dueAt ?? null}::timestamptz, due_at),
      sent_at = case when ${outcome.state} = 'sent' then now() end
    where id = ${id}::uuid`;
}

/** Deletes notifications settled more than `days` ago. */
export async function forgetOldNotifications(tx: Tx, days: number): Promise<void> {
  await tx.$executeRaw`
    delete from notifications
    where state in ('sent', 'dropped', 'failed') and created_at < now() - ${days}::int * interval '1 day'`;
}

/** Returns the key with this name. If it does not exist, `fresh` becomes the key. */
export async function signingKey(tx: Tx, name: string, fresh: Uint8Array): Promise<Uint8Array> {
  await tx.$executeRaw`insert into signing_keys (name, key) values (${name}, ${fresh}) on conflict do nothing`;
  const rows = await tx.$queryRaw<{ key: Uint8Array }[]>`select key from signing_keys where name = ${name}`;
  const row = rows[0];
  invariant(row !== undefined, 'a key that was just made is there');
  return row.key;
}

/** Returns all keys of this deployment. */
export function signingKeys(tx: Tx): Promise<{ name: string; key: Uint8Array }[]> {
  return tx.$queryRaw`select name, key from signing_keys`;
}

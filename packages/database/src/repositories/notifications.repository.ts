import { invariant } from '@aish/contracts/invariant';
import type { Tx } from '../tx.js';
import { storable } from './storable.js';

export interface DueNotification {
  readonly id: string;
  readonly channel: string;
  readonly kind: string;
  /** Null of a brief. */
  readonly goalId: string | null;
  readonly decisionId: string | null;
  /** Of a brief: its lines. */
  readonly text: string | null;
  /** Another person or place than that of all notices. */
  readonly recipient: string | null;
  /** This attempt included. */
  readonly attempts: number;
}

/** How long a sender may take before another one tries. */
const CLAIM = '40 seconds';

/** Notes which channels there are; those that were not there before begin now. */
export async function openChannels(tx: Tx, channels: readonly string[]): Promise<void> {
  await tx.$executeRaw`
    insert into notification_channels (name) select unnest(${[...channels]}::text[]) on conflict do nothing`;
}

/**
 * Writes down a word for each open HALT and for each goal that ended in one of `states` within the last day, once per
 * channel. @returns how many are new.
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
    where ${input.halts} and c.name = any(${channels}::text[]) and d.state = 'pending' and d.kind in ('halt', 'check', 'question', 'need', 'elicitation')
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

/** A word to the next person for each question that nobody has answered for as long as its space says, once per step and channel. */
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

/** Takes what is due, for this sender alone for 40 seconds. */
export async function claimDue(tx: Tx, limit: number): Promise<DueNotification[]> {
  return tx.$queryRaw<DueNotification[]>`
    update notifications set state = 'sending', attempts = attempts + 1, due_at = now() + ${CLAIM}::text::interval
    where id in (select id from notifications where state in ('pending', 'sending') and due_at <= now()
                 order by due_at limit ${limit}::int for update skip locked)
    returning id, channel, kind, goal_id as "goalId", decision_id as "decisionId",
      text, recipient, attempts`;
}

/** How an attempt ended. `dropped`: nobody needs to hear it any more. With `dueAt` it is tried again then. */
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

/** Forgets what was settled more than `days` ago. */
export async function forgetOldNotifications(tx: Tx, days: number): Promise<void> {
  await tx.$executeRaw`
    delete from notifications
    where state in ('sent', 'dropped', 'failed') and created_at < now() - ${days}::int * interval '1 day'`;
}

/** The key of this name; `fresh` becomes it when there is none yet. */
export async function signingKey(tx: Tx, name: string, fresh: Uint8Array): Promise<Uint8Array> {
  await tx.$executeRaw`insert into signing_keys (name, key) values (${name}, ${fresh}) on conflict do nothing`;
  const rows = await tx.$queryRaw<{ key: Uint8Array }[]>`select key from signing_keys where name = ${name}`;
  const row = rows[0];
  invariant(row !== undefined, 'a key that was just made is there');
  return row.key;
}

/** All keys of this deployment. */
export function signingKeys(tx: Tx): Promise<{ name: string; key: Uint8Array }[]> {
  return tx.$queryRaw`select name, key from signing_keys`;
}

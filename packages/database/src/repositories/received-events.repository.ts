import { createHash } from 'node:crypto';
import { EventOutcome, type ReceivedEvent } from '@aish/contracts/incoming-events';
import type { GoalState } from '@aish/contracts/goals';
import type { ReceivedEventRow } from '../generated/rows.js';
import type { Tx } from '../tx.js';
import { storable, storableJson } from './storable.js';

const KEY_CHARS = 500;

type Row = Omit<ReceivedEventRow, 'rule_id' | 'delivery' | 'goal_id'> & {
  readonly rule: number | null;
  readonly goal: number | null;
};

/** The newest event of a rule with a key, and the state of its goal. */
export interface LatestEvent {
  readonly id: string;
  readonly number: number;
  readonly outcome: 'goal' | 'limited';
  readonly receivedAt: Date;
  readonly goal: { readonly id: string; readonly number: number; readonly state: GoalState } | null;
  readonly sessionId: string | null;
}

/** Returns the newest events for these rules and keys, by `latestName`. */
export async function latestEvents(
  tx: Tx,
  named: readonly { readonly ruleId: string; readonly key: string }[],
): Promise<Map<string, LatestEvent>> {
  const rows = await tx.$queryRaw<
    {
      id: string;
      rule_id: string;
      key: string;
      number: number;
      outcome: 'goal' | 'limited';
      received_at: Date;
      goal_id: string | null;
      goal_number: number | null;
      state: GoalState | null;
      session_id: string | null;
    }[]
  >`
    select e.id, e.rule_id, e.key, e.number, e.outcome, e.received_at, g.id as goal_id, g.number as goal_number,
           g.state::text as state, g.session_id
    from unnest(${named.map(({ ruleId }) => ruleId)}::uuid[], ${named.map(({ key }) => key)}::text[]) as wanted (rule_id, key)
    cross join lateral (
      select * from received_events r
      where r.rule_id = wanted.rule_id and r.key = wanted.key and r.outcome in ('goal', 'limited')
      order by r.number desc limit 1) e
    left join goals g on g.id = e.goal_id`;
  return new Map(
    rows.map((row) => {
      const { goal_id: id, goal_number: number, state } = row;
      const goal = id === null || number === null || state === null ? null : { id, number, state };
      const { rule_id: ruleId, key, received_at: receivedAt, session_id: sessionId, outcome } = row;
      return [latestName(ruleId, key), { id: row.id, number: row.number, outcome, receivedAt, goal, sessionId }];
    }),
  );
}

export const latestName = (ruleId: string, key: string): string => `${ruleId} ${key}`;

/** Returns the number of a rule's goals that have not ended. */
export async function countOpenGoals(tx: Tx, ruleId: string): Promise<number> {
  const rows = await tx.$queryRaw<{ open: number }[]>`
    select count(*)::int as open from received_events e join goals g on g.id = e.goal_id
    where e.rule_id = ${ruleId}::uuid and g.state in ('queued', 'running', 'halted', 'paused', 'waiting')`;
  return rows[0]?.open ?? 0;
}

/** Returns the deliveries that were received before, with the numbers of their events. */
export async function knownDeliveries(
  tx: Tx,
  source: string,
  deliveries: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx.$queryRaw<{ delivery: string; number: number }[]>`
    select delivery, number from received_events
    where source = ${source} and delivery = any(${[...deliveries]}::text[])`;
  return new Map(rows.map(({ delivery, number }) => [delivery, number]));
}

export interface NewReceivedEvent {
  readonly id: string;
  readonly source: string;
  readonly ruleId: string | null;
  readonly key: string | null;
  readonly delivery: string | null;
  readonly outcome: EventOutcome;
  readonly goalId: string | null;
  readonly body: unknown;
}

/** @returns the number of the event. */
export async function insertReceivedEvent(tx: Tx, event: NewReceivedEvent): Promise<number> {
  const rows = await tx.$queryRaw<{ number: number }[]>`
    insert into received_events (id, source, rule_id, key, delivery, outcome, goal_id, body, resolved_at)
    values (${event.id}::uuid, ${event.source}, ${event.ruleId}::uuid, ${event.key}, ${event.delivery}, ${event.outcome},
            ${event.goalId}::uuid, ${storableJson(event.body) ?? 'null'}::jsonb,
            case when ${event.outcome}::text = 'resolved' then now() end)
    returning number`;
  return rows[0]?.number ?? 0;
}

/** Adds repetitions to the counts of events, by ID. */
export async function countRepeats(tx: Tx, times: ReadonlyMap<string, number>): Promise<void> {
  await tx.$executeRaw`
    update received_events e set repeats = e.repeats + n.times, last_at = now()
    from unnest(${[...times.keys()]}::uuid[], ${[...times.values()]}::int[]) as n (id, times) where e.id = n.id`;
}

/** Marks an event as resolved. */
export async function resolveEvent(tx: Tx, id: string): Promise<void> {
  await tx.$executeRaw`update received_events set resolved_at = now() where id = ${id}::uuid and resolved_at is null`;
}

/** Deletes old events of a sender, except the newest ones and those with open goals. */
export async function forgetOldEvents(tx: Tx, source: string, keep: number): Promise<void> {
  await tx.$executeRaw`
    delete from received_events e where e.source = ${source}
      and e.number < (select number from received_events where source = ${source}
                      order by number desc offset ${keep}::int limit 1)
      and not exists (select 1 from goals g where g.id = e.goal_id
                      and g.state in ('queued', 'running', 'halted', 'paused', 'waiting'))`;
}

/** Lists the newest events of all senders, or of one, newest first. */
export async function listReceivedEvents(tx: Tx, source: string | null, limit: number): Promise<ReceivedEvent[]> {
  const rows = await tx.$queryRaw<Row[]>`
    select e.id, e.number, e.source, r.number as rule, e.key, e.outcome, e.repeats, g.number as goal, e.body,
           e.received_at, e.last_at, e.resolved_at
    from received_events e left join event_rules r on r.id = e.rule_id left join goals g on g.id = e.goal_id
    where ${source}::text is null or e.source = ${source}
    order by e.number desc limit ${limit}::int`;
  return rows.map(eventOf);
}

/** Returns the event with this UUID or number, or null. */
export async function findReceivedEvent(tx: Tx, reference: string): Promise<ReceivedEvent | null> {
  const byId = reference.includes('-');
  const rows = await tx.$queryRaw<Row[]>`
    select e.id, e.number, e.source, r.number as rule, e.key, e.outcome, e.repeats, g.number as goal, e.body,
           e.received_at, e.last_at, e.resolved_at
    from received_events e left join event_rules r on r.id = e.rule_id left join goals g on g.id = e.goal_id
    where case when ${byId} then e.id = ${byId ? reference : null}::uuid
               else e.number = ${byId ? null : Number(reference)}::int end`;
  return rows[0] === undefined ? null : eventOf(rows[0]);
}

/** Returns a key in its stored form. A long key is hashed, so that cutting cannot make two keys equal. */
export function storedKey(key: string): string {
  const kept = storable(key);
  return kept.length <= KEY_CHARS ? kept : createHash('sha256').update(kept).digest('hex');
}

function eventOf(row: Row): ReceivedEvent {
  const { received_at: receivedAt, last_at: lastAt, resolved_at: resolvedAt, outcome, ...same } = row;
  return {
    ...same,
    outcome: EventOutcome.parse(outcome),
    receivedAt: receivedAt.toISOString(),
    lastAt: lastAt.toISOString(),
    resolvedAt: resolvedAt?.toISOString() ?? null,
  };
}

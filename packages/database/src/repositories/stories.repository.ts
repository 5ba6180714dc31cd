import type { EventType } from '@aish/contracts/events';
import type { Tx } from '../tx.js';

/**
 * Events whose whole content is also in steps, actions and turns. All other content (verdicts, connections, chats) is
 * only in events.
 */
const TOLD_TWICE: readonly EventType[] = [
  'step.started',
  'step.answered',
  'action.classified',
  'action.started',
  'action.finished',
  'action.skipped',
  'action.lost',
  'goal.noticed',
];

/**
 * Deletes the events of goals that ended long ago if the record has the same content, and the evidence of hosts.
 * Sessions with later activity are skipped.
 *
 * @returns the number of goals. If it is less than `limit`, there are no more.
 */
export async function forgetStories(tx: Tx, days: number, limit: number): Promise<number> {
  const rows = await tx.$queryRaw<unknown[]>`
    with over as (
      select g.id, g.session_id from goals g join sessions s on s.id = g.session_id
      where g.ended_at is not null and g.ended_at < now() - ${days}::int * interval '1 day'
        and (g.story_forgotten_at is null or g.story_forgotten_at < g.ended_at)
        and s.updated_at < now() - ${days}::int * interval '1 day'
      order by g.ended_at limit ${limit}::int for update of g skip locked
    ), evidence as (
      delete from host_evidence e using over where e.session_id = over.session_id
    ), gone as (
      delete from events e using over where e.session_id = over.session_id and e.type = any(${[...TOLD_TWICE]}::text[])
    )
    update goals set story_forgotten_at = now() from over where goals.id = over.id returning goals.id`;
  return rows.length;
}

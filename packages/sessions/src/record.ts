import { RecordDraft, isActionRecord, type ActionRecord, type RecordPlace } from '@aish/actions';
import type { EventBody, Notice, SessionEvent } from '@aish/contracts/events';
import type { Turn } from '@aish/contracts/sessions';
import { writeSessionRecord, type AnsweredStep, type SessionRecord } from '@aish/database/session-record.repository';
import type { Tx } from '@aish/database/tx';
import type { SessionMachine } from './machine/session.js';

/** What surrounds the records of one event of a session, of whichever kind. */
export interface RecordContext<M extends SessionMachine> extends RecordPlace {
  /** That of the driver who writes, which may be old; null where the caller holds the row of the goal or chat. */
  readonly epoch: number | null;
  /** The machine before the event and after it. */
  readonly previous: M;
  readonly machine: M;
  /** Events that belong before those of the records. */
  readonly before?: readonly EventBody[];
}

export interface Recorded {
  readonly events: readonly SessionEvent[];
  readonly turns: readonly Turn[];
}

/** What records come to while they are gathered. */
interface Gathered {
  readonly events: EventBody[];
  /** The number of the step that begins. */
  started: number | null;
  answered: AnsweredStep | null;
}

/** How records that only one kind of session has are gathered, and what is written of the session itself. */
interface Kind<R> {
  readonly gather: (record: R, gathered: Gathered) => Promise<void> | void;
  /** Null: nothing, so that where nothing else has happened either, nothing is written. */
  readonly own: (gathered: Gathered) => SessionRecord['of'] | null;
}

/**
 * Writes the records of one event, rows and events alike, with one statement where `isOneStatement` of the kind says so,
 * else in the caller's transaction.
 * @throws AishError `epoch_superseded` when another driver or a person has the session now; `grant_revoked` when a grant
 * that it relies on is gone: what it allowed has to be judged again.
 */
export async function writeRecords<M extends SessionMachine, R extends { readonly type: string }>(
  tx: Tx,
  records: readonly (R | ActionRecord)[],
  context: RecordContext<M>,
  { gather, own }: Kind<R>,
): Promise<Recorded> {
  const { epoch, previous, machine, before = [] } = context;
  const draft = new RecordDraft(tx, context, previous, machine, [...before]);
  const gathered: Gathered = { events: draft.events, started: null, answered: null };
  for (const record of records) {
    if (isActionRecord(record)) {
      await draft.add(record);
      continue;
    }
    await gather(record, gathered);
    const { answered } = gathered;
    if (answered !== null) draft.addPlaces(answered.n, answered.actions);
  }
  const { turns, actions, events } = draft;
  const of = own(gathered);
  if (of === null) return { events: [], turns: [] };
  const { started, answered } = gathered;
  return writeSessionRecord(tx, { of, epoch, answered, started, actions, turns, events });
}

/** What is told of events of a goal once they are committed; null when there are none. */
export function noticeOf(goalId: string, sessionId: string, events: readonly SessionEvent[]): Notice | null {
  const last = events.at(-1);
  if (last === undefined) return null;
  return { type: 'events', sessionId, seq: last.seq, goalId, types: events.map(({ body }) => body.type) };
}

import { RecordDraft, isActionRecord, type ActionRecord, type RecordPlace } from '@aish/actions';
import type { EventBody, Notice, SessionEvent } from '@aish/contracts/events';
import type { Turn } from '@aish/contracts/sessions';
import { writeSessionRecord, type AnsweredStep, type SessionRecord } from '@aish/database/session-record.repository';
import type { Tx } from '@aish/database/tx';
import type { SessionMachine } from './machine/session.js';

/** The context of the records of one event, for every kind of session. */
export interface RecordContext<M extends SessionMachine> extends RecordPlace {
  /**
   * The epoch of the runner that writes. It may be outdated. Null if the caller has locked the row of the goal or chat.
   */
  readonly epoch: number | null;
  /** The machine before the event and after it. */
  readonly previous: M;
  readonly machine: M;
  /** Events that precede those of the records. */
  readonly before?: readonly EventBody[];
}

export interface Recorded {
  readonly events: readonly SessionEvent[];
  readonly turns: readonly Turn[];
}

/** The collected results of records. */
interface Gathered {
  readonly events: EventBody[];
  /** The number of the step that begins; null if none does. */
  started: number | null;
  answered: AnsweredStep | null;
}

/** How to collect the records of one kind of session, and what to write about the session itself. */
interface Kind<R> {
  readonly gather: (record: R, gathered: Gathered) => Promise<void> | void;
  /** Returns the session's own changes, or null if there are none, so that nothing is written without a reason. */
  readonly own: (gathered: Gathered) => SessionRecord['of'] | null;
}

/**
 * Writes the records of one event, both rows and events. It uses one statement if `isOneStatement` of the kind says so,
 * and otherwise the caller's transaction.
 *
 * @throws AishError `epoch_superseded` if another runner or a person has the session now; `grant_revoked` if a grant
 *   that the session relies on is gone, so that its action must be judged again.
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

/** Returns the notice to publish after events of a goal are committed, or null if there are no events. */
export function noticeOf(goalId: string, sessionId: string, events: readonly SessionEvent[]): Notice | null {
  const last = events.at(-1);
  if (last === undefined) return null;
  return { type: 'events', sessionId, seq: last.seq, goalId, types: events.map(({ body }) => body.type) };
}

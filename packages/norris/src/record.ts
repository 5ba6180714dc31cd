import { RecordDraft, isActionRecord, isOneStatement as isWrittenAtOnce } from '@aish/actions';
import type { EventBody, Notice, SessionEvent } from '@aish/contracts/events';
import { isTerminal, type HaltExpiry } from '@aish/contracts/goals';
import type { Turn } from '@aish/contracts/sessions';
import { editGoal } from '@aish/database/goals.repository';
import { writeSessionRecord, type AnsweredStep, type GoalChange } from '@aish/database/session-record.repository';
import type { Tx } from '@aish/database/tx';
import type { GoalRecord } from './machine/events.js';
import type { GoalMachine } from './machine/state.js';

export interface RecordContext {
  readonly goalId: string;
  readonly sessionId: string;
  /** That of the driver who writes; null where the caller holds the goal's row. */
  readonly epoch: number | null;
  /** The machine before the event and after it. */
  readonly previous: GoalMachine;
  readonly machine: GoalMachine;
  /** The model's words of the newest step; their last lines go with a decision. */
  readonly stepText: string;
  /** How long to wait before a goal in state `waiting` is tried again, milliseconds. */
  readonly wakeInMs: number;
  /** What a question of this goal becomes when nobody answers. */
  readonly haltExpiry: HaltExpiry | null;
  /** Events that belong before those of the records. */
  readonly before?: readonly EventBody[];
}

export interface Recorded {
  /** Null when nothing happened. To be published after the commit. */
  readonly notice: Notice | null;
  readonly turns: readonly Turn[];
}

/** Whether `record` writes these with one statement, which needs no transaction around it. */
export function isOneStatement(records: readonly GoalRecord[]): boolean {
  return isWrittenAtOnce(records) && !records.some(({ type }) => type === 'setCheck');
}

/**
 * Writes the records of one event, rows and events alike, in the caller's transaction.
 * @throws AishError `epoch_superseded` when another driver or a person has the goal now; `grant_revoked` when a grant that it relies on is gone: what it allowed has to be judged anew.
 */
export async function record(tx: Tx, records: readonly GoalRecord[], context: RecordContext): Promise<Recorded> {
  const { goalId, sessionId, machine, previous, stepText: words, haltExpiry, before = [] } = context;
  const { stepBudget } = machine;
  const place = { sessionId, goalId, stepBudget, words, haltExpiry };
  const draft = new RecordDraft(tx, place, previous, machine, [...before]);
  const { events } = draft;
  let change: GoalChange | null = null;
  let answered: AnsweredStep | null = null;
  let started: number | null = null;
  for (const each of records) {
    if (isActionRecord(each)) {
      await draft.add(each);
      continue;
    }
    switch (each.type) {
      case 'startStep':
        started = each.n;
        events.push({ type: 'step.started', goalId, step: each.n, stepBudget });
        break;
      case 'answerStep': {
        const { n: step, text, model, usage, notes, actions } = each;
        answered = each;
        draft.addPlaces(step, actions);
        events.push({ type: 'step.answered', goalId, step, text, model, usage, notes: [...notes] });
        break;
      }
      case 'setCheck':
        await editGoal(tx, goalId, { verify: each.verify });
        events.push({ type: 'goal.check', goalId, verify: each.verify, by: each.by });
        break;
      case 'setGoal': {
        const { state, reason, waitingFor, summary } = each;
        const wakeInMs = state === 'waiting' ? context.wakeInMs : null;
        change = { state, reason, waitingFor, summary, ended: isTerminal(state), wakeInMs };
        if (each.isQuiet !== true) events.push({ type: 'goal.changed', goalId, state, reason, waitingFor, summary });
      }
    }
  }
  const { turns, actions } = draft;
  const isSilent = events.length === 0 && turns.length === 0 && actions.length === 0;
  if (isSilent && change === null && !countsDiffer(previous, machine)) return { notice: null, turns: [] };
  const isProgress = answered !== null || started !== null;
  const written = await writeSessionRecord(tx, {
    of: { goalId, progress: machine, change, isProgress },
    epoch: context.epoch,
    answered,
    started,
    actions,
    turns,
    events,
  });
  return { notice: noticeOf(goalId, sessionId, written.events), turns: written.turns };
}

/** What is told of events once they are committed; null when there are none. */
export function noticeOf(goalId: string, sessionId: string, events: readonly SessionEvent[]): Notice | null {
  const last = events.at(-1);
  if (last === undefined) return null;
  return { type: 'events', sessionId, seq: last.seq, goalId, types: events.map(({ body }) => body.type) };
}

function countsDiffer(previous: GoalMachine, machine: GoalMachine): boolean {
  const countsOf = ({ state: _state, step: _step, recent: _recent, ...counts }: GoalMachine): string =>
    JSON.stringify(counts);
  return countsOf(previous) !== countsOf(machine);
}

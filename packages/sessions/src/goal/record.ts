import { channel } from 'node:diagnostics_channel';
import { isOneStatement as isWrittenAtOnce } from '@aish/actions';
import { isTerminal } from '@aish/contracts/goals';
import { editGoal } from '@aish/database/goals.repository';
import type { GoalChange } from '@aish/database/session-record.repository';
import type { Tx } from '@aish/database/tx';
import { writeRecords, type Recorded, type RecordContext } from '../record.js';
import type { Advance, GoalEvent, GoalRecord, OwnGoalRecord } from '../machine/goal/events.js';
import type { GoalMachine } from '../machine/goal/state.js';

export interface GoalContext extends Omit<RecordContext<GoalMachine>, 'stepBudget'> {
  readonly goalId: string;
  /** How long a waiting goal waits before it is tried again, in milliseconds. */
  readonly wakeInMs: number;
}

/** Whether `recordGoal` writes these records with one statement, which needs no transaction around it. */
export function isOneStatement(records: readonly GoalRecord[]): boolean {
  return isWrittenAtOnce(records) && !records.some(({ type }) => type === 'setCheck' || type === 'acceptPlan');
}

/** Writes the records of one event of a goal; see `writeRecords`. */
export function recordGoal(tx: Tx, records: readonly GoalRecord[], context: GoalContext): Promise<Recorded> {
  const { goalId, machine, previous, wakeInMs: pauseMs } = context;
  const { stepBudget } = machine;
  let change: GoalChange | null = null;
  const isSilent = records.length === 0 && (context.before ?? []).length === 0 && !countsDiffer(previous, machine);
  return writeRecords<GoalMachine, OwnGoalRecord>(
    tx,
    records,
    { ...context, stepBudget },
    {
      gather: async (record, gathered) => {
        const { events } = gathered;
        switch (record.type) {
          case 'startStep':
            gathered.started = record.n;
            events.push({ type: 'step.started', goalId, step: record.n, stepBudget });
            break;
          case 'answerStep': {
            const { n: step, text, model, usage, notes, reasoning } = record;
            const thoughts = reasoning === undefined ? {} : { reasoning };
            gathered.answered = record;
            events.push({ type: 'step.answered', goalId, step, text, model, usage, notes: [...notes], ...thoughts });
            break;
          }
          case 'hear':
            events.push({ type: 'goal.heard', goalId, said: record.upTo });
            break;
          case 'setCheck':
            await editGoal(tx, goalId, { verify: record.verify });
            events.push({ type: 'goal.check', goalId, verify: record.verify, by: record.by });
            break;
          case 'acceptPlan':
            await editGoal(tx, goalId, { awaitsPlan: false });
            break;
          case 'setGoal': {
            const { state, reason, waitingFor, summary } = record;
            const wakeInMs = state === 'waiting' ? pauseMs : null;
            change = { state, reason, waitingFor, summary, ended: isTerminal(state), wakeInMs };
            if (record.isQuiet !== true)
              events.push({ type: 'goal.changed', goalId, state, reason, waitingFor, summary });
          }
        }
      },
      own: ({ started, answered }) =>
        isSilent ? null : { goalId, progress: machine, change, isProgress: answered !== null || started !== null },
    },
  );
}

function countsDiffer(previous: GoalMachine, machine: GoalMachine): boolean {
  const countsOf = ({
    state: _state,
    step: _step,
    recent: _recent,
    hasUnheard: _has,
    ...counts
  }: GoalMachine): string => JSON.stringify(counts);
  return countsOf(previous) !== countsOf(machine);
}

const advances = channel('aish.norris.advance');

/**
 * Announces a decision of the step machine after it is written. Only the recorder of goals listens; see
 * `announceBoundary`.
 */
export function announceAdvance(goalId: string, before: GoalMachine, event: GoalEvent, decided: Advance): void {
  if (advances.hasSubscribers) advances.publish({ goalId, before, event, decided });
}

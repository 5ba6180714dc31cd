import { describe, expect, it } from '@jest/globals';
import type { Action, Ending } from '@aish/actions';
import type { PendingTask, ServerTask } from '@aish/contracts/tools';
import { advance } from './advance.js';
import type { Advance, GoalEvent } from './events.js';
import { NEW_GOAL, type GoalMachine } from './state.js';

const task: ServerTask = {
  alias: 'lab',
  endpoint: 'e',
  taskId: 't',
  pollMs: 1_000,
  until: '2999-01-01T00:00:00.000Z',
  note: null,
  answered: [],
};
const rest = { questions: {}, state: '', restarts: false };
const call = (id: string, more: Partial<Action> = {}): Action => ({
  kind: 'tool',
  id,
  callId: id,
  tool: 'lab__build',
  label: 'lab.build',
  arguments: '{}',
  state: 'started',
  ...(more as object),
});
const running = (...actions: readonly Action[]): GoalMachine => ({
  ...NEW_GOAL,
  stepBudget: 9,
  state: 'running',
  step: { n: 1, answered: true, goalLine: null, actions },
});
const over = (...endings: readonly Ending[]): GoalEvent => ({ type: 'ended', endings, tookMs: 5 });
const waits = (actionId: string, change: Partial<ServerTask> = {}): Ending => {
  const pending: PendingTask = { ...rest, task: { ...task, ...change } };
  return { kind: 'waits', actionId, pending };
};
const answered = (actionId: string): Ending => ({
  kind: 'answered',
  actionId,
  result: { text: 'it stands', isError: false, omittedBytes: 0 },
});
const typesOf = ({ records }: Advance): string[] => records.map(({ type }) => type);

describe('a goal whose call is a task of its server', () => {
  it('a goal polls a server task silently, and continues when the task ends', () => {
    const first = advance(running(call('1')), over(waits('1')));
    const reason = 'lab.build goes on at its server';
    const waiting = { type: 'setGoal', state: 'waiting', reason, waitingFor: 'tool', summary: null };
    expect(first.records).toEqual([{ type: 'keepTask', actionId: '1', pending: { ...rest, task } }, waiting]);
    expect([first.machine.state, first.effect]).toEqual(['waiting', null]);

    const taken = advance(first.machine, { type: 'taken' });
    expect(taken.records).toEqual([]);
    expect(taken.effect).toMatchObject({ type: 'recover', action: { id: '1', pending: { task } } });
    // One poll has the same status and one has a new status. Neither is an event.
    const still = advance(taken.machine, over(waits('1')));
    expect(still.records).toEqual([{ ...waiting, isQuiet: true }]);
    const news = advance(taken.machine, over(waits('1', { note: 'half way' })));
    expect(typesOf(news)).toEqual(['keepTask', 'setGoal']);
    expect(news.records[1]).toEqual({ ...waiting, reason: `${reason}: half way`, isQuiet: true });

    const ended = advance(taken.machine, over(answered('1')));
    expect(typesOf(ended)).toEqual(['setGoal', 'setAction', 'appendTurn', 'startStep']);
    expect(ended.records[0]).toMatchObject({ type: 'setGoal', state: 'running' });
    expect([ended.machine.state, ended.effect]).toEqual(['running', { type: 'ask' }]);
  });

  it('the task of one parallel call is saved even if the other call ends, asks or waits', () => {
    const both = running(call('1'), call('2'));
    const question = { mode: 'form', message: 'which?', requestedSchema: {}, url: null } as const;
    const asks: Ending = { kind: 'asks', actionId: '1', pending: { ...rest, questions: { one: question } } };
    for (const first of [answered('1'), asks, waits('1', { taskId: 'u' })]) {
      const { machine, records } = advance(both, over(first, waits('2')));
      expect(records).toContainEqual({ type: 'keepTask', actionId: '2', pending: { ...rest, task } });
      expect(machine.step?.actions[1]).toMatchObject({ state: 'started', pending: { task } });
    }
  });

  it('cancelling a goal with a task marks the call as lost, because nobody knows how it ended', () => {
    const { machine } = advance(running(call('1')), over(waits('1')));
    const cancelled = advance(machine, { type: 'cancelled', by: 'ada', outcomes: {} });
    expect(cancelled.machine.state).toBe('aborted');
    expect(cancelled.records).toContainEqual(
      expect.objectContaining({ type: 'setAction', actionId: '1', state: 'lost' }),
    );
  });

  it('a goal polls its server task again once it is resumed', () => {
    const { machine } = advance(running(call('1')), over(waits('1')));
    const paused = advance(machine, { type: 'paused', by: 'ada' });
    expect(advance(paused.machine, { type: 'taken' }).effect).toBeNull();
    const resumed = advance(paused.machine, { type: 'resumed', isAsked: false });
    const taken = advance(resumed.machine, { type: 'taken' });
    expect(taken.effect).toMatchObject({ type: 'recover', action: { pending: { task } } });
    expect(taken.records).toContainEqual(expect.objectContaining({ state: 'running' }));
  });
});

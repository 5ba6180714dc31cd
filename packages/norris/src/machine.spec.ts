import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isTerminal, type Classification, type RunOutcome } from '@aish/contracts';
import { advance, type Advance, type GoalEvent, type GoalMachine } from './machine.js';

const fresh: GoalMachine = { state: 'queued', stepBudget: 3, stepsTaken: 0, nudged: false, step: null };
const outcome: RunOutcome = {
  exitCode: 0,
  signal: null,
  outOfMemory: false,
  timedOut: false,
  cancelled: false,
  durationMs: 1,
  output: 'hi\n',
  omittedBytes: 0,
};
const safe: Classification = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' };
const bad: Classification = { verdict: 'destructive', reason: 'rm -rf', ruleId: 'r', span: [0, 2], by: 'rule' };

const answered = (
  commands: readonly string[],
  goalLine: 'complete' | 'blocked' | null = null,
  step = 1,
): GoalEvent => ({
  type: 'answered',
  text: 'text',
  model: 'm',
  usage: null,
  actions: commands.map((command, n) => ({ id: `${step}.${n + 1}`, command })),
  goalLine:
    goalLine === 'complete'
      ? { kind: 'complete', summary: 'did it' }
      : goalLine === 'blocked'
        ? { kind: 'blocked', reason: 'no way' }
        : null,
});

/** Plays events one after the other and returns the last answer of the machine. */
function play(start: GoalMachine, ...events: readonly GoalEvent[]): Advance {
  let last: Advance = { machine: start, records: [], act: null };
  for (const event of events) last = advance(last.machine, event);
  return last;
}

describe('advance', () => {
  it('asks, runs what is safe, and asks again with the result', () => {
    const asked = play(fresh, { type: 'taken' });
    expect(asked.act).toEqual({ type: 'ask' });
    expect(asked.records).toContainEqual({ type: 'startStep', n: 1 });
    const classify = advance(asked.machine, answered(['ls']));
    expect(classify.act).toMatchObject({ type: 'classify', action: { id: '1.1', command: 'ls' } });
    const run = advance(classify.machine, { type: 'classified', actionId: '1.1', classification: safe });
    expect(run.act).toMatchObject({ type: 'run', action: { id: '1.1' } });
    expect(run.records).toContainEqual({ type: 'setAction', actionId: '1.1', state: 'started' });
    const next = advance(run.machine, { type: 'ran', actionId: '1.1', outcome });
    expect(next.records.map((record) => record.type)).toEqual(['setAction', 'appendTurn', 'startStep']);
    expect(next.act).toEqual({ type: 'ask' });
  });

  it('halts on a destructive command: decision and state together, nothing left to do', () => {
    const halted = play(fresh, { type: 'taken' }, answered(['rm -rf x']), {
      type: 'classified',
      actionId: '1.1',
      classification: bad,
    });
    expect(halted.machine.state).toBe('halted');
    expect(halted.act).toBeNull();
    expect(halted.records.map((record) => record.type)).toEqual([
      'classifyAction',
      'setAction',
      'requestDecision',
      'setGoal',
    ]);
    expect(play(halted.machine, { type: 'taken' })).toEqual({ machine: halted.machine, records: [], act: null });
  });

  const halted = play(fresh, { type: 'taken' }, answered(['rm -rf x', 'ls'], 'complete'), {
    type: 'classified',
    actionId: '1.1',
    classification: bad,
  }).machine;
  const verdict = (verdict: 'proceed' | 'skip' | 'abort', message: string | null = null): GoalEvent => ({
    type: 'decided',
    actionId: '1.1',
    verdict,
    message,
    by: 'ann',
  });

  it('takes nothing for an action whose turn it is not', () => {
    const asked = play(fresh, { type: 'taken' }, answered(['ls', 'rm -rf x']));
    const early: GoalEvent = { type: 'classified', actionId: '1.2', classification: bad };
    expect(advance(asked.machine, early)).toEqual({ machine: asked.machine, records: [], act: null });
  });

  it('runs what a person let proceed, without classifying it again, and tells the model', () => {
    const decided = play(halted, verdict('proceed'));
    expect(decided.machine.state).toBe('queued');
    expect(decided.records).toContainEqual({ type: 'appendTurn', role: 'notice', content: '[aish] action approved' });
    expect(play(decided.machine, { type: 'taken' }).act).toMatchObject({
      type: 'run',
      action: { command: 'rm -rf x' },
    });
  });

  it('tells the model what was skipped, with the message, and goes on with the next action', () => {
    const decided = play(halted, verdict('skip', 'keep it'));
    expect(decided.records).toContainEqual({
      type: 'appendTurn',
      role: 'notice',
      content: '[aish] action skipped by user: rm -rf x\nkeep it',
    });
    expect(play(decided.machine, { type: 'taken' }).act).toMatchObject({ type: 'classify', action: { command: 'ls' } });
  });

  it('ends on abort and closes every action', () => {
    const { machine } = play(halted, verdict('abort'));
    expect(machine.state).toBe('aborted');
    expect(machine.step?.actions.map((action) => action.state)).toEqual(['skipped', 'skipped']);
  });

  it('ignores a second verdict', () => {
    const once = play(halted, verdict('proceed')).machine;
    expect(play(once, verdict('abort'))).toEqual({ machine: once, records: [], act: null });
  });

  it('lets GOAL: complete take effect only after the actions of its answer', () => {
    const classified: GoalEvent = { type: 'classified', actionId: '1.1', classification: safe };
    const running = play(fresh, { type: 'taken' }, answered(['ls'], 'complete'), classified);
    expect(running.machine.state).toBe('running');
    const done = advance(running.machine, { type: 'ran', actionId: '1.1', outcome });
    expect(done.machine.state).toBe('done');
    expect(done.records.at(-1)).toMatchObject({ type: 'setGoal', state: 'done', summary: 'did it' });
  });

  it('ends blocked with the reason', () => {
    expect(play(fresh, { type: 'taken' }, answered([], 'blocked')).records.at(-1)).toMatchObject({
      state: 'blocked',
      reason: 'no way',
    });
  });

  it('nudges once when the model neither acts nor ends, then it is stalled', () => {
    const nudged = play(fresh, { type: 'taken' }, answered([]));
    expect(nudged.machine.state).toBe('running');
    expect(nudged.records.map((record) => record.type)).toEqual([
      'answerStep',
      'appendTurn',
      'appendTurn',
      'startStep',
    ]);
    expect(play(nudged.machine, answered([], null, 2)).machine.state).toBe('stalled');
  });

  it('is exhausted when the budget of steps is used up, but done first if the last step completes', () => {
    const one = { ...fresh, stepBudget: 1 };
    const ran: readonly GoalEvent[] = [
      { type: 'classified', actionId: '1.1', classification: safe },
      { type: 'ran', actionId: '1.1', outcome },
    ];
    expect(play(one, { type: 'taken' }, answered(['ls']), ...ran).machine.state).toBe('exhausted');
    expect(play(one, { type: 'taken' }, answered(['ls'], 'complete'), ...ran).machine.state).toBe('done');
  });

  it('waits when the model is away, and asks the same step again', () => {
    const waiting = play(fresh, { type: 'taken' }, { type: 'away', what: 'model', reason: 'down', began: false });
    expect(waiting.machine.state).toBe('waiting');
    const again = advance(waiting.machine, { type: 'taken' });
    expect(again.act).toEqual({ type: 'ask' });
    expect(again.machine.step?.n).toBe(1);
  });

  const started = play(fresh, { type: 'taken' }, answered(['ls']), {
    type: 'classified',
    actionId: '1.1',
    classification: safe,
  }).machine;

  it('runs again what surely never began, and only asks after what may have begun', () => {
    const refused = play(started, { type: 'away', what: 'sandbox', reason: 'down', began: false }, { type: 'taken' });
    expect(refused.act).toMatchObject({ type: 'run' });
    const broken = play(started, { type: 'away', what: 'sandbox', reason: 'cut', began: true }, { type: 'taken' });
    expect(broken.act).toMatchObject({ type: 'recover' });
  });

  it('recovers a begun run after a crash instead of running it', () => {
    expect(play(started, { type: 'taken' }).act).toMatchObject({ type: 'recover', action: { id: '1.1' } });
  });

  it('tells the model when a result is lost and never runs the command again', () => {
    const lost = play(started, { type: 'lost', actionId: '1.1' });
    expect(lost.records[1]).toMatchObject({
      type: 'appendTurn',
      content: expect.stringContaining('has not been run again'),
    });
    expect(lost.act).toEqual({ type: 'ask' });
  });

  it('keeps the outcome of a command that was killed by a cancel', () => {
    const cancelled = play(started, {
      type: 'cancelled',
      by: 'ann',
      outcomes: { '1.1': { ...outcome, cancelled: true } },
    });
    expect(cancelled.machine.state).toBe('aborted');
    expect(cancelled.machine.step?.actions[0]?.state).toBe('finished');
    expect(play(started, { type: 'cancelled', by: 'ann', outcomes: {} }).machine.step?.actions[0]?.state).toBe('lost');
  });
});

describe('advance, for any sequence of events', () => {
  const id = fc.constantFrom('1.1', '1.2', '2.1', '2.2', '3.1', '3.2');
  const event: fc.Arbitrary<GoalEvent> = fc.oneof(
    fc.constant<GoalEvent>({ type: 'taken' }),
    fc
      .tuple(
        fc.integer({ min: 0, max: 2 }),
        fc.constantFrom('complete', 'blocked', null, null),
        fc.integer({ min: 1, max: 3 }),
      )
      .map(([count, line, step]) => answered(['a', 'b'].slice(0, count), line, step)),
    fc
      .tuple(id, fc.constantFrom(safe, bad))
      .map(([actionId, classification]) => ({ type: 'classified' as const, actionId, classification })),
    id.map((actionId) => ({ type: 'ran' as const, actionId, outcome })),
    id.map((actionId) => ({ type: 'lost' as const, actionId })),
    id.map((actionId) => ({ type: 'refused' as const, actionId, reason: 'r' })),
    fc
      .tuple(id, fc.constantFrom('proceed' as const, 'skip' as const, 'abort' as const))
      .map(([actionId, verdict]) => ({ type: 'decided' as const, actionId, verdict, message: null, by: 'p' })),
    fc.boolean().map((began) => ({ type: 'away' as const, what: 'sandbox' as const, reason: 'r', began })),
    fc.constant<GoalEvent>({ type: 'away', what: 'model', reason: 'r', began: false }),
  );

  it('a terminal state is final, no destructive command runs before its verdict, each action ends once, the budget holds', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (events, stepBudget) => {
        let machine: GoalMachine = { ...fresh, stepBudget };
        const approved = new Set<string>();
        const cleared = new Set<string>();
        const ended = new Map<string, number>();
        for (const next of events) {
          const { machine: after, records, act } = advance(machine, next);
          if (isTerminal(machine.state)) expect(records).toEqual([]);
          const stepKey = (actionId: string) => `${after.step?.n}/${actionId}`;
          if (next.type === 'decided' && next.verdict === 'proceed' && records.length > 0)
            approved.add(stepKey(next.actionId));
          for (const record of records) {
            if (record.type === 'classifyAction' && record.classification.verdict === 'safe')
              cleared.add(stepKey(record.actionId));
            if (record.type === 'setAction' && ['finished', 'skipped', 'lost'].includes(record.state)) {
              const key = `${machine.step?.n}/${record.actionId}`;
              ended.set(key, (ended.get(key) ?? 0) + 1);
            }
          }
          if (act?.type === 'run')
            expect(approved.has(stepKey(act.action.id)) || cleared.has(stepKey(act.action.id))).toBe(true);
          expect(after.stepsTaken).toBeLessThanOrEqual(stepBudget);
          if (isTerminal(after.state)) {
            expect(
              after.step?.actions.every((action) => ['finished', 'skipped', 'lost'].includes(action.state)) ?? true,
            ).toBe(true);
          }
          if (after.state === 'halted') expect(act).toBeNull();
          machine = after;
        }
        for (const times of ended.values()) expect(times).toBe(1);
      }),
      { numRuns: 3000 },
    );
  });
});

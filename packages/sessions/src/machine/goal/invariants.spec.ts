import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { actionText, type ActionRequest, type RunOutcome } from '@aish/contracts/actions';
import { isTerminal } from '@aish/contracts/goals';
import type { Classification } from '@aish/contracts/safety';
import type { PendingInput, ServerTask } from '@aish/contracts/tools';
import { OUTCOME } from '@aish/contracts/testing/outcome';
import { hasEnded, currentAction, type Action, type Ending, type Judgement, type NewAction } from '@aish/actions';
import { FAILURES_MAX } from './unavailable.js';
import { advance } from './advance.js';
import type { GoalEvent } from './events.js';
import { CHECKS_MAX } from './policy.js';
import { NEW_GOAL, type GoalMachine } from './state.js';

const outcome = (exitCode: number): RunOutcome => ({
  ...OUTCOME,
  exitCode,
});
const safe: Classification = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' };
const bad: Classification = { verdict: 'destructive', reason: 'rm -rf', ruleId: 'r', span: [0, 2], by: 'rule' };
const unknown: Classification = { ...bad, verdict: 'unknown', reason: null };
const grant = { id: 'g', scope: 'rule', createdBy: 'p', carried: false } as const;

/** Makes an event that may arrive in any state. Its IDs come from the step, so many of them match and many do not. */
type Chance = (machine: GoalMachine) => GoalEvent;

const at = (machine: GoalMachine, n: number): string => `${machine.step?.n ?? 0}.${n}`;
const place = fc.integer({ min: 1, max: 4 });

const action = fc.record({
  kind: fc.constantFrom('command', 'tool', 'reader'),
  what: fc.constantFrom('a', 'b', 'c'),
  isFaulty: fc.boolean(),
});

const answered: fc.Arbitrary<Chance> = fc
  .record({
    actions: fc.array(action, { maxLength: 4 }),
    line: fc.constantFrom('complete', 'complete', 'blocked', 'verify', 'check', 'ask', 'need', null, null, null),
    isSchemaEcho: fc.boolean(),
    tokens: fc.integer({ min: 0, max: 50 }),
    tookMs: fc.integer({ min: 0, max: 50 }),
  })
  .map(({ actions, line, isSchemaEcho, tokens, tookMs }) => (machine) => ({
    type: 'answered',
    text: '',
    model: null,
    usage: { promptTokens: tokens, cachedTokens: 0, completionTokens: 0, promptMs: null, completionMs: null },
    notes: [],
    actions: actions.map(({ kind, what, isFaulty }, n): NewAction => {
      const id = at(machine, n + 1);
      if (kind === 'command') return { id, kind, command: what };
      const tool = { id, kind: 'tool', callId: id, tool: what, label: what, arguments: '{}' } as const;
      return { ...tool, readOnly: kind === 'reader', ...(isFaulty ? { fault: 'no' } : {}) };
    }),
    goalLine:
      line === 'complete'
        ? { kind: line, summary: null }
        : line === 'blocked'
          ? { kind: line, reason: null }
          : line === 'verify' || line === 'check'
            ? { kind: line, command: 'test -e x' }
            : line === 'ask'
              ? { kind: line, question: 'which?' }
              : line === 'need'
                ? { kind: line, need: { kind: 'host', name: 'nas', why: '' } }
                : null,
    checkId: at(machine, 9),
    isSchemaEcho,
    tookMs,
  }));

const classified: fc.Arbitrary<Chance> = fc
  .tuple(place, fc.array(fc.constantFrom(safe, safe, bad, unknown), { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([first, list, isGranted]) => (machine) => ({
    type: 'classified',
    judgements: list.map((classification, n): Judgement => ({
      actionId: at(machine, first + n),
      classification,
      grant: isGranted ? grant : null,
    })),
    tookMs: 1,
  }));

const question = { mode: 'form', message: 'which?', requestedSchema: { type: 'object' }, url: null } as const;
const pending: PendingInput = { questions: { one: question, two: question }, state: '', restarts: false };

const task: ServerTask = {
  alias: 'a',
  endpoint: 'e',
  taskId: 't',
  pollMs: 1_000,
  until: '2999-01-01T00:00:00.000Z',
  note: null,
  answered: [],
};

const ending = fc.tuple(
  fc.constantFrom('ran', 'ran', 'failed', 'answered', 'asks', 'waits', 'lost', 'refused'),
  place,
  fc.boolean(),
);
const ended: fc.Arbitrary<Chance> = fc.array(ending, { minLength: 1, maxLength: 4 }).map((list) => (machine) => ({
  type: 'ended',
  endings: list.map(([kind, n, isCheck]): Ending => {
    const actionId = at(machine, isCheck ? 9 : n);
    if (kind === 'ran' || kind === 'failed') return { kind: 'ran', actionId, outcome: outcome(kind === 'ran' ? 0 : 1) };
    if (kind === 'answered') {
      return { kind, actionId, result: { text: 'x', isError: false, omittedBytes: 0 } };
    }
    if (kind === 'asks') return { kind, actionId, pending };
    if (kind === 'waits') return { kind, actionId, pending: { ...pending, questions: {}, task } };
    return kind === 'lost' ? { kind, actionId } : { kind: 'refused', actionId, reason: 'r' };
  }),
  tookMs: 5,
}));

/** Returns an edited action of the same kind. The action before the edit must not run. */
function editedOf(head: Action | undefined): ActionRequest {
  if (head?.kind !== 'tool') return { kind: 'command', command: 'ls' };
  const { kind, callId, tool, label, readOnly = false } = head;
  return { kind, callId, tool, label, readOnly, arguments: '{"edited":true}' };
}

const verdict = fc.constantFrom('proceed', 'proceed', 'skip', 'edit', 'abort');
/** Makes the event that the machine waits for, so that the sequences make progress. */
const fitting: Chance = (machine) => {
  const head = currentAction(machine);
  if (machine.step === null || machine.state !== 'running') return { type: 'taken' };
  if (!machine.step.answered) {
    return {
      type: 'answered',
      text: '',
      model: null,
      usage: null,
      notes: [],
      actions: [{ id: at(machine, 1), kind: 'command', command: 'd' }],
      goalLine: { kind: 'complete', summary: null },
      checkId: at(machine, 9),
      isSchemaEcho: false,
      tookMs: 1,
    };
  }
  const actionId = head?.id ?? '';
  if (head?.state === 'pending') {
    return { type: 'classified', judgements: [{ actionId, classification: safe, grant: null }], tookMs: 1 };
  }
  return { type: 'ended', endings: [{ kind: 'ran', actionId, outcome: outcome(0) }], tookMs: 1 };
};

const chance: fc.Arbitrary<Chance> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(fitting) },
  { weight: 3, arbitrary: fc.constant<Chance>(() => ({ type: 'taken' })) },
  { weight: 4, arbitrary: answered },
  { weight: 5, arbitrary: classified },
  { weight: 5, arbitrary: ended },
  {
    weight: 3,
    arbitrary: fc.tuple(place, verdict).map(([n, given]): Chance => (machine) => ({
      type: 'decided',
      actionId: at(machine, n),
      verdict: given,
      message: null,
      edited: given !== 'edit' ? null : editedOf(currentAction(machine)),
      answer: currentAction(machine)?.pending === undefined ? null : { action: 'decline' },
      by: 'p',
    })),
  },
  verdict.map((given): Chance => () => ({
    type: 'checkDecided',
    verdict: given,
    command: 'true',
    message: null,
    by: 'p',
  })),
  verdict.map((given): Chance => () => ({
    type: 'questionDecided',
    verdict: given,
    answer: given === 'proceed' ? 'this' : null,
    message: null,
    by: 'p',
  })),
  verdict.map((given): Chance => () => ({
    type: 'needDecided',
    verdict: given,
    access: given === 'proceed' ? ['it is there'] : null,
    message: null,
    by: 'p',
  })),
  fc.boolean().map((began): Chance => () => ({ type: 'unavailable', what: 'sandbox', reason: 'r', began })),
  fc.constant<Chance>(() => ({ type: 'unavailable', what: 'model', reason: 'r', began: false })),
  fc.constant<Chance>(() => ({ type: 'broke', reason: 'r' })),
  fc.constant<Chance>(() => ({ type: 'paused', by: 'p' })),
  fc.constant<Chance>((machine) => ({
    type: 'resumed',
    isAsked: machine.step?.actions.some(({ state }) => state === 'halted') ?? false,
  })),
  fc.tuple(fc.integer({ min: 1, max: 2 }), fc.constantFrom('new', null)).map(([steps, message]): Chance => () => ({
    type: 'continued',
    steps,
    message,
    by: 'p',
  })),
  fc.constantFrom('new', null).map((text): Chance => () => ({ type: 'edited', text, by: 'p' })),
  fc.constant<Chance>(() => ({ type: 'cancelled', by: 'p', outcomes: {} })),
);

/** Makes a sequence of events. An event may also repeat several times in a row, because every limit must be reached. */
const story = (maxLength: number): fc.Arbitrary<readonly Chance[]> =>
  fc
    .array(fc.tuple(chance, fc.constantFrom(1, 1, 1, 1, 6)), { maxLength })
    .map((list) => list.flatMap(([each, times]) => Array.from({ length: times }, () => each)));

describe('the step machine, for any sequence of events', () => {
  it('every invariant of a goal holds for any sequence of events', () => {
    fc.assert(
      fc.property(
        story(60),
        fc.record({
          stepBudget: fc.integer({ min: 1, max: 5 }),
          tokenBudget: fc.option(fc.integer({ min: 1, max: 200 })),
          timeBudgetMs: fc.option(fc.integer({ min: 1, max: 200 })),
          verify: fc.constantFrom(null, 'test -e done'),
        }),
        (chances, budget) => {
          let machine: GoalMachine = { ...NEW_GOAL, ...budget };
          const allowed = new Set<string>();
          const ends = new Map<string, number>();
          /** Actions that have begun, except those that were reported as never begun. */
          const begun = new Set<string>();
          /** Every action that was ever requested. */
          const asked = new Set<string>();
          /** The content of each action as a person or the gate saw it. Only this content may run. */
          const judged = new Map<string, string>();
          for (const next of chances) {
            const event = next(machine);
            const before = machine;
            const { machine: after, records, effect } = advance(before, event);

            // A goal that has ended stays as it is until a person continues it. A done goal also needs a new message.
            if (isTerminal(before.state)) {
              const isNew = event.type === 'continued' && event.message !== null;
              if (event.type !== 'continued') expect(after.state).toBe(before.state);
              if ((before.state === 'done' && !isNew) || event.type !== 'continued') expect(effect).toBeNull();
              if (before.state === 'done' && !isNew) expect(after.state).toBe('done');
            }

            // A verdict counts once, and only for the action that the person was asked about.
            if (event.type === 'decided' && currentAction(before)?.state !== 'halted') expect(records).toEqual([]);
            for (const each of after.step?.actions ?? []) asked.add(each.id);

            for (const record of records) {
              if (record.type === 'setAction' && record.state === 'approved' && event.type === 'unavailable') {
                begun.delete(record.actionId);
              }
              // A call whose server asked a question is repeated with the answers.
              if (record.type === 'setAction' && record.state === 'halted') begun.delete(record.actionId);
              if (record.type === 'editAction') judged.delete(record.actionId);
              if (record.type === 'classifyAction' || (record.type === 'setAction' && record.state === 'approved')) {
                const action = before.step?.actions.find(({ id }) => id === record.actionId);
                if (action !== undefined) judged.set(record.actionId, actionText(action));
              }
              if (record.type === 'classifyAction' && record.classification.verdict === 'safe')
                allowed.add(record.actionId);
              if (record.type === 'useGrant') allowed.add(record.actionId);
              if (record.type === 'editAction') allowed.delete(record.actionId);
              if (record.type === 'setAction' && record.state === 'approved' && event.type === 'decided') {
                allowed.add(record.actionId);
              }
              // Every action ends once.
              if (record.type === 'setAction' && ['finished', 'skipped', 'lost'].includes(record.state)) {
                ends.set(record.actionId, (ends.get(record.actionId) ?? 0) + 1);
              }
            }
            expect([...ends.values()].every((times) => times === 1)).toBe(true);

            // An action runs only if it is safe, granted or approved. The same applies to a check.
            if (effect?.type === 'run') {
              for (const each of effect.actions) {
                expect(allowed.has(each.id)).toBe(true);
                expect(each.state).toBe('started');
                // An action runs once, exactly as it was judged, and never after its end.
                expect(begun.has(each.id)).toBe(false);
                expect(ends.has(each.id)).toBe(false);
                expect(judged.get(each.id)).toBe(actionText(each));
                begun.add(each.id);
              }
              // Only read-only calls run in parallel.
              if (effect.actions.length > 1) {
                expect(effect.actions.every((each) => each.kind === 'tool' && each.readOnly === true)).toBe(true);
              }
            }

            // No step begins beyond the budgets.
            expect(after.stepsTaken).toBeLessThanOrEqual(after.stepBudget);
            if (records.some(({ type }) => type === 'startStep')) {
              expect(after.stepsTaken).toBeLessThan(after.stepBudget);
              if (after.tokenBudget !== null) expect(after.tokensUsed).toBeLessThan(after.tokenBudget);
              if (after.timeBudgetMs !== null) expect(after.activeMs).toBeLessThan(after.timeBudgetMs);
            }
            expect(after.checksFailed).toBeLessThanOrEqual(CHECKS_MAX);
            expect(after.failures).toBeLessThanOrEqual(FAILURES_MAX);

            // A goal with a check is done only if the check passed.
            if (after.state === 'done' && before.state !== 'done' && before.verify !== null) {
              expect(after.verified).toBe(true);
              expect(after.step?.actions.some((each) => each.kind === 'command' && each.isCheck && each.passed)).toBe(
                true,
              );
            }

            // Nothing stays open at an end, and nothing runs while a person is asked.
            if (isTerminal(after.state)) expect(after.step?.actions.every(hasEnded) ?? true).toBe(true);
            if (after.state === 'halted' || after.state === 'paused') expect(effect).toBeNull();
            // A waiting goal may only look whether a server has finished a task.
            if (after.state === 'waiting' && effect !== null) {
              expect(effect).toMatchObject({ type: 'recover', action: { pending: { task: expect.anything() } } });
            }
            // At most one action waits for a decision, and no later action has begun.
            const open = after.step?.actions.filter((each) => !hasEnded(each)) ?? [];
            if (open.some(({ state }) => state === 'halted')) expect(open[0]?.state).toBe('halted');

            // The machine recovers only actions that an earlier runner began.
            if (effect?.type === 'recover') {
              expect(effect.action.state).toBe('started');
              expect(begun.has(effect.action.id)).toBe(true);
            }

            // Every action of the model ends exactly once, at the latest with its step.
            if (records.some(({ type }) => type === 'startStep') || isTerminal(after.state)) {
              expect(before.step?.actions.every(({ id }) => ends.has(id)) ?? true).toBe(true);
            }
            if (isTerminal(after.state)) expect([...asked].every((id) => ends.has(id))).toBe(true);
            machine = after;
          }
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('random sequences of events reach every state of a goal', () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(story(60), fc.constantFrom(null, 'check'), (chances, verify) => {
        let machine: GoalMachine = { ...NEW_GOAL, stepBudget: 3, verify };
        for (const next of chances) {
          machine = advance(machine, next(machine)).machine;
          reached.add(machine.verified ? `${machine.state} verified` : machine.state);
        }
      }),
      { numRuns: 3_000, seed: 1 },
    );
    expect([...reached].toSorted()).toEqual([
      'aborted',
      'blocked',
      'done',
      'done verified',
      'exhausted',
      'failed',
      'halted',
      'paused',
      'queued',
      'running',
      'stalled',
      'waiting',
    ]);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { Ending } from '@aish/actions';
import type { RunOutcome } from '@aish/contracts/actions';
import type { Classification } from '@aish/contracts/safety';
import { OUTCOME } from '@aish/contracts/testing/outcome';
import { advance } from './advance.js';
import type { Advance, GoalEvent } from './events.js';
import { NEW_GOAL, type GoalMachine } from './state.js';

const fresh: GoalMachine = { ...NEW_GOAL, stepBudget: 3 };
const outcome: RunOutcome = { ...OUTCOME, output: 'hi\n' };
const safe: Classification = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' };
const bad: Classification = { verdict: 'destructive', reason: 'rm -rf', ruleId: 'r', span: [0, 2], by: 'rule' };

const answered = (
  commands: readonly string[],
  goalLine: 'complete' | 'blocked' | null = null,
  step = 1,
): Extract<GoalEvent, { type: 'answered' }> => ({
  type: 'answered',
  text: 'text',
  model: 'm',
  usage: null,
  notes: [],
  checkId: `${step}.check`,
  isSchemaEcho: false,
  tookMs: 1,
  actions: commands.map((command, n) => ({ id: `${step}.${n + 1}`, kind: 'command', command })),
  goalLine:
    goalLine === 'complete'
      ? { kind: 'complete', summary: 'did it' }
      : goalLine === 'blocked'
        ? { kind: 'blocked', reason: 'no way' }
        : null,
});

describe('a message to a working goal', () => {
  const asking = { ...fresh, state: 'running', step: { n: 1, answered: false, goalLine: null, actions: [] } } as const;
  const messageEvent = { type: 'said', messages: ['not there'], upTo: 7 } as const;

  it('the model of a running goal reads a message before its next answer', () => {
    expect(advance(asking, messageEvent)).toEqual({
      machine: asking,
      records: [expect.objectContaining({ type: 'appendTurn', role: 'notice' }), { type: 'hear', upTo: 7 }],
      effect: { type: 'ask' },
    });
  });

  it('a message has no effect while the goal waits for a decision or carries out an answer', () => {
    expect(advance({ ...asking, state: 'halted' }, messageEvent).records).toEqual([]);
    expect(advance({ ...asking, step: { ...asking.step, answered: true } }, messageEvent).records).toEqual([]);
  });

  it.each(['complete', 'blocked'] as const)(
    'an answer of the model that ignores a new message does not end the goal: %s',
    (line) => {
      const { machine, effect } = advance({ ...asking, hasUnheard: true }, answered([], line));
      expect(machine).toMatchObject({ state: 'running', malformed: 0, step: { n: 2, answered: false } });
      expect(effect).toEqual({ type: 'ask' });
    },
  );
});

const judged = (actionId: string, classification: Classification): GoalEvent => ({
  type: 'classified',
  judgements: [{ actionId, classification, grant: null }],
  tookMs: 1,
});
const over = (...endings: readonly Ending[]): GoalEvent => ({ type: 'ended', endings, tookMs: 1 });

const ranWith = (actionId: string, more: Partial<RunOutcome> = {}): Ending => ({
  kind: 'ran',
  actionId,
  outcome: { ...outcome, ...more },
});
const none = { files: 0, bytes: 0, paths: [] };
const NO_EFFECTS = { created: none, changed: none, deleted: none, complete: true };
const bareComplete = (step: number): GoalEvent => ({
  ...answered([], null, step),
  goalLine: { kind: 'complete', summary: null },
});
const textsOf = ({ records }: Advance): string =>
  records.flatMap((record) => (record.type === 'appendTurn' ? [record.content] : [])).join('\n');

/** Plays events one after another and returns the last result of the machine. */
function play(start: GoalMachine, ...events: readonly GoalEvent[]): Advance {
  let last: Advance = { machine: start, records: [], effect: null };
  for (const event of events) last = advance(last.machine, event);
  return last;
}

describe('advance', () => {
  it('a paused or ended goal saves the text of a stopped answer, and that step costs no budget', () => {
    const stopped: GoalEvent = { type: 'interrupted', step: 1, text: 'half a' };
    const paused = play(fresh, { type: 'taken' }, { type: 'paused', by: 'ann' }).machine;
    const kept = advance(paused, stopped);
    expect(kept.machine).toMatchObject({ state: 'paused', stepsTaken: 1, stepBudget: 4, step: { n: 2 } });
    expect(kept.records).toMatchObject([
      { type: 'answerStep', n: 1, text: 'half a', actions: [] },
      { type: 'appendTurn', role: 'assistant', content: 'half a' },
      { type: 'appendTurn', role: 'notice' },
      { type: 'startStep', n: 2 },
    ]);
    expect(advance(kept.machine, stopped).records).toEqual([]);
    expect(advance(play(fresh, { type: 'taken' }).machine, stopped).records).toEqual([]);
    const cancelled = { type: 'cancelled', by: 'ann', outcomes: {} } as const;
    const ended = advance(play(fresh, { type: 'taken' }, cancelled).machine, stopped);
    expect(ended.machine.state).toBe('aborted');
    expect(ended.records.map(({ type }) => type)).toEqual(['answerStep', 'appendTurn', 'appendTurn']);
  });

  it('the step machine asks the model, runs its safe actions, and asks again with the result', () => {
    const asked = play(fresh, { type: 'taken' });
    expect(asked.effect).toEqual({ type: 'ask' });
    expect(asked.records).toContainEqual({ type: 'startStep', n: 1 });
    const classify = advance(asked.machine, answered(['ls']));
    expect(classify.effect).toMatchObject({ type: 'classify', actions: [{ id: '1.1', command: 'ls' }] });
    const run = advance(classify.machine, judged('1.1', safe));
    expect(run.effect).toMatchObject({ type: 'run', actions: [{ id: '1.1' }] });
    expect(run.records).toContainEqual({ type: 'setAction', actionId: '1.1', state: 'started' });
    const next = advance(run.machine, over({ kind: 'ran', actionId: '1.1', outcome }));
    expect(next.records.map((record) => record.type)).toEqual(['setAction', 'appendTurn', 'startStep']);
    expect(next.effect).toEqual({ type: 'ask' });
  });

  it('a destructive command halts the goal, and its decision and state are saved together', () => {
    const halted = play(fresh, { type: 'taken' }, answered(['rm -rf x']), judged('1.1', bad));
    expect(halted.machine.state).toBe('halted');
    expect(halted.effect).toBeNull();
    expect(halted.records.map((record) => record.type)).toEqual([
      'classifyAction',
      'setAction',
      'requestDecision',
      'setGoal',
    ]);
    expect(play(halted.machine, { type: 'taken' })).toEqual({ machine: halted.machine, records: [], effect: null });
  });

  const halted = play(fresh, { type: 'taken' }, answered(['rm -rf x', 'ls'], 'complete'), judged('1.1', bad)).machine;
  const verdict = (verdict: 'proceed' | 'skip' | 'abort', message: string | null = null): GoalEvent => ({
    type: 'decided',
    actionId: '1.1',
    verdict,
    message,
    edited: null,
    by: 'ann',
  });

  it("a judgement of a later action is ignored until it is that action's turn", () => {
    const asked = play(fresh, { type: 'taken' }, answered(['ls', 'rm -rf x']));
    const early: GoalEvent = judged('1.2', bad);
    expect(advance(asked.machine, early)).toEqual({ machine: asked.machine, records: [], effect: null });
  });

  it('an approved action runs without another judgement, and the model learns of the approval', () => {
    const decided = play(halted, verdict('proceed'));
    expect(decided.machine.state).toBe('queued');
    expect(decided.records).toContainEqual({
      type: 'appendTurn',
      role: 'notice',
      provenance: 'aish',
      content: '[aish] action approved',
    });
    expect(play(decided.machine, { type: 'taken' }).effect).toMatchObject({
      type: 'run',
      actions: [{ command: 'rm -rf x' }],
    });
  });

  it('the model learns which action was skipped and why, and the next action follows', () => {
    const decided = play(halted, verdict('skip', 'keep it'));
    expect(decided.records).toContainEqual({
      type: 'appendTurn',
      role: 'notice',
      provenance: 'aish',
      content: '[aish] action skipped by user: rm -rf x\nkeep it',
      parts: [
        { provenance: 'model', text: 'rm -rf x', isRefusal: true },
        { provenance: 'person', text: 'keep it', isRefusal: true },
      ],
    });
    expect(play(decided.machine, { type: 'taken' }).effect).toMatchObject({
      type: 'classify',
      actions: [{ command: 'ls' }],
    });
  });

  const note = (text: string): unknown =>
    expect.objectContaining({ type: 'appendTurn', role: 'notice', content: `[aish] The user says:\n${text}` });

  it.each(['proceed', 'abort'] as const)('the model of a goal gets the message of a verdict to %s', (which) => {
    expect(play(halted, verdict(which, 'only this once')).records).toContainEqual(note('only this once'));
  });

  it('the verdict abort ends the goal and closes every action', () => {
    const { machine } = play(halted, verdict('abort'));
    expect(machine.state).toBe('aborted');
    expect(machine.step?.actions.map((action) => action.state)).toEqual(['skipped', 'skipped']);
  });

  it('a second verdict is ignored', () => {
    const once = play(halted, verdict('proceed')).machine;
    expect(play(once, verdict('abort'))).toEqual({ machine: once, records: [], effect: null });
  });

  it('a lost check runs again and does not count as failed, even the third time', () => {
    let machine: GoalMachine = { ...fresh, verify: 'test -f x', stepBudget: 9 };
    machine = play(machine, { type: 'taken' }).machine;
    for (const step of [1, 2, 3]) {
      const begun = play(machine, answered([], 'complete', step), judged(`${step}.check`, safe));
      const lost = advance(begun.machine, over({ kind: 'lost', actionId: `${step}.check` }));
      expect(lost.machine).toMatchObject({ state: 'running', checksFailed: 0 });
      expect(lost.records.at(-1)).toEqual({ type: 'startStep', n: step + 1 });
      expect(lost.records.at(-2)).toMatchObject({ role: 'notice', content: expect.stringContaining('was lost') });
      machine = lost.machine;
    }
    const last = play(machine, answered([], 'complete', 4), judged('4.check', safe));
    const done = advance(last.machine, over({ kind: 'ran', actionId: '4.check', outcome }));
    expect(done.machine).toMatchObject({ state: 'done', verified: true });
  });

  it('a destructive check waits for a person, and proves the goal once it was approved and has passed', () => {
    const proved = { ...fresh, verify: 'rm -rf x; true' };
    const asked = play(proved, { type: 'taken' }, answered([], 'complete'));
    expect(asked.effect).toMatchObject({ type: 'classify', actions: [{ id: '1.check', command: 'rm -rf x; true' }] });
    for (const classification of [bad, { ...bad, verdict: 'unknown' as const }]) {
      const halted = advance(asked.machine, judged('1.check', classification));
      expect(halted).toMatchObject({ machine: { state: 'halted' }, effect: null });
      const decision = { type: 'decided', actionId: '1.check', message: null, edited: null, by: 'ann' } as const;
      const released = play(halted.machine, { ...decision, verdict: 'proceed' }, { type: 'taken' });
      expect(released.effect).toMatchObject({ type: 'run', actions: [{ id: '1.check' }] });
      const done = advance(released.machine, over({ kind: 'ran', actionId: '1.check', outcome }));
      expect(done.machine).toMatchObject({ state: 'done', verified: true });
      const skipped = play(halted.machine, { ...decision, verdict: 'skip' }, { type: 'taken' });
      expect(skipped.machine).toMatchObject({ verified: false });
    }
  });

  it('a check that the model names beside its plan is accepted without a decision and proves the goal', () => {
    const named = { ...answered([]), goalLine: { kind: 'check', command: 'test -f x' } } as const;
    const taken = play(fresh, { type: 'taken' }, named);
    expect(taken.machine).toMatchObject({ state: 'running', verify: 'test -f x', nudged: false, step: { n: 2 } });
    expect(taken.records).toContainEqual({ type: 'setCheck', verify: 'test -f x', by: 'the model' });
    const checking = play(taken.machine, answered([], 'complete', 2), judged('2.check', safe)).machine;
    const done = play(checking, over({ kind: 'ran', actionId: '2.check', outcome })).machine;
    expect(done).toMatchObject({ state: 'done', verified: true });
    const persons = play({ ...fresh, verify: 'test -f y' }, { type: 'taken' }, named);
    expect(persons.machine).toMatchObject({ verify: 'test -f y' });
  });

  it('only the current check proves the goal, not one that was replaced while a person decided about it', () => {
    const asked = play({ ...fresh, verify: 'rm -rf x; true' }, { type: 'taken' }, answered([], 'complete'));
    const halted = play(asked.machine, judged('1.check', bad)).machine;
    const decision = { type: 'decided', actionId: '1.check', message: null, by: 'ann' } as const;
    const resumed = play(
      { ...halted, verify: 'test -f x' },
      { ...decision, verdict: 'proceed', edited: null },
      { type: 'taken' },
      over({ kind: 'ran', actionId: '1.check', outcome }),
    );
    expect(resumed.machine).toMatchObject({ state: 'running', verified: false, checksFailed: 0, step: { n: 2 } });
    expect(JSON.stringify(resumed.records)).toContain('test -f x');
    const other = play(
      halted,
      { ...decision, verdict: 'edit', edited: { kind: 'command', command: 'true' } },
      { type: 'taken' },
      judged('1.check', safe),
      over({ kind: 'ran', actionId: '1.check', outcome }),
    );
    expect(other.machine).toMatchObject({ state: 'running', verified: false, checksFailed: 0 });
    const again = play(resumed.machine, answered([], 'complete', 2), judged('2.check', safe)).machine;
    const done = play(again, over({ kind: 'ran', actionId: '2.check', outcome })).machine;
    expect(done).toMatchObject({ state: 'done', verified: true });
  });

  it('GOAL: complete takes effect only after the actions of its answer', () => {
    const classified: GoalEvent = judged('1.1', safe);
    const running = play(fresh, { type: 'taken' }, answered(['ls'], 'complete'), classified);
    expect(running.machine.state).toBe('running');
    const done = advance(running.machine, over({ kind: 'ran', actionId: '1.1', outcome }));
    expect(done.machine.state).toBe('done');
    expect(done.records.at(-1)).toMatchObject({ type: 'setGoal', state: 'done', summary: 'did it' });
  });

  it('a goal is not done if an action of the last answer did not run, and the model is asked again', () => {
    const asked = play(fresh, { type: 'taken' }, answered(['rm -rf x'], 'complete'), judged('1.1', bad)).machine;
    const again = play(asked, verdict('skip', 'keep it'), { type: 'taken' });
    expect(again.machine).toMatchObject({ state: 'running', step: { n: 2, answered: false } });
    expect(again.effect).toEqual({ type: 'ask' });
    expect(play(again.machine, answered([], 'complete', 2)).machine.state).toBe('done');

    const started = play(fresh, { type: 'taken' }, answered(['ls'], 'complete'), judged('1.1', safe)).machine;
    expect(play(started, over({ kind: 'lost', actionId: '1.1' })).machine.state).toBe('running');
  });

  it('a passed check is accepted as the proof, even if an action before it was skipped', () => {
    const proved = { ...fresh, verify: 'test -f x' };
    const asked = play(proved, { type: 'taken' }, answered(['rm -rf x'], 'complete'), judged('1.1', bad)).machine;
    const checking = play(asked, verdict('skip'), { type: 'taken' }, judged('1.check', safe)).machine;
    const done = play(checking, over({ kind: 'ran', actionId: '1.check', outcome })).machine;
    expect(done).toMatchObject({ state: 'done', verified: true });
  });

  it('GOAL: blocked ends the goal with the reason', () => {
    expect(play(fresh, { type: 'taken' }, answered([], 'blocked')).records.at(-1)).toMatchObject({
      state: 'blocked',
      reason: 'no way',
    });
  });

  it('a model that neither acts nor ends the goal gets two notices, then the goal is stalled', () => {
    const first = play({ ...fresh, stepBudget: 9 }, { type: 'taken' }, answered([]));
    expect(first.machine.state).toBe('running');
    expect(first.records.map((record) => record.type)).toEqual(['answerStep', 'appendTurn', 'appendTurn', 'startStep']);
    const second = play(first.machine, answered([], null, 2)).machine;
    expect(second.state).toBe('running');
    expect(play(second, answered([], null, 3)).machine.state).toBe('stalled');
    const acted = play(second, answered(['ls'], null, 3), judged('3.1', safe), over(ranWith('3.1'))).machine;
    expect(play(acted, answered([], null, 4)).machine.state).toBe('running');
  });

  it('a goal is stalled at the fourth useless answer in a row, and the model is asked again until then', () => {
    const cut = (step: number): GoalEvent => ({ ...answered([], null, step), cut: 'in-command' });
    const third = play({ ...fresh, stepBudget: 9 }, { type: 'taken' }, cut(1), cut(2), cut(3));
    expect([third.machine.state, third.effect]).toEqual(['running', { type: 'ask' }]);
    const fourth = advance(third.machine, cut(4));
    expect([fourth.machine.state, fourth.effect]).toEqual(['stalled', null]);
    expect(JSON.stringify(fourth.records)).toContain('cut off or could not be read 4 times in a row');
  });

  it('an answer with a code fence is accepted if the model was asked to answer in words', () => {
    const inFence = { ...answered([], null, 2), text: 'Found:\n```\na.txt\n```', cut: 'in-fences' } as const;
    const done = play(fresh, { type: 'taken' }, bareComplete(1), inFence);
    expect(done.machine.state).toBe('done');
    expect(textsOf(done)).not.toContain('code fence');
  });

  it('the model is asked once to answer in words if it ends the goal without an answer or written files', () => {
    const asked = play(fresh, { type: 'taken' }, bareComplete(1));
    expect(asked.machine).toMatchObject({ state: 'running', nudged: true, step: { n: 2 } });
    expect(textsOf(asked)).toMatch(/Answer the goal in words/);
    expect(play(asked.machine, bareComplete(2)).machine.state).toBe('done');
    const inWords = play(asked.machine, { ...answered([], null, 2), text: 'It is 7.\n' });
    expect(inWords.records.at(-1)).toMatchObject({ type: 'setGoal', state: 'done', summary: 'It is 7.' });
  });

  it('the model is not asked to answer in words if the goal wrote files or passed its check', () => {
    const wrote = over(ranWith('1.1', { effects: { ...NO_EFFECTS, created: { files: 1, bytes: 2, paths: ['x'] } } }));
    const made = play(fresh, { type: 'taken' }, answered(['touch x']), judged('1.1', safe), wrote).machine;
    expect(play(made, bareComplete(2)).machine.state).toBe('done');
    const looked = over(ranWith('1.1', { effects: NO_EFFECTS }));
    const seen = play(fresh, { type: 'taken' }, answered(['cat x']), judged('1.1', safe), looked).machine;
    expect(play(seen, bareComplete(2)).machine.state).toBe('running');
    const checking = play(
      { ...fresh, verify: 'test -f x' },
      { type: 'taken' },
      bareComplete(1),
      judged('1.check', safe),
    );
    expect(play(checking.machine, over(ranWith('1.check'))).machine).toMatchObject({ state: 'done', verified: true });
  });

  it('GOAL: complete has no effect if a command of the same answer failed, and the model sees the failure', () => {
    const running = play(fresh, { type: 'taken' }, answered(['ls x'], 'complete'), judged('1.1', safe)).machine;
    const failed = play(running, over(ranWith('1.1', { exitCode: 2 })));
    expect(failed.machine).toMatchObject({ state: 'running', step: { n: 2 } });
    expect(textsOf(failed)).toMatch(/exit code 2[\s\S]*has had no effect: a command of that answer failed/);
    expect(play(failed.machine, answered([], 'complete', 2)).machine.state).toBe('done');
  });

  it('a model that proposes a second check gets a notice about the existing one', () => {
    const check: GoalEvent = { ...answered([]), goalLine: { kind: 'check', command: 'test -f y' } };
    const played = play({ ...fresh, verify: 'test -f x' }, { type: 'taken' }, check);
    expect(played.machine).toMatchObject({ verify: 'test -f x', step: { n: 2 } });
    expect(textsOf(played)).toContain('The goal has a check now: test -f x');
  });

  it('a check that cannot fail is refused with a notice, or a decision gives this as its reason', () => {
    const check = (command: string, step: number): GoalEvent => ({
      ...answered([], null, step),
      goalLine: { kind: 'check', command },
    });
    const refused = play({ ...fresh, stepBudget: 9 }, { type: 'taken' }, check('true', 1));
    expect(refused.machine.verify).toBeNull();
    expect(refused.records).toContainEqual(
      expect.objectContaining({ isNotice: true, content: expect.stringContaining('cannot fail: true') }),
    );
    const again = play(refused.machine, check('echo ok', 2), check('ls', 3)).machine;
    expect(again.state).toBe('stalled');
    const proposed: GoalEvent = { ...answered([]), goalLine: { kind: 'verify', command: 'true' } };
    expect(play(fresh, { type: 'taken' }, proposed).records).toContainEqual(
      expect.objectContaining({
        type: 'requestDecision',
        kind: 'check',
        reason: expect.stringContaining('cannot fail'),
      }),
    );
  });

  it('a goal is exhausted when its steps are used up, but done if the last step completes it', () => {
    const one = { ...fresh, stepBudget: 1 };
    const ran: readonly GoalEvent[] = [judged('1.1', safe), over({ kind: 'ran', actionId: '1.1', outcome })];
    expect(play(one, { type: 'taken' }, answered(['ls']), ...ran).machine.state).toBe('exhausted');
    expect(play(one, { type: 'taken' }, answered(['ls'], 'complete'), ...ran).machine.state).toBe('done');
  });

  it('a goal waits while the model is unavailable, and asks the same step again', () => {
    const waiting = play(
      fresh,
      { type: 'taken' },
      { type: 'unavailable', what: 'model', reason: 'down', began: false },
    );
    expect(waiting.machine.state).toBe('waiting');
    const again = advance(waiting.machine, { type: 'taken' });
    expect(again.effect).toEqual({ type: 'ask' });
    expect(again.machine.step?.n).toBe(1);
  });

  const started = play(fresh, { type: 'taken' }, answered(['ls']), judged('1.1', safe)).machine;

  it('an action that never began runs again, and one that may have begun is only recovered', () => {
    const refused = play(
      started,
      { type: 'unavailable', what: 'sandbox', reason: 'down', began: false },
      { type: 'taken' },
    );
    expect(refused.effect).toMatchObject({ type: 'run' });
    const broken = play(
      started,
      { type: 'unavailable', what: 'sandbox', reason: 'cut', began: true },
      { type: 'taken' },
    );
    expect(broken.effect).toMatchObject({ type: 'recover' });
  });

  it('a command that had begun before a crash is recovered, not run again', () => {
    expect(play(started, { type: 'taken' }).effect).toMatchObject({ type: 'recover', action: { id: '1.1' } });
  });

  it('the model learns that a result is lost, and the command never runs again', () => {
    const lost = play(started, over({ kind: 'lost', actionId: '1.1' }));
    expect(lost.records[1]).toMatchObject({
      type: 'appendTurn',
      content: expect.stringContaining('has not been run again'),
    });
    expect(lost.effect).toEqual({ type: 'ask' });
  });

  const asks = (step: number): GoalEvent => ({
    ...answered([], null, step),
    goalLine: { kind: 'ask', question: 'Which disk?' },
  });
  const answer: GoalEvent = { type: 'questionDecided', verdict: 'proceed', answer: 'sda', message: null, by: 'ann' };

  it('a goal halts for a question of the model, and continues with the answer of the person', () => {
    const asked = play(fresh, { type: 'taken' }, asks(1));
    expect(asked.machine.state).toBe('halted');
    expect(asked.records).toContainEqual(
      expect.objectContaining({ type: 'requestDecision', kind: 'question', action: 'Which disk?', actionId: null }),
    );
    const next = advance(asked.machine, answer);
    expect(next.machine).toMatchObject({ state: 'queued', step: { n: 2, answered: false } });
    expect(next.records).toContainEqual(
      expect.objectContaining({ role: 'notice', content: '[aish] The user answers:\nsda', isNotice: true }),
    );
    expect(advance(next.machine, answer).records).toEqual([]);
  });

  it('an answer is ignored if its question has not been asked yet, because an action of the same step waits for a person', () => {
    const both: GoalEvent = {
      ...answered(['rm -rf x']),
      goalLine: { kind: 'ask', question: 'Which disk?' },
    };
    const { machine } = play(fresh, { type: 'taken' }, both, judged('1.1', bad));
    expect(machine.state).toBe('halted');
    expect(advance(machine, answer)).toEqual({ machine, records: [], effect: null });
  });

  it('a person can skip a question or abort the goal, and an answer does not resume a paused goal', () => {
    const { machine } = play(fresh, { type: 'taken' }, asks(1));
    const none = { ...answer, answer: null } as const;
    const skipped = advance(machine, { ...none, verdict: 'skip', message: 'you choose' });
    expect(JSON.stringify(skipped.records)).toContain('does not answer this question. Go on without it.\\nyou choose');
    expect(advance(machine, { ...none, verdict: 'abort' }).machine.state).toBe('aborted');
    const paused = advance(machine, { type: 'paused', by: 'ann' }).machine;
    for (const verdict of ['proceed', 'abort'] as const) {
      const noted = advance(machine, { ...answer, verdict, message: 'and be quick' });
      expect(noted.records).toContainEqual(note('and be quick'));
    }
    expect(advance(paused, answer).machine).toMatchObject({ state: 'paused', step: { n: 2 } });
  });

  it('a request for access halts the goal, and the model learns whether it got the access', () => {
    const need = { kind: 'host', name: 'nas', why: 'the backups are there' } as const;
    const needs: GoalEvent = {
      ...answered([]),
      goalLine: { kind: 'need', need },
    };
    const { machine, records } = play(fresh, { type: 'taken' }, needs);
    expect(machine.state).toBe('halted');
    expect(records).toContainEqual(
      expect.objectContaining({ kind: 'need', action: 'host nas: the backups are there', actionId: null }),
    );
    const given = {
      type: 'needDecided',
      verdict: 'proceed',
      access: ['nas is there'],
      message: null,
      by: 'ann',
    } as const;
    const next = advance(machine, given);
    expect(next.machine).toMatchObject({ state: 'queued', step: { n: 2, answered: false } });
    expect(JSON.stringify(next.records)).toContain('The user gives you what you need: host nas\\nnas is there');
    expect(advance(next.machine, given).records).toEqual([]);
    const refused = advance(machine, { ...given, verdict: 'skip', access: null, message: 'not that one' });
    expect(JSON.stringify(refused.records)).toContain('host nas\\nGo on without it.\\nnot that one');
    expect(advance(machine, { ...given, verdict: 'abort', access: null }).machine.state).toBe('aborted');
    const paused = advance(machine, { type: 'paused', by: 'ann' }).machine;
    expect(advance(paused, given).machine).toMatchObject({ state: 'paused', step: { n: 2 } });
  });

  it('a done goal continues only with a new message, and is no longer verified', () => {
    const proved = { ...fresh, verify: 'true', verified: true, state: 'done' } as const;
    const more = { type: 'continued', steps: 2, by: 'ann' } as const;
    expect(advance(proved, { ...more, message: null }).records).toEqual([]);
    const next = advance(proved, { ...more, message: 'the other, too' });
    expect(next.machine).toMatchObject({ state: 'queued', verified: false });
    expect(JSON.stringify(next.records)).toContain('the other, too');
  });

  it('a cancelled goal that continues asks for the interrupted answer again, in the same step', () => {
    const cut = play(fresh, { type: 'taken' }, { type: 'cancelled', by: 'ann', outcomes: {} }).machine;
    const next = advance(cut, { type: 'continued', steps: 2, message: 'go on', by: 'ann' });
    expect([next.machine.step?.n, next.records.map(({ type }) => type)]).toEqual([1, ['appendTurn', 'setGoal']]);
    expect(advance(next.machine, { type: 'taken' }).effect).toEqual({ type: 'ask' });
  });

  it('the question of a tool call is withdrawn when a new runner takes the goal', () => {
    const call = { id: '1.1', kind: 'tool', callId: 'c', tool: 'ask', label: 'ask', arguments: '{}' } as const;
    const calling = play(fresh, { type: 'taken' }, { ...answered([]), actions: [call] }, judged('1.1', safe)).machine;
    expect(advance(calling, { type: 'taken' }).records).toContainEqual({ type: 'withdrawDecisions' });
    const running = play(fresh, { type: 'taken' }, answered(['ls']), judged('1.1', safe)).machine;
    expect(advance(running, { type: 'taken' }).records).not.toContainEqual({ type: 'withdrawDecisions' });
  });

  it('a continued goal remembers the actions that its end closed, with their outcomes', () => {
    const two = play(fresh, { type: 'taken' }, answered(['ls', 'pwd']), judged('1.1', safe)).machine;
    const lost = play(two, { type: 'cancelled', by: 'ann', outcomes: {} }).machine;
    expect(lost.recent).toEqual([
      { what: 'ls', answer: 'lost' },
      { what: 'pwd', answer: 'skipped' },
    ]);
    const killed = play(two, { type: 'cancelled', by: 'ann', outcomes: { '1.1': outcome } });
    const digest = killed.records.flatMap((record) => (record.type === 'setAction' ? [record.digest] : []))[0];
    expect(killed.machine.recent[0]).toEqual({ what: 'ls', answer: digest });
    expect(digest).toBe(play(two, over({ kind: 'ran', actionId: '1.1', outcome })).machine.recent[0]?.answer);
  });

  it('a command that a cancel killed is finished if its outcome is known, and lost otherwise', () => {
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

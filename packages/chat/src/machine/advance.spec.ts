import { describe, expect, it } from '@jest/globals';
import type { ActionState, Classification, ElicitationAnswer, ToolResult } from '@aish/contracts';
import * as fc from 'fast-check';
import { advanceChat } from './advance.js';
import type { ChatAdvance, ChatEvent } from './events.js';
import { DEPTH_NOTICE } from './go-on.js';
import type { Answered, ChatMachine, NewAction } from './state.js';

const begun: ChatMachine = {
  state: 'running',
  exchange: 1,
  rounds: 1,
  maxRounds: 8,
  autoContinue: false,
  confirmCommands: true,
  calls: [],
  step: { n: 1, answered: false, actions: [] },
};
const safe: Classification = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' };
const result: ToolResult = { text: 'done', isError: false, omittedBytes: 0 };
const question = { mode: 'form', message: 'which?', requestedSchema: { type: 'object' }, url: null } as const;
const asking: ToolResult = {
  text: '',
  isError: false,
  omittedBytes: 0,
  pending: { questions: { one: question, two: question }, state: 's', restarts: false },
};
const outcome = {
  exitCode: 0,
  signal: null,
  outOfMemory: false,
  timedOut: false,
  cancelled: false,
  durationMs: 1,
  output: 'ok\n',
  omittedBytes: 0,
};
const tool = (id: string, args = '{}'): NewAction => ({
  id,
  kind: 'tool',
  callId: `c-${id}`,
  tool: 'a__b',
  label: 'a.b',
  arguments: args,
});
const command = (id: string): NewAction => ({ id, kind: 'command', command: `echo ${id}` });
const answer = (actions: readonly NewAction[], more: Partial<Answered> = {}): ChatEvent => ({
  type: 'answered',
  answer: {
    text: 'words',
    reasoning: '',
    toolCalls: actions.flatMap((a) =>
      a.kind === 'tool' ? [{ id: a.callId, name: a.tool, arguments: a.arguments }] : [],
    ),
    actions,
    end: 'whole',
    preset: 'fast',
    fallbackFrom: null,
    model: null,
    usage: null,
    firstWordMs: 1,
    totalMs: 2,
    notes: [],
    isSchemaEcho: false,
    trouble: null,
    ...more,
  },
});

function play(events: readonly ChatEvent[], from = begun): ChatAdvance {
  let advance: ChatAdvance = { machine: from, records: [], act: null };
  for (const event of events) advance = advanceChat(advance.machine, event);
  return advance;
}
const types = ({ records }: ChatAdvance): readonly string[] => records.map((record) => record.type);

describe('the machine of a chat', () => {
  it('ends an exchange with an answer that asks for nothing', () => {
    const end = play([answer([])]);
    expect(types(end)).toEqual(['answerStep', 'appendTurn', 'endExchange']);
    expect(end.machine.state).toBe('idle');
  });

  it('calls one tool after the other, then asks again', () => {
    const first = play([answer([tool('1'), tool('2')])]);
    expect(first.act).toMatchObject({ type: 'judge', action: { id: '1' } });
    const judged = advanceChat(first.machine, { type: 'judged', actionId: '1', classification: safe, ask: null });
    expect(judged.act).toMatchObject({ type: 'run', action: { id: '1' } });
    const called = advanceChat(judged.machine, { type: 'called', actionId: '1', result });
    expect(called.records).toContainEqual({
      type: 'appendTurn',
      role: 'tool',
      content: 'done',
      meta: { toolCallId: 'c-1', toolName: 'a__b', isError: false },
    });
    expect(called.act).toMatchObject({ type: 'judge', action: { id: '2' } });
    const unfit = advanceChat(called.machine, { type: 'unfit', actionId: '2', result: { ...result, isError: true } });
    expect(unfit.act).toEqual({ type: 'ask' });
    expect(unfit.machine).toMatchObject({ rounds: 2, step: { n: 2, answered: false } });
  });

  it('stops calling tools after eight rounds, with the notice', () => {
    let advance: ChatAdvance = { machine: begun, records: [], act: { type: 'ask' } };
    let asked = 1;
    for (let n = 0; advance.machine.state === 'running' && n < 50; n += 1) {
      const id = String(n);
      advance = play(
        [
          answer([tool(id, `{"n":${n}}`)]),
          { type: 'judged', actionId: id, classification: safe, ask: null },
          { type: 'called', actionId: id, result },
        ],
        advance.machine,
      );
      if (advance.act?.type === 'ask') asked += 1;
    }
    expect(asked).toBe(8);
    expect(advance.records).toContainEqual({ type: 'appendTurn', role: 'notice', content: DEPTH_NOTICE });
    expect(advance.records.at(-1)).toMatchObject({ type: 'endExchange', end: 'depth' });
  });

  it('does not make the same call a third time, and says so to the model', () => {
    const again = (id: string): readonly ChatEvent[] => [
      answer([tool(id, '{ "a": 1 }')]),
      { type: 'judged', actionId: id, classification: safe, ask: null },
    ];
    const third = play([
      ...again('1'),
      { type: 'called', actionId: '1', result },
      ...again('2'),
      { type: 'called', actionId: '2', result },
      ...again('3'),
    ]);
    expect(third.act).toEqual({ type: 'ask' });
    expect(third.records).toContainEqual(
      expect.objectContaining({
        type: 'appendTurn',
        role: 'tool',
        content: expect.stringContaining('made 2 times already'),
      }),
    );
  });

  it('asks a person, and begins the action only in whoever drives the chat next', () => {
    const asked = play([
      answer([command('1')]),
      { type: 'judged', actionId: '1', classification: safe, ask: { reason: 'r', context: 'c' } },
    ]);
    expect(asked.machine.state).toBe('deciding');
    expect(asked.act).toBeNull();
    const given = advanceChat(asked.machine, {
      type: 'decided',
      actionId: '1',
      verdict: 'proceed',
      message: null,
      by: 'me',
    });
    expect([given.machine.state, given.act, given.machine.step?.actions[0]?.state]).toEqual([
      'running',
      null,
      'approved',
    ]);
    const taken = advanceChat(given.machine, { type: 'taken', draft: { text: '', reasoning: '' }, preset: 'fast' });
    expect(taken.act).toMatchObject({ type: 'run' });
    const ran = advanceChat(taken.machine, { type: 'ran', actionId: '1', outcome });
    expect(ran.records.at(-1)).toMatchObject({ type: 'endExchange', end: 'answered' });
    const goesOn = advanceChat({ ...taken.machine, autoContinue: true }, { type: 'ran', actionId: '1', outcome });
    expect(goesOn.act).toEqual({ type: 'ask' });
  });

  it('takes no second verdict and no late answer', () => {
    const asked = play([
      answer([command('1')]),
      { type: 'judged', actionId: '1', classification: safe, ask: { reason: 'r', context: 'c' } },
    ]);
    const skipped = advanceChat(asked.machine, {
      type: 'decided',
      actionId: '1',
      verdict: 'skip',
      message: null,
      by: 'me',
    });
    expect(skipped.machine.state).toBe('idle');
    for (const event of [
      answer([]),
      { type: 'decided', actionId: '1', verdict: 'proceed', message: null, by: 'you' } as const,
    ]) {
      expect(advanceChat(skipped.machine, event)).toEqual({ machine: skipped.machine, records: [], act: null });
    }
  });

  it('keeps what had come of an answer when its driver died, and asks again when nothing had', () => {
    const taken = (text: string): ChatAdvance =>
      advanceChat(begun, { type: 'taken', draft: { text, reasoning: '' }, preset: 'fast' });
    expect(taken('').act).toEqual({ type: 'ask' });
    const kept = taken('half an ans');
    expect(kept.records).toContainEqual({
      type: 'appendTurn',
      role: 'assistant',
      content: 'half an ans',
      meta: { end: 'interrupted' },
    });
    expect(kept.records.at(-1)).toMatchObject({ type: 'endExchange', end: 'interrupted' });
  });

  it('asks the questions of a server one after the other, and goes on with the call once all are answered', () => {
    const begins = play([answer([tool('1')]), { type: 'judged', actionId: '1', classification: safe, ask: null }]);
    const asked = advanceChat(begins.machine, { type: 'called', actionId: '1', result: asking });
    expect([asked.machine.state, asked.act]).toEqual(['deciding', null]);
    expect(asked.records).toContainEqual(expect.objectContaining({ type: 'requestDecision', kind: 'elicitation' }));
    const decide = (machine: ChatMachine, given: ElicitationAnswer): ChatAdvance =>
      advanceChat(machine, {
        type: 'decided',
        actionId: '1',
        verdict: 'proceed',
        message: null,
        answer: given,
        by: 'me',
      });
    const first = decide(asked.machine, { action: 'accept', content: { colour: 'red' } });
    expect([first.machine.state, first.records.map(({ type }) => type)]).toEqual([
      'deciding',
      ['setAction', 'requestDecision'],
    ]);
    const second = decide(first.machine, { action: 'decline' });
    expect(second.machine.state).toBe('running');
    const taken = advanceChat(second.machine, { type: 'taken', draft: { text: '', reasoning: '' }, preset: 'fast' });
    expect(taken.act).toMatchObject({
      type: 'run',
      action: {
        id: '1',
        pending: { answers: { one: { action: 'accept', content: { colour: 'red' } }, two: { action: 'decline' } } },
      },
    });
    // A message in place of the answer: the model is told that nobody answered.
    const overtaken = advanceChat(asked.machine, { type: 'overtaken', by: 'me' });
    expect(overtaken.records).toContainEqual(
      expect.objectContaining({ type: 'appendTurn', role: 'tool', content: expect.stringMatching(/nobody answered/) }),
    );
  });

  it('leaves nothing open and every call with one result, whatever happens in whatever order', () => {
    const ids = ['1', '2', '3'];
    const actions = [command('1'), tool('2'), tool('3', '{"b":1}')];
    const event = fc.oneof(
      fc.constant<ChatEvent>(answer(actions)),
      fc.constant<ChatEvent>(answer([], { end: 'stopped' })),
      fc.constant<ChatEvent>({ type: 'stopped', by: 'me', outcomes: { '1': outcome } }),
      fc.constant<ChatEvent>({ type: 'overtaken', by: 'me' }),
      fc.constant<ChatEvent>({ type: 'taken', draft: { text: '', reasoning: '' }, preset: 'fast' }),
      fc.record({ id: fc.constantFrom(...ids), asks: fc.boolean() }).map(({ id, asks }): ChatEvent => ({
        type: 'judged',
        actionId: id,
        classification: safe,
        ask: asks ? { reason: 'r', context: '' } : null,
      })),
      fc
        .record({
          id: fc.constantFrom(...ids),
          verdict: fc.constantFrom('proceed' as const, 'skip' as const, 'abort' as const),
        })
        .map(({ id, verdict }): ChatEvent => ({
          type: 'decided',
          actionId: id,
          verdict,
          message: null,
          answer: { action: 'decline' },
          by: 'me',
        })),
      fc.constantFrom(...ids).map((actionId): ChatEvent => ({ type: 'called', actionId, result: asking })),
      fc.constantFrom(...ids).map((actionId): ChatEvent => ({ type: 'ran', actionId, outcome })),
      fc.constantFrom(...ids).map((actionId): ChatEvent => ({ type: 'called', actionId, result })),
      fc.constantFrom(...ids).map((actionId): ChatEvent => ({ type: 'lost', actionId })),
      fc.constantFrom(...ids).map((actionId): ChatEvent => ({ type: 'refused', actionId, reason: 'no' })),
      fc.constantFrom(...ids).map((actionId): ChatEvent => ({ type: 'unfit', actionId, result })),
    );
    const ended: ReadonlySet<ActionState> = new Set(['finished', 'skipped', 'lost']);
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let machine = begun;
        let started: string[] = [];
        let open: string[] = [];
        for (const each of events) {
          const { machine: next, records, act } = advanceChat(machine, each);
          for (const record of records) {
            if (record.type === 'answerStep') {
              // Ids come again here only because the same answer is used again; each answer's calls are its own.
              started = [];
              open = record.answer.actions.flatMap((action) => (action.kind === 'tool' ? [action.callId] : []));
            }
            if (record.type === 'setAction' && record.state === 'started') {
              expect(started).not.toContain(record.actionId);
              started.push(record.actionId);
            }
            // A call that asks is made again with its answers.
            if (record.type === 'setAction' && record.state === 'halted') {
              started = started.filter((id) => id !== record.actionId);
            }
            if (record.type === 'appendTurn' && record.role === 'tool') {
              expect(open).toContain(record.meta?.toolCallId);
              open = open.filter((id) => id !== record.meta?.toolCallId);
            }
          }
          if (act?.type === 'ask' || next.state === 'idle') expect(open).toEqual([]);
          if (next.state === 'idle')
            expect((next.step?.actions ?? []).every(({ state }) => ended.has(state))).toBe(true);
          if (act !== null) expect(next.state).toBe('running');
          machine = next;
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import type { Ending, NewAction } from '@aish/actions';
import type { ActionState } from '@aish/contracts/actions';
import type { Verdict } from '@aish/contracts/decisions';
import type { Classification } from '@aish/contracts/safety';
import type { ElicitationAnswer, PendingInput, ServerTask, ToolResult } from '@aish/contracts/tools';
import { OUTCOME } from '@aish/contracts/testing/outcome';
import * as fc from 'fast-check';
import { advanceChat } from './advance.js';
import type { ChatAdvance, ChatEvent } from './events.js';
import { depthTurn } from './policy.js';
import type { Answered, ChatMachine } from './state.js';

const begun: ChatMachine = {
  state: 'running',
  exchange: 1,
  rounds: 1,
  maxRounds: 8,
  autoContinue: false,
  readsGoOn: false,
  confirmCommands: true,
  trust: 'ask',
  recent: [],
  step: { n: 1, answered: false, goalLine: null, actions: [] },
};
const safe: Classification = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' };
const result: ToolResult = { text: 'done', isError: false, omittedBytes: 0 };
const question = { mode: 'form', message: 'which?', requestedSchema: { type: 'object' }, url: null } as const;
const pending: PendingInput = { questions: { one: question, two: question }, state: 's', restarts: false };
const outcome = { ...OUTCOME, output: 'ok\n' };
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
    goalLine: null,
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

const judged = (actionId: string, asks = false): ChatEvent => ({
  type: 'classified',
  judgements: [{ actionId, classification: safe, grant: null, ...(asks ? { confirm: 'r', context: 'c' } : {}) }],
  tookMs: 0,
});
const over = (...endings: readonly Ending[]): ChatEvent => ({ type: 'ended', endings, tookMs: 1 });
const called = (actionId: string): ChatEvent => over({ kind: 'answered', actionId, result });
const ran = (actionId: string): ChatEvent => over({ kind: 'ran', actionId, outcome });
const asks = (actionId: string): ChatEvent => over({ kind: 'asks', actionId, pending });
const task: ServerTask = {
  alias: 'a',
  endpoint: 'e',
  taskId: 't',
  pollMs: 1_000,
  until: '2999-01-01T00:00:00.000Z',
  note: null,
  answered: [],
};
const waits = (actionId: string): ChatEvent =>
  over({ kind: 'waits', actionId, pending: { questions: {}, state: '', restarts: false, task } });
const lost = (actionId: string): ChatEvent => over({ kind: 'lost', actionId });
const refused = (actionId: string): ChatEvent => over({ kind: 'refused', actionId, reason: 'no' });
const taken = { type: 'taken', draft: { text: '', reasoning: '' }, preset: 'fast' } as const;
const given = (
  actionId: string,
  verdict: Verdict,
  more: { by?: string; answer?: ElicitationAnswer; message?: string } = {},
): ChatEvent => ({
  type: 'decided',
  actionId,
  verdict,
  message: null,
  edited: null,
  by: 'me',
  ...more,
});

function play(events: readonly ChatEvent[], from = begun): ChatAdvance {
  let advance: ChatAdvance = { machine: from, records: [], effect: null };
  for (const event of events) advance = advanceChat(advance.machine, event);
  return advance;
}
const types = ({ records }: ChatAdvance): readonly string[] => records.map((record) => record.type);

describe('the machine of a chat', () => {
  it('an answer without actions ends the exchange', () => {
    const end = play([answer([])]);
    expect(types(end)).toEqual(['answerStep', 'appendTurn', 'endExchange']);
    expect(end.machine.state).toBe('idle');
  });

  it('a chat calls tools one after another, then asks the model again', () => {
    const first = play([answer([tool('1'), tool('2')])]);
    expect(first.effect).toMatchObject({ type: 'classify', actions: [{ id: '1' }] });
    const begun = advanceChat(first.machine, judged('1'));
    expect(begun.effect).toMatchObject({ type: 'run', actions: [{ id: '1' }] });
    const second = advanceChat(begun.machine, called('1'));
    expect(second.records).toContainEqual({
      type: 'appendTurn',
      role: 'tool',
      provenance: 'tool',
      content: 'done',
      meta: { toolCallId: 'c-1', toolName: 'a__b', isError: false },
    });
    expect(second.effect).toMatchObject({ type: 'classify', actions: [{ id: '2' }] });
    const next = play([judged('2'), called('2')], second.machine);
    expect(next.effect).toEqual({ type: 'ask' });
    expect(next.machine).toMatchObject({ rounds: 2, step: { n: 2, answered: false } });
  });

  it('the model of a chat learns about an invalid call immediately and is asked again', () => {
    const { effect, records } = play([answer([{ ...tool('1'), fault: 'no such tool' }])]);
    expect(effect).toEqual({ type: 'ask' });
    expect(records).toContainEqual({ type: 'setAction', actionId: '1', state: 'skipped', reason: 'no such tool' });
    expect(records).toContainEqual({
      type: 'appendTurn',
      role: 'tool',
      provenance: 'aish',
      content: '[aish] action refused: a.b {}\nno such tool',
      meta: { toolCallId: 'c-1', toolName: 'a__b', isError: true },
    });
  });

  it('a chat stops calling tools after eight rounds, with a notice', () => {
    let advance: ChatAdvance = { machine: begun, records: [], effect: { type: 'ask' } };
    let asked = 1;
    for (let n = 0; advance.machine.state === 'running' && n < 50; n += 1) {
      const id = String(n);
      advance = play([answer([tool(id, `{"n":${n}}`)]), judged(id), called(id)], advance.machine);
      if (advance.effect?.type === 'ask') asked += 1;
    }
    expect(asked).toBe(8);
    expect(advance.records).toContainEqual({ type: 'appendTurn', ...depthTurn });
    expect(advance.records.at(-1)).toMatchObject({ type: 'endExchange', end: 'depth' });
  });

  it('an action that a person approves begins only when the next runner takes the chat', () => {
    const asked = play([answer([command('1')]), judged('1', true)]);
    expect(asked.machine.state).toBe('deciding');
    expect(asked.records).toContainEqual({
      type: 'requestDecision',
      kind: 'command',
      actionId: '1',
      action: 'echo 1',
      reason: 'r',
      context: 'c',
      classification: safe,
    });
    expect(asked.effect).toBeNull();
    const allowed = advanceChat(asked.machine, given('1', 'proceed'));
    expect([allowed.machine.state, allowed.effect, allowed.machine.step?.actions[0]?.state]).toEqual([
      'running',
      null,
      'approved',
    ]);
    const next = advanceChat(allowed.machine, taken);
    expect(next.effect).toMatchObject({ type: 'run' });
    const end = advanceChat(next.machine, ran('1'));
    expect(end.records.at(-1)).toMatchObject({ type: 'endExchange', end: 'answered' });
    const goesOn = advanceChat({ ...next.machine, autoContinue: true }, ran('1'));
    expect(goesOn.effect).toEqual({ type: 'ask' });
  });

  it.each(['proceed', 'abort'] as const)('the model of a chat gets the message of a verdict to %s', (verdict) => {
    const asked = play([answer([command('1')]), judged('1', true)]);
    const { records } = advanceChat(asked.machine, given('1', verdict, { message: 'only this once' }));
    const content = '[aish] The user says:\nonly this once';
    expect(records).toContainEqual(expect.objectContaining({ type: 'appendTurn', role: 'notice', content }));
    expect(JSON.stringify(advanceChat(asked.machine, given('1', verdict)).records)).not.toContain('The user says');
  });

  it('a chat ignores a second verdict and a late answer', () => {
    const asked = play([answer([command('1')]), judged('1', true)]);
    const skipped = advanceChat(asked.machine, given('1', 'skip'));
    const ended = advanceChat(skipped.machine, taken);
    expect(ended.machine.state).toBe('idle');
    for (const { machine } of [skipped, ended]) {
      for (const event of [answer([]), given('1', 'proceed', { by: 'you' })]) {
        expect(advanceChat(machine, event)).toEqual({ machine, records: [], effect: null });
      }
    }
  });

  it('if the sandbox is unavailable, a chat waits for a command that may have begun, and refuses one that has not', () => {
    const { machine } = play([answer([command('1')]), judged('1')]);
    const away = { type: 'unavailable', what: 'sandbox', reason: 'sandbox_unreachable: gone' } as const;
    const asksAfter = advanceChat(machine, { ...away, began: true });
    expect(asksAfter).toEqual({ machine, records: [], effect: { type: 'recover', action: machine.step?.actions[0] } });
    const refused = advanceChat(machine, { ...away, began: false });
    expect(refused.machine).toMatchObject({ state: 'idle', step: { actions: [{ state: 'skipped' }] } });
    expect(refused.records).toContainEqual({
      type: 'appendTurn',
      role: 'notice',
      provenance: 'aish',
      content: '[aish] action refused: echo 1\nsandbox_unreachable: gone',
    });
    // A late event changes nothing.
    expect(advanceChat(begun, { ...away, began: true })).toEqual({ machine: begun, records: [], effect: null });
  });

  it('a chat keeps the partial answer of a dead runner, and asks the model again if there was none', () => {
    expect(advanceChat(begun, taken).effect).toEqual({ type: 'ask' });
    const kept = advanceChat(begun, { ...taken, draft: { text: 'half an ans', reasoning: '' } });
    expect(kept.records).toContainEqual({
      type: 'appendTurn',
      role: 'assistant',
      provenance: 'model',
      content: 'half an ans',
      meta: { end: 'interrupted' },
    });
    expect(kept.records.at(-1)).toMatchObject({ type: 'endExchange', end: 'interrupted' });
  });

  it('a chat asks the questions of a server one by one, and continues the call after the last answer', () => {
    const begins = play([answer([tool('1')]), judged('1')]);
    const asked = advanceChat(begins.machine, asks('1'));
    expect([asked.machine.state, asked.effect]).toEqual(['deciding', null]);
    expect(asked.records).toContainEqual(expect.objectContaining({ type: 'requestDecision', kind: 'elicitation' }));
    const decide = (machine: ChatMachine, answer: ElicitationAnswer): ChatAdvance =>
      advanceChat(machine, given('1', 'proceed', { answer }));
    const first = decide(asked.machine, { action: 'accept', content: { colour: 'red' } });
    expect([first.machine.state, first.records.map(({ type }) => type)]).toEqual([
      'deciding',
      ['setAction', 'requestDecision'],
    ]);
    const second = decide(first.machine, { action: 'decline' });
    expect(second.machine.state).toBe('running');
    expect(advanceChat(second.machine, taken).effect).toMatchObject({
      type: 'run',
      actions: [
        {
          id: '1',
          pending: { answers: { one: { action: 'accept', content: { colour: 'red' } }, two: { action: 'decline' } } },
        },
      ],
    });
    // If a message arrives instead of the answer, the model learns that nobody answered.
    const overtaken = advanceChat(asked.machine, { type: 'overtaken', by: 'me' });
    expect(overtaken.records).toContainEqual(
      expect.objectContaining({ type: 'appendTurn', role: 'tool', content: expect.stringMatching(/nobody answered/) }),
    );
  });

  const need = { kind: 'host', name: 'nas', why: 'the backups are there' } as const;
  const goalLine = { kind: 'need', need } as const;
  const met = { type: 'needDecided', verdict: 'proceed', access: ['nas is there'], message: null, by: 'me' } as const;

  it('a chat asks for the access that the model needs after the actions of its answer, then asks the model again', () => {
    const acts = play([answer([tool('1')], { goalLine })]);
    expect(acts.effect).toMatchObject({ type: 'classify' });
    const asked = play([judged('1'), called('1')], acts.machine);
    expect([asked.machine.state, asked.effect]).toEqual(['deciding', null]);
    expect(asked.records).toContainEqual(
      expect.objectContaining({ kind: 'need', action: 'host nas: the backups are there', actionId: null }),
    );
    const given = advanceChat(asked.machine, met);
    expect([given.machine.state, given.effect, given.machine.step]).toEqual([
      'running',
      null,
      { n: 2, answered: false, goalLine: null, actions: [] },
    ]);
    expect(JSON.stringify(given.records)).toContain('The user gives you what you need: host nas\\nnas is there');
    expect(advanceChat(given.machine, taken).effect).toEqual({ type: 'ask' });
    expect(advanceChat(given.machine, met)).toEqual({ machine: given.machine, records: [], effect: null });
    // A person is not asked about an incomplete answer.
    expect(play([answer([], { goalLine, end: 'stopped' })]).machine).toMatchObject({
      state: 'idle',
      step: { goalLine: null },
    });
  });

  it('the model of a chat learns that it got no access if the person stops, aborts or sends a message', () => {
    const { machine } = play([answer([], { goalLine })]);
    const end = { state: 'idle' };
    for (const event of [
      { type: 'stopped', by: 'me', outcomes: {} },
      { type: 'overtaken', by: 'me' },
      { ...met, verdict: 'abort', access: null },
    ] as const) {
      const ended = advanceChat(machine, event);
      expect(ended.machine).toMatchObject(end);
      expect(types(ended)).toEqual(['appendTurn', 'withdrawDecisions', 'endExchange']);
      expect(JSON.stringify(ended.records)).toContain('does not give you this: host nas');
    }
    const last = advanceChat({ ...machine, rounds: machine.maxRounds }, met);
    expect(last.records.at(-1)).toMatchObject({ type: 'endExchange', end: 'depth' });
    expect(JSON.stringify(last.records)).toContain('nas is there');
  });

  it('for events in any order, no action of a chat stays open and every call gets one result', () => {
    const ids = ['1', '2', '3'];
    const actions = [command('1'), tool('2'), tool('3', '{"b":1}')];
    const event = fc.oneof(
      fc.constant<ChatEvent>(answer(actions)),
      fc.constant<ChatEvent>(answer([], { end: 'stopped' })),
      fc.constantFrom<ChatEvent>(answer([], { goalLine }), answer(actions, { goalLine })),
      fc.constantFrom<ChatEvent>(met, { ...met, verdict: 'abort', access: null }),
      fc.constant<ChatEvent>({ type: 'stopped', by: 'me', outcomes: { '1': outcome } }),
      fc.constant<ChatEvent>({ type: 'overtaken', by: 'me' }),
      fc.constant<ChatEvent>(taken),
      fc.tuple(fc.constantFrom(...ids), fc.boolean()).map(([id, isAsked]) => judged(id, isAsked)),
      fc
        .tuple(fc.constantFrom(...ids), fc.constantFrom<Verdict>('proceed', 'skip', 'abort'))
        .map(([id, verdict]) => given(id, verdict, { answer: { action: 'decline' } })),
      fc
        .tuple(fc.constantFrom(...ids), fc.constantFrom(asks, waits, ran, called, lost, refused))
        .map(([id, ending]) => ending(id)),
      fc.boolean().map((began): ChatEvent => ({ type: 'unavailable', what: 'sandbox', reason: 'r', began })),
    );
    const ended: ReadonlySet<ActionState> = new Set(['finished', 'skipped', 'lost']);
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let machine = begun;
        let started: string[] = [];
        let open: string[] = [];
        for (const each of events) {
          const { machine: next, records, effect } = advanceChat(machine, each);
          for (const record of records) {
            if (record.type === 'answerStep') {
              // IDs repeat here only because the test uses the same answer again. Each answer has its own calls.
              started = [];
              open = record.answer.actions.flatMap((action) => (action.kind === 'tool' ? [action.callId] : []));
            }
            if (record.type === 'setAction' && record.state === 'started') {
              expect(started).not.toContain(record.actionId);
              started.push(record.actionId);
            }
            // A call that asks a question is repeated with the answers.
            if (record.type === 'setAction' && record.state === 'halted') {
              started = started.filter((id) => id !== record.actionId);
            }
            if (record.type === 'appendTurn' && record.role === 'tool') {
              expect(open).toContain(record.meta?.toolCallId);
              open = open.filter((id) => id !== record.meta?.toolCallId);
            }
          }
          if (effect?.type === 'ask' || next.state === 'idle') expect(open).toEqual([]);
          if (next.state === 'idle')
            expect((next.step?.actions ?? []).every(({ state }) => ended.has(state))).toBe(true);
          if (effect !== null) expect(next.state).toBe('running');
          machine = next;
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

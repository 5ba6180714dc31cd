import {
  openQuestion,
  withAnswer,
  type ActionState,
  type CountedConnection,
  type PendingInput,
  type ToolResult,
  type TurnMeta,
} from '@aish/contracts';
import { outputTurn, refusedTurn, skippedTurn } from '@aish/conversation';
import { nothing, type ChatAdvance, type ChatEvent, type ChatRecord } from './events.js';
import { begin, endExchange, goOn, startStep } from './go-on.js';
import { find, isCalling, setAction, type Answered, type ChatAction, type ChatMachine } from './state.js';
import { lostText, textOf, told, toolTurn } from './told.js';

/** Source: Phase 2 manifest, section 5, "Budget". */
export const MAX_ROUNDS = 8;
/** The same call, with the same arguments, is made so often in one exchange. */
export const MAX_SAME_CALLS = 2;
export const ECHO_NOTICE =
  '[aish] Your last answer repeated the description of a tool. Call the tool, or answer in words.';

/**
 * The machine of a chat: what follows from an event. Pure. An event that does not fit the state (a late answer, a second
 * verdict) changes nothing. Source: issue "a session"; Phase 2 manifest, section 5.
 */
export function advanceChat(machine: ChatMachine, event: ChatEvent): ChatAdvance {
  if (machine.state === 'idle') return nothing(machine);
  switch (event.type) {
    case 'taken':
      return take(machine, event);
    case 'answered':
      return answer(machine, event.answer);
    case 'judged':
      return judged(machine, event);
    case 'unfit':
      return finishTool(machine, event.actionId, 'pending', event.result);
    case 'called':
      return event.result.pending === undefined
        ? finishTool(machine, event.actionId, 'started', event.result)
        : called(machine, event.actionId, event.result.pending);
    case 'ran': {
      const action = find(machine, event.actionId, 'started');
      if (action?.kind !== 'command') return nothing(machine);
      return goOn(setAction(machine, action.id, 'finished'), [
        ...connected(action.id, event.connections),
        { type: 'setAction', actionId: action.id, state: 'finished', outcome: event.outcome },
        { type: 'appendTurn', role: 'output', content: outputTurn(action.command, event.outcome) },
      ]);
    }
    case 'lost': {
      const action = find(machine, event.actionId, 'started');
      if (action === null) return nothing(machine);
      return goOn(setAction(machine, action.id, 'lost'), [
        ...connected(action.id, event.connections),
        { type: 'setAction', actionId: action.id, state: 'lost' },
        told(action, lostText(action), lostText(action)),
      ]);
    }
    case 'refused': {
      const action = find(machine, event.actionId, 'started') ?? find(machine, event.actionId, 'pending');
      if (action === null) return nothing(machine);
      return goOn(setAction(machine, action.id, 'skipped'), [
        { type: 'setAction', actionId: action.id, state: 'skipped', reason: event.reason },
        told(action, event.reason, refusedTurn(textOf(action), event.reason)),
      ]);
    }
    case 'decided':
      return decided(machine, event);
    case 'stopped':
      return stop(machine, event);
    case 'overtaken':
      if (machine.state !== 'deciding') return nothing(machine);
      return endExchange(machine, 'answered', null, `${event.by} went on without an answer to it`, []);
  }
}

function take(machine: ChatMachine, event: Extract<ChatEvent, { type: 'taken' }>): ChatAdvance {
  if (machine.state !== 'running') return nothing(machine);
  const { step } = machine;
  if (step === null || step.answered || (event.draft.text === '' && event.draft.reasoning === '')) {
    return goOn(machine, isCalling(machine) ? [{ type: 'withdrawDecisions' }] : []);
  }
  return answer(machine, {
    ...event.draft,
    toolCalls: [],
    actions: [],
    end: 'interrupted',
    preset: event.preset,
    fallbackFrom: null,
    model: null,
    usage: null,
    firstWordMs: null,
    totalMs: 0,
    notes: [],
    isSchemaEcho: false,
    trouble: { code: 'service_stopping', detail: 'The api that had asked the model ended before the answer did' },
  });
}

function answer(machine: ChatMachine, answered: Answered): ChatAdvance {
  const { step } = machine;
  if (machine.state !== 'running' || step === null || step.answered) return nothing(machine);
  const isWhole = answered.end === 'whole' || answered.end === 'length';
  const actions = isWhole ? answered.actions : [];
  const next: ChatMachine = {
    ...machine,
    step: { ...step, answered: true, actions: actions.map((action) => ({ ...action, state: 'pending' })) },
  };
  const records: ChatRecord[] = [{ type: 'answerStep', n: step.n, answer: { ...answered, actions } }];
  const hasContent = answered.text !== '' || answered.reasoning !== '' || actions.length > 0;
  if (hasContent) {
    const meta: TurnMeta = {
      ...(isWhole && answered.toolCalls.length > 0 ? { toolCalls: [...answered.toolCalls] } : {}),
      ...(answered.end === 'whole' ? {} : { end: answered.end }),
      ...(answered.reasoning === '' ? {} : { reasoning: answered.reasoning }),
      ...(answered.model === null ? {} : { model: answered.model }),
    };
    records.push({
      type: 'appendTurn',
      role: 'assistant',
      content: answered.text,
      ...(Object.keys(meta).length === 0 ? {} : { meta }),
    });
  }
  switch (answered.end) {
    case 'stopped':
    case 'interrupted':
    case 'failed':
      return endExchange(next, answered.end, answered.trouble, answered.end, records);
    case 'whole':
    case 'length':
      break;
  }
  if (answered.isSchemaEcho && actions.length === 0 && machine.rounds === 1) {
    return startStep(next, [...records, { type: 'appendTurn', role: 'notice', content: ECHO_NOTICE }]);
  }
  return goOn(next, records);
}

function judged(machine: ChatMachine, event: Extract<ChatEvent, { type: 'judged' }>): ChatAdvance {
  const action = find(machine, event.actionId, 'pending');
  if (action === null || machine.state !== 'running') return nothing(machine);
  const { classification, ask } = event;
  const record: ChatRecord = { type: 'classifyAction', actionId: action.id, classification };
  if (action.kind === 'tool') {
    const key = callKey(action);
    const before = machine.calls.filter((call) => call === key).length;
    if (before >= MAX_SAME_CALLS) {
      const text = `This call was made ${before} times already, with the same arguments, and its result is above. It was not made again: do something else, or answer.`;
      const advanced = finishTool(machine, action.id, 'pending', { text, isError: true, omittedBytes: 0 });
      return { ...advanced, records: [record, ...advanced.records] };
    }
  }
  if (ask === null) return begin(machine, action, [record]);
  return {
    machine: { ...setAction(machine, action.id, 'halted'), state: 'deciding' },
    records: [
      record,
      { type: 'setAction', actionId: action.id, state: 'halted' },
      { type: 'requestDecision', actionId: action.id, kind: action.kind, ...ask, classification },
    ],
    act: null,
  };
}

/** The server asks something, and the call goes on once it has all its answers. */
function called(machine: ChatMachine, actionId: string, pending: PendingInput): ChatAdvance {
  const action = find(machine, actionId, 'started');
  return action === null ? nothing(machine) : askNext(machine, action, pending);
}

function askNext(machine: ChatMachine, action: ChatAction, pending: PendingInput): ChatAdvance {
  const open = openQuestion(pending);
  const state = open === null ? 'approved' : 'halted';
  const result: ToolResult = { text: '', isError: false, omittedBytes: 0, pending };
  const set: ChatRecord = { type: 'setAction', actionId: action.id, state, result };
  const asked = setAction(machine, action.id, state, pending);
  // It is begun again by whoever drives the chat next, not by who writes the verdict.
  if (open === null) return { machine: { ...asked, state: 'running' }, records: [set], act: null };
  const reason = `${action.kind === 'tool' ? action.label : 'a tool'} asks`;
  const { question } = open;
  return {
    machine: { ...asked, state: 'deciding' },
    records: [
      set,
      {
        type: 'requestDecision',
        actionId: action.id,
        kind: 'elicitation',
        reason,
        context: '',
        classification: null,
        question,
      },
    ],
    act: null,
  };
}

function decided(machine: ChatMachine, event: Extract<ChatEvent, { type: 'decided' }>): ChatAdvance {
  const action = find(machine, event.actionId, 'halted');
  if (action === null || machine.state !== 'deciding') return nothing(machine);
  const { pending } = action;
  if (pending !== undefined) {
    const { answer: given = null } = event;
    return given === null ? nothing(machine) : askNext(machine, action, withAnswer(pending, given));
  }
  const running: ChatMachine = { ...machine, state: 'running' };
  switch (event.verdict) {
    case 'proceed':
      // It is begun by whoever drives the chat next, not by who writes the verdict.
      return {
        machine: setAction(running, action.id, 'approved'),
        records: [{ type: 'setAction', actionId: action.id, state: 'approved' }],
        act: null,
      };
    case 'skip': {
      const why =
        event.message === null
          ? 'The person did not let it be called.'
          : `The person did not let it be called: ${event.message}`;
      return goOn(setAction(running, action.id, 'skipped'), [
        { type: 'setAction', actionId: action.id, state: 'skipped', reason: `skipped by ${event.by}` },
        told(action, why, skippedTurn(textOf(action), event.message)),
      ]);
    }
    // The api takes none for a chat: there a person says what else they want.
    case 'edit':
      return nothing(machine);
    case 'abort':
      return endExchange(machine, 'stopped', null, `stopped by ${event.by}`, []);
  }
}

function stop(
  machine: ChatMachine,
  { by, outcomes, connections = {} }: Extract<ChatEvent, { type: 'stopped' }>,
): ChatAdvance {
  const records: ChatRecord[] = [];
  let current = machine;
  for (const action of machine.step?.actions ?? []) {
    const outcome = outcomes[action.id];
    if (action.state === 'started') records.push(...connected(action.id, connections[action.id]));
    if (action.state !== 'started' || action.kind !== 'command' || outcome === undefined) continue;
    current = setAction(current, action.id, 'finished');
    records.push(
      { type: 'setAction', actionId: action.id, state: 'finished', outcome },
      { type: 'appendTurn', role: 'output', content: outputTurn(action.command, outcome) },
    );
  }
  return endExchange(current, 'stopped', null, `stopped by ${by}`, records);
}

function connected(actionId: string, connections: readonly CountedConnection[] = []): ChatRecord[] {
  return connections.length === 0 ? [] : [{ type: 'recordConnections', actionId, connections }];
}

/** A tool call has its result, whichever way. */
function finishTool(machine: ChatMachine, actionId: string, from: ActionState, result: ToolResult): ChatAdvance {
  const action = find(machine, actionId, from);
  if (action?.kind !== 'tool') return nothing(machine);
  const next = { ...setAction(machine, action.id, 'finished'), calls: [...machine.calls, callKey(action)] };
  return goOn(next, [
    { type: 'setAction', actionId: action.id, state: 'finished', result },
    toolTurn(action, result.text, result.isError),
  ]);
}

function callKey({ tool, arguments: text }: Extract<ChatAction, { kind: 'tool' }>): string {
  return `${tool} ${text.replaceAll(/\s+/g, '')}`.slice(0, 2_000);
}

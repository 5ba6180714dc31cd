import type {
  ActionRequest,
  ActionState,
  AnswerEnd,
  ChatState,
  Classification,
  CountedConnection,
  DecisionKind,
  Elicitation,
  ElicitationAnswer,
  ExchangeEnd,
  PendingInput,
  RunOutcome,
  ToolCall,
  ToolResult,
  Trouble,
  TurnMeta,
  TurnRole,
  Usage,
  Verdict,
} from '@aish/contracts';
import { openQuestion, withAnswer } from '@aish/contracts';
import { lostTurn, outputTurn, refusedTurn, skippedTurn } from '@aish/conversation';

/** A chat as the machine sees it. */
export interface ChatMachine {
  readonly state: ChatState;
  readonly exchange: number;
  /** Round trips with the model in this exchange, the one under way included. */
  readonly rounds: number;
  readonly maxRounds: number;
  readonly autoContinue: boolean;
  readonly confirmCommands: boolean;
  /** Name and arguments of the tool calls of this exchange. */
  readonly calls: readonly string[];
  /** The newest step. */
  readonly step: ChatStep | null;
}

export interface ChatStep {
  readonly n: number;
  readonly answered: boolean;
  readonly actions: readonly ChatAction[];
}

export type ChatAction = ActionRequest & {
  readonly id: string;
  readonly state: ActionState;
  /** Of a call that ended with questions for now: these, and the answers so far. */
  readonly pending?: PendingInput;
};
export type NewAction = ActionRequest & { readonly id: string };

/** An answer of the model, or what came of it. */
export interface Answered {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  readonly actions: readonly NewAction[];
  readonly end: AnswerEnd;
  readonly preset: string;
  readonly fallbackFrom: string | null;
  readonly model: string | null;
  readonly usage: Usage | null;
  readonly firstWordMs: number | null;
  readonly totalMs: number;
  readonly notes: readonly string[];
  readonly isSchemaEcho: boolean;
  /** Why it is not whole. */
  readonly trouble: Trouble | null;
}

/** What happened. No clock, no chance: whatever a decision depends on is in here or in the state. */
export type ChatEvent =
  /** A driver has the chat: after a verdict, or after a crash. `draft`: what had come of an answer then. */
  | {
      readonly type: 'taken';
      readonly draft: { readonly text: string; readonly reasoning: string };
      readonly preset: string;
    }
  | { readonly type: 'answered'; readonly answer: Answered }
  /** Checked, classified, authorized. `ask`: what to ask a person, or null. */
  | {
      readonly type: 'judged';
      readonly actionId: string;
      readonly classification: Classification;
      readonly ask: { readonly reason: string; readonly context: string } | null;
    }
  /** The call cannot be made as it stands; the model is told why. */
  | { readonly type: 'unfit'; readonly actionId: string; readonly result: ToolResult }
  | {
      readonly type: 'ran';
      readonly actionId: string;
      readonly outcome: RunOutcome;
      readonly connections?: readonly CountedConnection[];
    }
  | { readonly type: 'called'; readonly actionId: string; readonly result: ToolResult }
  | { readonly type: 'lost'; readonly actionId: string; readonly connections?: readonly CountedConnection[] }
  /** What would carry it out is away, or never will. */
  | { readonly type: 'refused'; readonly actionId: string; readonly reason: string }
  | {
      readonly type: 'decided';
      readonly actionId: string;
      readonly verdict: Verdict;
      readonly message: string | null;
      /** To the question of a server. */
      readonly answer?: ElicitationAnswer | null;
      readonly by: string;
    }
  /** A person stops the exchange. `outcomes`: of commands that were killed for it. */
  | {
      readonly type: 'stopped';
      readonly by: string;
      readonly outcomes: Readonly<Record<string, RunOutcome>>;
      readonly connections?: Readonly<Record<string, readonly CountedConnection[]>>;
    }
  /** A person sends a new message while a question is open: it stands answered by that. */
  | { readonly type: 'overtaken'; readonly by: string };

/** What to write, all of it in the one transaction of its event. */
export type ChatRecord =
  | { readonly type: 'startStep'; readonly n: number }
  | { readonly type: 'answerStep'; readonly n: number; readonly answer: Answered }
  | { readonly type: 'appendTurn'; readonly role: TurnRole; readonly content: string; readonly meta?: TurnMeta }
  | { readonly type: 'classifyAction'; readonly actionId: string; readonly classification: Classification }
  | {
      readonly type: 'setAction';
      readonly actionId: string;
      readonly state: ActionState;
      readonly outcome?: RunOutcome;
      readonly result?: ToolResult;
      readonly reason?: string;
    }
  | {
      readonly type: 'recordConnections';
      readonly actionId: string;
      readonly connections: readonly CountedConnection[];
    }
  | {
      readonly type: 'requestDecision';
      readonly actionId: string;
      readonly kind: DecisionKind;
      readonly reason: string;
      readonly context: string;
      readonly classification: Classification | null;
      /** What a server asks, in place of the action. */
      readonly question?: Elicitation;
    }
  | { readonly type: 'withdrawDecisions' }
  | { readonly type: 'endExchange'; readonly end: ExchangeEnd; readonly trouble: Trouble | null };

/** The one thing to do in the world after the records are committed. */
export type ChatAct =
  | { readonly type: 'ask' }
  | { readonly type: 'judge'; readonly action: ChatAction }
  | { readonly type: 'run'; readonly action: ChatAction }
  | { readonly type: 'recover'; readonly action: ChatAction };

export interface ChatAdvance {
  readonly machine: ChatMachine;
  readonly records: readonly ChatRecord[];
  /** Null: nothing to do until a person. */
  readonly act: ChatAct | null;
}

/** Source: Phase 2 manifest, section 5, "Budget". */
export const MAX_ROUNDS = 8;
/** The same call, with the same arguments, is made so often in one exchange. */
export const MAX_SAME_CALLS = 2;
/** Source: Phase 2 manifest, section 5. */
export const DEPTH_NOTICE = '[aish] tool-call depth limit reached';
export const ECHO_NOTICE =
  '[aish] Your last answer repeated the description of a tool. Call the tool, or answer in words.';

const UNANSWERED = 'The call asked a question that nobody answered, so it did not end its work';

const ENDED: ReadonlySet<ActionState> = new Set(['finished', 'skipped', 'lost']);

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

/** Goes on until there is something to do in the world. */
function goOn(machine: ChatMachine, records: readonly ChatRecord[]): ChatAdvance {
  const { step } = machine;
  if (step === null) return startStep(machine, records);
  if (!step.answered) return { machine, records, act: { type: 'ask' } };
  const action = step.actions.find((candidate) => !ENDED.has(candidate.state));
  switch (action?.state) {
    case undefined:
      break;
    case 'pending':
      return { machine, records, act: { type: 'judge', action } };
    case 'approved':
      return begin(machine, action, records);
    case 'started':
      return { machine, records, act: { type: 'recover', action } };
    case 'halted':
      return { machine: { ...machine, state: 'deciding' }, records, act: null };
    case 'finished':
    case 'skipped':
    case 'lost':
      return nothing(machine);
  }
  const asksAgain =
    step.actions.some(({ kind }) => kind === 'tool') || (machine.autoContinue && step.actions.length > 0);
  if (!asksAgain) return endExchange(machine, 'answered', null, '', records);
  if (machine.rounds >= machine.maxRounds) {
    const notice: ChatRecord = { type: 'appendTurn', role: 'notice', content: DEPTH_NOTICE };
    return endExchange(machine, 'depth', null, '', [...records, notice]);
  }
  return startStep(machine, records);
}

function startStep(machine: ChatMachine, records: readonly ChatRecord[]): ChatAdvance {
  const n = (machine.step?.n ?? 0) + 1;
  return {
    machine: { ...machine, state: 'running', rounds: machine.rounds + 1, step: { n, answered: false, actions: [] } },
    records: [...records, { type: 'startStep', n }],
    act: { type: 'ask' },
  };
}

/** `started` is committed before anything runs, so that a crash can never make it happen twice. */
function begin(machine: ChatMachine, action: ChatAction, records: readonly ChatRecord[]): ChatAdvance {
  return {
    machine: setAction(machine, action.id, 'started'),
    records: [...records, { type: 'setAction', actionId: action.id, state: 'started' }],
    act: { type: 'run', action: { ...action, state: 'started' } },
  };
}

/** Ends the exchange; no action is left open, and every tool call has a result. */
function endExchange(
  machine: ChatMachine,
  end: ExchangeEnd,
  trouble: Trouble | null,
  why: string,
  records: readonly ChatRecord[],
): ChatAdvance {
  let ended: ChatMachine = { ...machine, state: 'idle' };
  const closing: ChatRecord[] = [];
  for (const action of machine.step?.actions ?? []) {
    if (ENDED.has(action.state)) continue;
    const last = action.state === 'started' ? 'lost' : 'skipped';
    ended = setAction(ended, action.id, last);
    closing.push({ type: 'setAction', actionId: action.id, state: last, reason: why });
    if (last === 'lost') closing.push(told(action, lostText(action), lostText(action)));
    else if (action.pending !== undefined) closing.push(told(action, `${UNANSWERED}: ${why}.`, UNANSWERED));
    else closing.push(told(action, `It was not called: ${why}.`, skippedTurn(textOf(action), why)));
  }
  if (machine.state === 'deciding' || isCalling(machine)) closing.push({ type: 'withdrawDecisions' });
  return { machine: ended, records: [...records, ...closing, { type: 'endExchange', end, trouble }], act: null };
}

/** What the model is told of an action that was not carried out: a tool's result, or a notice about a command. */
function told(action: ChatAction, asResult: string, asNotice: string): ChatRecord {
  return action.kind === 'tool'
    ? toolTurn(action, asResult, true)
    : { type: 'appendTurn', role: 'notice', content: asNotice };
}

function toolTurn(action: Extract<ChatAction, { kind: 'tool' }>, content: string, isError: boolean): ChatRecord {
  const meta = { toolCallId: action.callId, toolName: action.tool, isError };
  return { type: 'appendTurn', role: 'tool', content, meta };
}

function lostText(action: ChatAction): string {
  if (action.kind === 'command') return lostTurn(action.command);
  return 'The call was begun, but nobody knows how it ended. It was not made again. Find out what it did before you go on.';
}

function textOf(action: ChatAction): string {
  return action.kind === 'command' ? action.command : `${action.label} ${action.arguments}`;
}

function callKey({ tool, arguments: text }: Extract<ChatAction, { kind: 'tool' }>): string {
  return `${tool} ${text.replaceAll(/\s+/g, '')}`.slice(0, 2_000);
}

function nothing(machine: ChatMachine): ChatAdvance {
  return { machine, records: [], act: null };
}

/** The action whose turn it is, if it is this one in this state: actions go in order, so no other may change. */
function find(machine: ChatMachine, actionId: string, state: ActionState): ChatAction | null {
  const current = machine.step?.actions.find((action) => !ENDED.has(action.state));
  return current?.id === actionId && current.state === state ? current : null;
}

/** Whether a call is under way, whose server may have a question open. */
function isCalling({ step }: ChatMachine): boolean {
  return step?.actions.some(({ kind, state }) => kind === 'tool' && state === 'started') ?? false;
}

function setAction(machine: ChatMachine, actionId: string, state: ActionState, pending?: PendingInput): ChatMachine {
  if (machine.step === null) return machine;
  const more = pending === undefined ? {} : { pending };
  const actions = machine.step.actions.map((action) =>
    action.id === actionId ? { ...action, state, ...more } : action,
  );
  return { ...machine, step: { ...machine.step, actions } };
}

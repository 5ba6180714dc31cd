import { askNeed, needNotices, noteRecords } from '@aish/actions';
import type { ExchangeEnd, Trouble } from '@aish/contracts/chat';
import { noticeTurn } from '@aish/prompt';
import { knownReadOnly } from '@aish/safety';
import { pendingNeed, closeEverything, type SessionPolicy, type SessionStep, type Stop } from '../session.js';
import type { ChatAdvance, ChatRecord } from './events.js';
import type { ChatMachine } from './state.js';

/** Tells the model that no more tool calls are allowed until a person writes. */
export const depthTurn = noticeTurn('[aish] tool-call depth limit reached');

/**
 * The policy of chats. A person is present, so the model's questions go directly to them, and they see what they
 * approve.
 */
export const CHAT_POLICY: SessionPolicy<ChatMachine, ChatRecord> = {
  of: 'chat',
  questionOf: ({ kind }) => kind,
  halt: (machine) => ({ machine: { ...machine, state: 'deciding' }, records: [] }),
  release: (machine) => ({ machine: { ...machine, state: 'running' }, records: [] }),
  // A person is present, so the exchange stays open until that person stops it.
  wait: (machine, action) => ({ machine, records: [], effect: { type: 'recover', action } }),
  approvedTurn: null,
  mayBeAsked: ({ state }) => state === 'deciding',
  nextStep: nextRound,
  finish,
  abort: abortExchange,
  orElse: 'Do something else, or say what keeps you from it.',
};

function finish(machine: ChatMachine, step: SessionStep, records: readonly ChatRecord[]): ChatAdvance {
  if (step.goalLine?.kind === 'need') return askNeed(machine, step.goalLine.need, records, CHAT_POLICY);
  const goesOn = machine.autoContinue || machine.trust === 'undoable' || (machine.readsGoOn && hasOnlyRead(step));
  const asksAgain = step.actions.some(({ kind }) => kind === 'tool') || (goesOn && step.actions.length > 0);
  return asksAgain ? nextRound(machine, records) : endExchange(machine, 'answered', null, '', records);
}

function nextRound(machine: ChatMachine, records: readonly ChatRecord[]): ChatAdvance {
  if (machine.rounds >= machine.maxRounds) {
    const notice: ChatRecord = { type: 'appendTurn', ...depthTurn };
    return endExchange(machine, 'depth', null, '', [...records, notice]);
  }
  return startStep(machine, records);
}

/** Whether the step ran only read-only commands. The person then has nothing to check before the model continues. */
function hasOnlyRead({ actions }: SessionStep): boolean {
  return actions.every((each) => each.kind === 'command' && each.state === 'finished' && knownReadOnly(each.command));
}

export function startStep(machine: ChatMachine, records: readonly ChatRecord[]): ChatAdvance {
  const n = (machine.step?.n ?? 0) + 1;
  return {
    machine: {
      ...machine,
      state: 'running',
      rounds: machine.rounds + 1,
      step: { n, answered: false, goalLine: null, actions: [] },
    },
    records: [...records, { type: 'startStep', n }],
    effect: { type: 'ask' },
  };
}

/**
 * Ends the exchange because a person gave the verdict `abort`. The model reads the person's reason with their next
 * message.
 */
function abortExchange(machine: ChatMachine, { by, message }: Stop): ChatAdvance {
  return endExchange(machine, 'stopped', null, `stopped by ${by}`, noteRecords(message, true));
}

/** Ends the exchange. No action stays open, and every tool call gets a result. */
export function endExchange(
  machine: ChatMachine,
  end: ExchangeEnd,
  trouble: Trouble | null,
  why: string,
  records: readonly ChatRecord[],
): ChatAdvance {
  const need = pendingNeed(machine, CHAT_POLICY);
  const idle: ChatMachine = { ...machine, state: 'idle' };
  const closed = closeEverything(machine, idle, why, CHAT_POLICY);
  return {
    machine: closed.machine,
    records: [
      ...records,
      ...(need === null ? [] : needNotices(need, { access: null, message: null })),
      ...closed.records,
      { type: 'endExchange', end, trouble },
    ],
    effect: null,
  };
}

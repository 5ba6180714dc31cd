import { closed, headOf, isCalling, next } from '@aish/actions';
import type { ExchangeEnd, Trouble } from '@aish/contracts/chat';
import type { ChatAdvance, ChatRecord } from './events.js';
import { CHAT_POLICY } from './policy.js';
import type { ChatMachine } from './state.js';

/** Source: Phase 2 manifest, section 5. */
export const DEPTH_NOTICE = '[aish] tool-call depth limit reached';

/** Goes on until there is something to do in the world. */
export function goOn(machine: ChatMachine, records: readonly ChatRecord[]): ChatAdvance {
  const { step } = machine;
  if (step === null) return startStep(machine, records);
  if (!step.answered) return { machine, records, effect: { type: 'ask' } };
  const head = headOf(machine);
  if (head !== undefined) return next(machine, head, records, CHAT_POLICY);
  const goesOn = machine.autoContinue || machine.trust === 'undoable';
  const asksAgain = step.actions.some(({ kind }) => kind === 'tool') || (goesOn && step.actions.length > 0);
  if (!asksAgain) return endExchange(machine, 'answered', null, '', records);
  if (machine.rounds >= machine.maxRounds) {
    const notice: ChatRecord = { type: 'appendTurn', role: 'notice', content: DEPTH_NOTICE };
    return endExchange(machine, 'depth', null, '', [...records, notice]);
  }
  return startStep(machine, records);
}

export function startStep(machine: ChatMachine, records: readonly ChatRecord[]): ChatAdvance {
  const n = (machine.step?.n ?? 0) + 1;
  return {
    machine: { ...machine, state: 'running', rounds: machine.rounds + 1, step: { n, answered: false, actions: [] } },
    records: [...records, { type: 'startStep', n }],
    effect: { type: 'ask' },
  };
}

/** Ends the exchange; no action is left open, and every tool call has a result. */
export function endExchange(
  machine: ChatMachine,
  end: ExchangeEnd,
  trouble: Trouble | null,
  why: string,
  records: readonly ChatRecord[],
): ChatAdvance {
  const idle: ChatMachine = { ...machine, state: 'idle' };
  const all = closed(idle, why);
  const isAsking = machine.state === 'deciding' || isCalling(machine);
  return {
    machine: all.machine,
    records: [
      ...records,
      ...all.records,
      ...(isAsking ? [{ type: 'withdrawDecisions' } as const] : []),
      { type: 'endExchange', end, trouble },
    ],
    effect: null,
  };
}

import { askNeed, closed, headOf, isCalling, needTold, next, noted, nothing } from '@aish/actions';
import type { ExchangeEnd, Trouble } from '@aish/contracts/chat';
import type { Need } from '@aish/contracts/needs';
import { noticeTurn } from '@aish/conversation';
import { knownReadOnly } from '@aish/safety';
import type { ChatAdvance, ChatEvent, ChatRecord } from './events.js';
import { CHAT_POLICY } from './policy.js';
import type { ChatMachine, ChatStep } from './state.js';

/** Source: Phase 2 manifest, section 5. */
export const depthTurn = noticeTurn('[aish] tool-call depth limit reached');

/** Goes on until there is something to do in the world. */
export function goOn(machine: ChatMachine, records: readonly ChatRecord[]): ChatAdvance {
  const { step } = machine;
  if (step === null) return startStep(machine, records);
  if (!step.answered) return { machine, records, effect: { type: 'ask' } };
  const head = headOf(machine);
  if (head !== undefined) return next(machine, head, records, CHAT_POLICY);
  if (step.need !== null) return askNeed(machine, step.need, records, CHAT_POLICY);
  const goesOn = machine.autoContinue || machine.trust === 'undoable' || (machine.readsGoOn && hasOnlyRead(step));
  const asksAgain = step.actions.some(({ kind }) => kind === 'tool') || (goesOn && step.actions.length > 0);
  if (!asksAgain) return endExchange(machine, 'answered', null, '', records);
  return nextRound(machine, records);
}

/** A person's answer to what the model needs to reach. It is written by whoever gives it: the driver goes on afterwards. */
export function needDecided(machine: ChatMachine, event: Extract<ChatEvent, { type: 'needDecided' }>): ChatAdvance {
  const need = askedNeed(machine);
  if (need === null) return nothing(machine);
  if (event.verdict === 'abort') return abortExchange(machine, event);
  return { ...nextRound(machine, needTold(need, event)), effect: null };
}

/** What a person has been asked for and has not answered. */
function askedNeed(machine: ChatMachine): Need | null {
  return machine.state === 'deciding' && headOf(machine) === undefined ? (machine.step?.need ?? null) : null;
}

function nextRound(machine: ChatMachine, records: readonly ChatRecord[]): ChatAdvance {
  if (machine.rounds >= machine.maxRounds) {
    const notice: ChatRecord = { type: 'appendTurn', ...depthTurn };
    return endExchange(machine, 'depth', null, '', [...records, notice]);
  }
  return startStep(machine, records);
}

/** Whether it ran commands and each of them did nothing but read: the person has nothing to look at before the model does. */
function hasOnlyRead({ actions }: ChatStep): boolean {
  return actions.every((each) => each.kind === 'command' && each.state === 'finished' && knownReadOnly(each.command));
}

export function startStep(machine: ChatMachine, records: readonly ChatRecord[]): ChatAdvance {
  const n = (machine.step?.n ?? 0) + 1;
  return {
    machine: {
      ...machine,
      state: 'running',
      rounds: machine.rounds + 1,
      step: { n, answered: false, need: null, actions: [] },
    },
    records: [...records, { type: 'startStep', n }],
    effect: { type: 'ask' },
  };
}

/** A person ends the exchange instead of letting it go on; the model reads what they say with their next message. */
export function abortExchange(
  machine: ChatMachine,
  { by, message }: { readonly by: string; readonly message: string | null },
): ChatAdvance {
  return endExchange(machine, 'stopped', null, `stopped by ${by}`, noted(message, true));
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
  const need = askedNeed(machine);
  return {
    machine: all.machine,
    records: [
      ...records,
      ...all.records,
      ...(need === null ? [] : needTold(need, { reach: null, message: null })),
      ...(isAsking ? [{ type: 'withdrawDecisions' } as const] : []),
      { type: 'endExchange', end, trouble },
    ],
    effect: null,
  };
}

import type { ExchangeEnd, Trouble } from '@aish/contracts';
import { skippedTurn } from '@aish/conversation';
import { nothing, type ChatAdvance, type ChatRecord } from './events.js';
import { ENDED, isCalling, setAction, type ChatAction, type ChatMachine } from './state.js';
import { lostText, textOf, told } from './told.js';

/** Source: Phase 2 manifest, section 5. */
export const DEPTH_NOTICE = '[aish] tool-call depth limit reached';
const UNANSWERED = 'The call asked a question that nobody answered, so it did not end its work';

/** Goes on until there is something to do in the world. */
export function goOn(machine: ChatMachine, records: readonly ChatRecord[]): ChatAdvance {
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

export function startStep(machine: ChatMachine, records: readonly ChatRecord[]): ChatAdvance {
  const n = (machine.step?.n ?? 0) + 1;
  return {
    machine: { ...machine, state: 'running', rounds: machine.rounds + 1, step: { n, answered: false, actions: [] } },
    records: [...records, { type: 'startStep', n }],
    act: { type: 'ask' },
  };
}

/** `started` is committed before anything runs, so that a crash can never make it happen twice. */
export function begin(machine: ChatMachine, action: ChatAction, records: readonly ChatRecord[]): ChatAdvance {
  return {
    machine: setAction(machine, action.id, 'started'),
    records: [...records, { type: 'setAction', actionId: action.id, state: 'started' }],
    act: { type: 'run', action: { ...action, state: 'started' } },
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

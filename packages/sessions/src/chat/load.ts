import { loadRecent, loadStep } from '@aish/actions';
import { ChatState } from '@aish/contracts/chat';
import type { ChatRow } from '@aish/database/chats.repository';
import { NeedLine } from '@aish/contracts/needs';
import type { Tx } from '@aish/database/tx';
import { Trust, trustUpTo } from '@aish/contracts/trust';
import type { ChatMachine } from '../machine/chat/state.js';
import type { ChatSettings } from './chat-ports.js';

type ChatBounds = Pick<ChatSettings, 'maxToolDepth' | 'maxChatSteps' | 'trustMax' | 'readsGoOn'>;

/** The machine of a chat as its rows have it. */
export async function loadChat(tx: Tx, row: ChatRow, bounds: ChatBounds): Promise<ChatMachine> {
  const step = await loadStep(tx, row.session_id);
  if (step === null) return machineOf(row, bounds);
  const { n, answered, goalLine, actions } = step;
  const line = NeedLine.safeParse(goalLine);
  // What was done for an earlier message is no repetition: a person asked for it again.
  const recent = await loadRecent(tx, row.session_id, n - row.rounds + 1);
  return {
    ...machineOf(row, bounds),
    recent,
    step: { n, answered, goalLine: line.success ? line.data : null, actions },
  };
}

/** The machine of a chat whose newest step has just begun. */
export function machineAtStart(row: ChatRow, step: number, bounds: ChatBounds): ChatMachine {
  return { ...machineOf(row, bounds), step: { n: step, answered: false, goalLine: null, actions: [] } };
}

function machineOf(row: ChatRow, bounds: ChatBounds): ChatMachine {
  const trust = trustUpTo(bounds.trustMax, Trust.parse(row.trust));
  return {
    state: ChatState.parse(row.state),
    exchange: row.exchange,
    rounds: row.rounds,
    maxRounds: trust === 'undoable' ? Math.max(bounds.maxToolDepth, bounds.maxChatSteps) : bounds.maxToolDepth,
    autoContinue: row.auto_continue,
    readsGoOn: bounds.readsGoOn,
    confirmCommands: row.confirm_commands,
    trust,
    recent: [],
    step: null,
  };
}

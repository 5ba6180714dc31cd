import { loadRecent, loadStep } from '@aish/actions';
import { ChatState } from '@aish/contracts/chat';
import type { ChatRow } from '@aish/database/chats.repository';
import type { Tx } from '@aish/database/tx';
import type { ChatMachine } from './machine/state.js';

/** The machine of a chat as its rows have it. */
export async function loadChat(tx: Tx, row: ChatRow, maxRounds: number): Promise<ChatMachine> {
  const step = await loadStep(tx, row.session_id);
  if (step === null) return machineOf(row, maxRounds);
  const { n, answered, actions } = step;
  // What was done for an earlier message is no repetition: a person asked for it again.
  const recent = await loadRecent(tx, row.session_id, n - row.rounds + 1);
  return { ...machineOf(row, maxRounds), recent, step: { n, answered, actions } };
}

/** The machine of a chat whose newest step has just begun. */
export function machineAtStart(row: ChatRow, step: number, maxRounds: number): ChatMachine {
  return { ...machineOf(row, maxRounds), step: { n: step, answered: false, actions: [] } };
}

function machineOf(row: ChatRow, maxRounds: number): ChatMachine {
  return {
    state: ChatState.parse(row.state),
    exchange: row.exchange,
    rounds: row.rounds,
    maxRounds,
    autoContinue: row.auto_continue,
    confirmCommands: row.confirm_commands,
    recent: [],
    step: null,
  };
}

import { ActionState, ChatState } from '@aish/contracts';
import { newestStep, pendingOf, toActionRequest, type ChatRow, type Tx } from '@aish/database';
import { z } from 'zod';
import { MAX_ROUNDS } from './machine/advance.js';
import type { ChatMachine } from './machine/state.js';

const Calls = z.array(z.string());

/** The machine of a chat as its rows have it. */
export async function loadChat(tx: Tx, row: ChatRow): Promise<ChatMachine> {
  const newest = await newestStep(tx, row.session_id);
  return {
    ...machineOf(row),
    step:
      newest === null
        ? null
        : {
            n: newest.step.n,
            answered: newest.step.answered_at !== null,
            actions: newest.actions.map((action) => {
              const pending = pendingOf(action);
              return {
                ...toActionRequest(action),
                id: action.id,
                state: ActionState.parse(action.state),
                ...(pending === null ? {} : { pending }),
              };
            }),
          },
  };
}

/** The machine of a chat whose newest step has just begun. */
export function machineAtStart(row: ChatRow, step: number): ChatMachine {
  return { ...machineOf(row), step: { n: step, answered: false, actions: [] } };
}

function machineOf(row: ChatRow): Omit<ChatMachine, 'step'> {
  return {
    state: ChatState.parse(row.state),
    exchange: row.exchange,
    rounds: row.rounds,
    maxRounds: MAX_ROUNDS,
    autoContinue: row.auto_continue,
    confirmCommands: row.confirm_commands,
    calls: Calls.parse(row.calls),
  };
}

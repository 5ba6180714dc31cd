import type { LifePolicy } from '@aish/actions';
import type { ChatRecord } from './events.js';
import type { ChatMachine } from './state.js';

/** In a chat a person is there: they are asked as by the model, and see by themselves what they let through. */
export const CHAT_POLICY: LifePolicy<ChatMachine, ChatRecord> = {
  of: 'chat',
  questionOf: ({ kind }) => kind,
  halt: (machine) => ({ machine: { ...machine, state: 'deciding' }, records: [] }),
  release: (machine) => ({ machine: { ...machine, state: 'running' }, records: [] }),
  // A person is there: the exchange stays open for as long as they do not stop it.
  wait: (machine, action) => ({ machine, records: [], effect: { type: 'recover', action } }),
  approvedTurn: null,
  orElse: 'Do something else, or say what keeps you from it.',
};

import type { ActionEvent, ActionRecord, Advance, Killed } from '@aish/actions';
import type { ExchangeEnd, Trouble } from '@aish/contracts/chat';
import type { Answered, ChatMachine } from './state.js';

/** What happened. A decision depends only on these events and the state, never on a clock or on chance. */
export type ChatEvent =
  | ActionEvent
  /** A driver has the chat: after a verdict, or after a crash. `draft`: what had come of an answer then. */
  | {
      readonly type: 'taken';
      readonly draft: { readonly text: string; readonly reasoning: string };
      readonly preset: string;
    }
  | { readonly type: 'answered'; readonly answer: Answered }
  /** A person stops the exchange, and with it what runs. */
  | ({ readonly type: 'stopped'; readonly by: string } & Killed)
  /** A person sends a new message while a question is open: it stands answered by that. */
  | { readonly type: 'overtaken'; readonly by: string };

/** What to write, all of it in the one transaction of its event. */
export type ChatRecord = ActionRecord | OwnChatRecord;

/** Those that no goal has. */
export type OwnChatRecord =
  | { readonly type: 'startStep'; readonly n: number }
  | { readonly type: 'answerStep'; readonly n: number; readonly answer: Answered }
  | { readonly type: 'endExchange'; readonly end: ExchangeEnd; readonly trouble: Trouble | null };

export type ChatAdvance = Advance<ChatMachine, ChatRecord>;

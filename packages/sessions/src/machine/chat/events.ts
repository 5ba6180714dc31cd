import type { ActionEvent, ActionRecord, Advance, Killed } from '@aish/actions';
import type { ExchangeEnd, Trouble } from '@aish/contracts/chat';
import type { Answered, ChatMachine } from './state.js';

/** An event of a chat. A decision depends only on these events and the state, never on a clock or on chance. */
export type ChatEvent =
  | ActionEvent
  /** A runner takes the chat, after a verdict or after a crash. `draft` is the partial answer at that time. */
  | {
      readonly type: 'taken';
      readonly draft: { readonly text: string; readonly reasoning: string };
      readonly preset: string;
    }
  | { readonly type: 'answered'; readonly answer: Answered }
  /** A person stops the exchange and the commands that run in it. */
  | ({ readonly type: 'stopped'; readonly by: string } & Killed)
  /** A person sends a new message while a decision is open. The message answers the decision. */
  | { readonly type: 'overtaken'; readonly by: string };

/** The records to write. All of them are written in the transaction of their event. */
export type ChatRecord = ActionRecord | OwnChatRecord;

/** The records that only a chat has. */
export type OwnChatRecord =
  | { readonly type: 'startStep'; readonly n: number }
  | { readonly type: 'answerStep'; readonly n: number; readonly answer: Answered }
  | { readonly type: 'endExchange'; readonly end: ExchangeEnd; readonly trouble: Trouble | null };

export type ChatAdvance = Advance<ChatMachine, ChatRecord>;

import type { Broker } from '@aish/broker';
import type { LiveBody, SessionEvent } from '@aish/contracts/events';
import type { ToolContext } from '@aish/contracts/tools';
import type { ToldBackground } from '@aish/database/memory-items.repository';
import type { SessionPorts, SessionSettings } from '../ports.js';

/** Receives the events of a chat. It must not throw, and the chat does not wait for it. */
export interface Outlet {
  events(sessionId: string, events: readonly SessionEvent[]): void;
  live(sessionId: string, body: LiveBody): void;
}

/**
 * Returns the `[background]` block with the owner's memory, or null. Must be quick; may fail.
 * @param told what it was told before, null for nothing; left out where that is to be looked up.
 */
export type Background = (told?: ToldBackground | null) => Promise<string | null>;

export interface ChatPorts extends SessionPorts {
  readonly broker: Broker;
  readonly outlet: Outlet;
  /**
   * Begins to look up what a session may be told. `message` is what the person says now: a session's first one may choose
   * what is told.
   */
  readonly background: (context: ToolContext, message: string | null) => Background;
  readonly onError: (error: unknown, what: string) => void;
}

/** How long the driver of a chat waits, milliseconds. */
export interface ChatWaits {
  /** How long a chat is silent before its driver may be dead. */
  readonly orphanedAfterMs: number;
  /** Until a driver takes the lock of its chat: most answers have ended before. */
  readonly lockAfterMs: number;
  /** Until an unavailable sandbox is asked again, at first and at most. */
  readonly retryMinMs: number;
  readonly retryMaxMs: number;
}

export const CHAT_WAITS: ChatWaits = {
  orphanedAfterMs: 5_000,
  lockAfterMs: 1_000,
  retryMinMs: 500,
  retryMaxMs: 5_000,
};

export interface ChatSettings extends SessionSettings {
  readonly waits?: ChatWaits;
  /** How the conversation about a goal that has ended goes on. */
  readonly followUps: { readonly autoContinue: boolean; readonly confirmCommands: boolean };
  /** Answers to one message, one after the other. */
  readonly maxToolDepth: number;
  /** The same where a chat is trusted with what is undoable. */
  readonly maxChatSteps: number;
  /** Whether a chat that asks about commands asks about those that only read, too. */
  readonly confirmReads: boolean;
  /** Whether the model goes on by itself after commands that only read, in chats that do not go on after each. */
  readonly readsGoOn: boolean;
}

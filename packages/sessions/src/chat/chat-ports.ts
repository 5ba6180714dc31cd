import type { Broker } from '@aish/broker';
import type { LiveBody, SessionEvent } from '@aish/contracts/events';
import type { ToolContext } from '@aish/contracts/tools';
import type { ShownBackground } from '@aish/database/memory-items.repository';
import type { SessionPorts, SessionSettings } from '../ports.js';

/** Receives the events of a chat. It must not throw, and the chat does not wait for it. */
export interface ChatListener {
  events(sessionId: string, events: readonly SessionEvent[]): void;
  live(sessionId: string, body: LiveBody): void;
}

/**
 * Returns the `[background]` block with the owner's memory, or null. It must be quick and may fail.
 *
 * @param shown the block that the session got before, or null for none. If it is omitted, the block is looked up.
 */
export type Background = (shown?: ShownBackground | null) => Promise<string | null>;

export interface ChatPorts extends SessionPorts {
  readonly broker: Broker;
  readonly outlet: ChatListener;
  /**
   * Starts to look up the memory for a session. `message` is the person's new message. The first message of a session
   * can affect which memory is chosen.
   */
  readonly background: (context: ToolContext, message: string | null) => Background;
  readonly onError: (error: unknown, what: string) => void;
}

/** How long the runner of a chat waits, in milliseconds. */
export interface ChatWaits {
  /** The time of silence after which the runner of a chat may be dead. */
  readonly orphanedAfterMs: number;
  /** How long a runner works before it takes the lock of its chat. Most answers end before that. */
  readonly lockAfterMs: number;
  /** The shortest and longest delay before an unavailable sandbox is retried. */
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
  /** How the conversation about an ended goal continues. */
  readonly followUps: { readonly autoContinue: boolean; readonly confirmCommands: boolean };
  /** The maximum number of answers to one message. */
  readonly maxToolDepth: number;
  /** The maximum number of answers to one message in a chat that may run undoable commands. */
  readonly maxChatSteps: number;
  /** Whether a chat that asks before commands also asks before read-only commands. */
  readonly confirmReads: boolean;
  /**
   * Whether the model continues by itself after read-only commands, in chats that do not continue after every command.
   */
  readonly readsGoOn: boolean;
}

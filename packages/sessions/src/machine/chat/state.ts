import type { NewAction, RecentAction } from '@aish/actions';
import type { AnswerEnd, ChatState, Trouble } from '@aish/contracts/chat';
import type { Usage } from '@aish/contracts/goals';
import type { ToolCall } from '@aish/contracts/tools';
import type { Trust } from '@aish/contracts/trust';
import type { CutAnswer, GoalLine } from '@aish/prompt';
import type { SessionMachine, SessionStep } from '../session.js';

/** A chat as the machine sees it. */
export interface ChatMachine extends SessionMachine {
  readonly state: ChatState;
  readonly exchange: number;
  /** The number of requests to the model in this exchange, including the current one. */
  readonly rounds: number;
  readonly maxRounds: number;
  readonly autoContinue: boolean;
  /** Whether the model continues by itself after read-only commands. */
  readonly readsGoOn: boolean;
  readonly confirmCommands: boolean;
  /** With `undoable`, the model continues by itself after each command. */
  readonly trust: Trust;
  /** The newest actions of this exchange and their results, oldest first. */
  readonly recent: readonly RecentAction[];
  /** The newest step. */
  readonly step: SessionStep | null;
}

/** An answer of the model, or an error instead of an answer. */
export interface Answered {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  readonly actions: readonly NewAction[];
  /** The line about the session. In a chat, only a need counts. */
  readonly goalLine: GoalLine | null;
  readonly end: AnswerEnd;
  readonly preset: string;
  readonly fallbackFrom: string | null;
  readonly model: string | null;
  readonly usage: Usage | null;
  readonly firstWordMs: number | null;
  readonly totalMs: number;
  readonly notes: readonly string[];
  readonly isSchemaEcho: boolean;
  /** Why the answer is incomplete or useless. */
  readonly cut?: CutAnswer | null;
  /** Why the answer is incomplete. */
  readonly trouble: Trouble | null;
}

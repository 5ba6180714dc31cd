import type { NewAction, Recent } from '@aish/actions';
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
  /** Round trips with the model in this exchange, the one under way included. */
  readonly rounds: number;
  readonly maxRounds: number;
  readonly autoContinue: boolean;
  /** Whether the model goes on by itself after commands that only read. */
  readonly readsGoOn: boolean;
  readonly confirmCommands: boolean;
  /** With `undoable` the model goes on by itself after each command. */
  readonly trust: Trust;
  /** The newest actions of this exchange and what came of them, oldest first. */
  readonly recent: readonly Recent[];
  /** The newest step. */
  readonly step: SessionStep | null;
}

/** An answer of the model, or what came of it. */
export interface Answered {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  readonly actions: readonly NewAction[];
  /** Of a chat only what it needs to reach counts. */
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
  /** Why it is not all that its model wrote, or not enough. */
  readonly cut?: CutAnswer | null;
  /** Why it is not whole. */
  readonly trouble: Trouble | null;
}

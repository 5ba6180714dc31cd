import type { ActionKind, RunOutcome } from '@aish/contracts/actions';
import type { AnswerEnd, LiveProgress } from '@aish/contracts/chat';
import type { Effects } from '@aish/contracts/effects';
import type { DecisionKind, GrantScope, Verdict } from '@aish/contracts/decisions';
import type { GoalState, Usage } from '@aish/contracts/goals';
import type { Classification } from '@aish/contracts/safety';
import type { ToolResult } from '@aish/contracts/tools';
import type { ToolNews } from './tool-news.format.js';

/** A session up to now: its events, plus the live text. */
export interface Timeline {
  readonly entries: readonly Entry[];
  /** The number of entries dropped from the beginning to stay within the limits. */
  readonly dropped: number;
}

export type Entry =
  | GoalEntry
  | StepEntry
  | ActionEntry
  | OwnEntry
  | WaitEntry
  | NoteEntry
  | EndEntry
  | MessageEntry
  | AnswerEntry
  | TroubleEntry;

/** A person's change to a goal, or a notice to its model. */
export interface NoteEntry {
  readonly type: 'note';
  readonly text: string;
}

export interface GoalEntry {
  readonly type: 'goal';
  readonly number: number;
  readonly text: string;
  readonly preset: string;
  readonly stepBudget: number;
  readonly at: string;
}

/** The times when a thought was seen to begin and last grew. Stored answers have no such times. */
export interface Thinking {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The commands shown below a model's text. The text need not repeat them. */
interface Acted {
  readonly commands?: readonly string[];
}

export interface StepEntry extends Acted {
  readonly type: 'step';
  readonly n: number;
  readonly stepBudget: number | null;
  /** The model's thoughts before its text; absent if unknown. */
  readonly reasoning?: string;
  /** Notes about the answer. */
  readonly notes?: readonly string[];
  readonly text: string;
  readonly isStreaming: boolean;
  readonly usage: Usage | null;
  readonly thinking?: Thinking;
  /** The activity of the model while its answer is awaited. */
  readonly progress?: LiveProgress | null;
}

export interface ActionEntry {
  readonly type: 'action';
  readonly actionId: string;
  readonly kind: ActionKind;
  /** The command, or a tool's label and arguments. */
  readonly command: string;
  /** The action that the model proposed, if a person had another one run. */
  readonly proposed?: string;
  /** The person who undid the action. */
  readonly undoneBy?: string;
  readonly state: 'pending' | 'running' | 'left' | 'finished' | 'skipped' | 'lost';
  readonly classification: Classification | null;
  readonly halt: Halt | null;
  /** Raw output, limited to the newest `OUTPUT_MAX_CHARS`. */
  readonly output: string;
  /** The progress and log of a tool during its call. */
  readonly news?: readonly ToolNews[];
  readonly outcome: RunOutcome | null;
  readonly result: ToolResult | null;
  readonly reason: string | null;
}

/** A command that a person ran. */
export interface OwnEntry {
  readonly type: 'own';
  readonly commandId: string;
  readonly command: string;
  readonly by: string;
  readonly state: 'running' | 'ended' | 'lost';
  readonly output: string;
  readonly outcome: RunOutcome | null;
  /** Why it did not run. */
  readonly reason: string | null;
}

/** The decision that stops an action, and its answer if there is one. */
export interface Halt {
  readonly decisionId: string;
  readonly number: number;
  readonly kind: DecisionKind;
  readonly reason: string;
  readonly answer: HaltAnswer | null;
}

export type HaltAnswer =
  | 'withdrawn'
  | {
      readonly verdict: Verdict;
      readonly by: string;
      readonly message: string | null;
      readonly edited: string | null;
      readonly granted: GrantScope | null;
      readonly carried: boolean;
    };

export interface WaitEntry {
  readonly type: 'wait';
  readonly for: string;
  readonly reason: string;
}

export interface EndEntry {
  readonly type: 'end';
  readonly state: GoalState;
  readonly text: string;
  /** The total changes of the goal's commands, as far as the timeline contains them. */
  readonly effects: Effects | null;
  readonly at: string;
}

/** A person's message in a chat. */
export interface MessageEntry {
  readonly type: 'message';
  readonly exchange: number;
  readonly text: string;
  readonly by: string;
}

/** The model's answer in a chat, as far as it has arrived. */
export interface AnswerEntry extends Acted {
  readonly type: 'answer';
  readonly exchange: number;
  readonly step: number;
  readonly preset: string;
  readonly fallbackFrom: string | null;
  readonly text: string;
  readonly reasoning: string;
  readonly thinking?: Thinking;
  readonly isStreaming: boolean;
  /** The activity of the model while its answer is awaited. */
  readonly progress?: LiveProgress | null;
  /** Why the model is asked again, or the tool that it calls. */
  readonly doing: string | null;
  readonly end: AnswerEnd | null;
  readonly model: string | null;
  readonly usage: Usage | null;
  readonly totalMs: number | null;
  readonly notes: readonly string[];
}

/** A problem with the exchange that a person should know about. */
export interface TroubleEntry {
  readonly type: 'trouble';
  readonly text: string;
  readonly isBad: boolean;
}

export const emptyTimeline: Timeline = { entries: [], dropped: 0 };

/** Maximum number of entries in the timeline. The api has all of them (`aish show`). */
export const MAX_ENTRIES = 4_000;
export const TEXT_MAX_CHARS = 32_768;
export const OUTPUT_MAX_CHARS = 16_384;
/** Maximum number of a tool's log lines during a call. */
export const NEWS_MAX = 20;

export function push(timeline: Timeline, entry: Entry): Timeline {
  const entries = [...timeline.entries, entry];
  const excess = Math.max(0, entries.length - MAX_ENTRIES);
  return { entries: entries.slice(excess), dropped: timeline.dropped + excess };
}

/** Replaces an entry. Entries change at the end of the timeline, so the search starts there. */
export function replace(timeline: Timeline, old: Entry, entry: Entry): Timeline {
  const at = timeline.entries.lastIndexOf(old);
  return { ...timeline, entries: timeline.entries.with(at, entry) };
}

export function head(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}\n…`;
}

/** Whether a growing text ends inside a thought. */
export function endsInThought(text: string): boolean {
  return text.lastIndexOf('<think') > text.lastIndexOf('</think');
}

/** Removes progress that is outdated, because it is from before the text. */
export function untilNews({ progress }: Pick<StepEntry, 'progress'>): Pick<StepEntry, 'progress'> {
  return progress === undefined || progress?.phase === 'writes' ? {} : { progress: null };
}

/** Updates how long a thought has been visible, after more text arrived. Returns nothing without a clock. */
export function thinkingAfter(
  before: Thinking | undefined,
  isThinking: boolean,
  nowMs: number | undefined,
): { readonly thinking?: Thinking } {
  if (!isThinking || nowMs === undefined) return {};
  return { thinking: { fromMs: before?.fromMs ?? nowMs, toMs: nowMs } };
}

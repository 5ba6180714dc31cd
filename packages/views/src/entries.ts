import type { ActionKind, RunOutcome } from '@aish/contracts/actions';
import type { AnswerEnd, LiveProgress } from '@aish/contracts/chat';
import type { Effects } from '@aish/contracts/effects';
import type { DecisionKind, GrantScope, Verdict } from '@aish/contracts/decisions';
import type { GoalState, Usage } from '@aish/contracts/goals';
import type { Classification } from '@aish/contracts/safety';
import type { ToolResult } from '@aish/contracts/tools';
import type { ToolNews } from './tool-news.format.js';

/** What a goal's session looks like so far: what the events said, plus what is being written right now. */
export interface Timeline {
  readonly entries: readonly Entry[];
  /** Entries at the beginning that were dropped to stay within bounds. */
  readonly dropped: number;
}

export type Entry =
  | GoalEntry
  | StepEntry
  | ActionEntry
  | WaitEntry
  | NoteEntry
  | EndEntry
  | MessageEntry
  | AnswerEntry
  | TroubleEntry;

/** What a person did to a goal, or aish told its model. */
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

/** When a thought was seen to begin and to grow last; of stored answers nobody knows. */
export interface Thinking {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The commands that stand below what a model wrote, so that they need not stand in it, too. */
interface Acted {
  readonly commands?: readonly string[];
}

export interface StepEntry extends Acted {
  readonly type: 'step';
  readonly n: number;
  readonly stepBudget: number | null;
  /** What the model thought before it wrote; absent where nothing is known of that. */
  readonly reasoning?: string;
  /** What was noticed about the answer. */
  readonly notes?: readonly string[];
  readonly text: string;
  readonly isStreaming: boolean;
  readonly usage: Usage | null;
  readonly thinking?: Thinking;
  /** What the model does, while it is asked. */
  readonly progress?: LiveProgress | null;
}

export interface ActionEntry {
  readonly type: 'action';
  readonly actionId: string;
  readonly kind: ActionKind;
  /** The command, or a tool's label and arguments. */
  readonly command: string;
  readonly state: 'pending' | 'running' | 'finished' | 'skipped' | 'lost';
  readonly classification: Classification | null;
  readonly halt: Halt | null;
  /** As it came, uncleaned; the newest `OUTPUT_MAX_CHARS`. */
  readonly output: string;
  /** What a tool said of itself while it was called. */
  readonly news?: readonly ToolNews[];
  readonly outcome: RunOutcome | null;
  readonly result: ToolResult | null;
  readonly reason: string | null;
}

/** The question that stops an action, and its answer when there is one. */
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
  /** What its commands did in all, as far as the timeline has them. */
  readonly effects: Effects | null;
  readonly at: string;
}

/** What a person said in a chat. */
export interface MessageEntry {
  readonly type: 'message';
  readonly exchange: number;
  readonly text: string;
  readonly by: string;
}

/** What the model said in a chat, as far as it has come. */
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
  /** What the model does, while it is asked. */
  readonly progress?: LiveProgress | null;
  /** Why it is asked again, or what it calls. */
  readonly doing: string | null;
  readonly end: AnswerEnd | null;
  readonly model: string | null;
  readonly usage: Usage | null;
  readonly totalMs: number | null;
  readonly notes: readonly string[];
}

/** Something that a person should know about the exchange. */
export interface TroubleEntry {
  readonly type: 'trouble';
  readonly text: string;
  readonly isBad: boolean;
}

export const emptyTimeline: Timeline = { entries: [], dropped: 0 };

/** Bounds of what is kept; the api has all of it (`aish show`). */
export const MAX_ENTRIES = 4_000;
export const TEXT_MAX_CHARS = 32_768;
export const OUTPUT_MAX_CHARS = 16_384;
/** Of what a tool logs while it is called. */
export const NEWS_MAX = 20;

export function push(timeline: Timeline, entry: Entry): Timeline {
  const entries = [...timeline.entries, entry];
  const excess = Math.max(0, entries.length - MAX_ENTRIES);
  return { entries: entries.slice(excess), dropped: timeline.dropped + excess };
}

/** Entries change at the end of the timeline, so they are looked for from there. */
export function replace(timeline: Timeline, old: Entry, entry: Entry): Timeline {
  const at = timeline.entries.lastIndexOf(old);
  return { ...timeline, entries: timeline.entries.with(at, entry) };
}

export function head(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}\n…`;
}

/** Whether a text that is being written is in the middle of a thought. */
export function endsInThought(text: string): boolean {
  return text.lastIndexOf('<think') > text.lastIndexOf('</think');
}

/** What the model did before its words came is news no more. */
export function untilNews({ progress }: Pick<StepEntry, 'progress'>): Pick<StepEntry, 'progress'> {
  return progress === undefined || progress?.phase === 'writes' ? {} : { progress: null };
}

/** How long the thought has been seen, after more has come; nothing where no clock was read. */
export function thinkingAfter(
  before: Thinking | undefined,
  isThinking: boolean,
  nowMs: number | undefined,
): { readonly thinking?: Thinking } {
  if (!isThinking || nowMs === undefined) return {};
  return { thinking: { fromMs: before?.fromMs ?? nowMs, toMs: nowMs } };
}

import type {
  Classification,
  Decision,
  Goal,
  LiveBody,
  Model as ModelInfo,
  SafetyRule,
  SessionEvent,
  Verdict,
} from '@aish/contracts';
import type { ApiError } from './api/api.error.js';
import type { Line, Style } from './text/line.js';
import { emptyTimeline, type Timeline } from './timeline/timeline.js';

/** All that the screen shows follows from this. */
export interface Model {
  readonly size: { readonly cols: number; readonly rows: number };
  /** The clock, as of the last message. */
  readonly nowMs: number;
  /** Address of the server, as people say it. */
  readonly server: string;
  readonly connection: Connection;
  /** Null until the first list is here. */
  readonly goals: readonly Goal[] | null;
  /** Id of the goal whose timeline is shown. */
  readonly chosen: string | null;
  /** The session of the chosen goal. */
  readonly followed: string | null;
  /** Those that wait, oldest first. */
  readonly decisions: readonly Decision[];
  readonly models: readonly ModelInfo[];
  /** A list could not be had, so what is shown may be old. */
  readonly isStale: boolean;
  readonly timeline: Timeline;
  /** Why the timeline does not come, if so. */
  readonly timelineTrouble: string | null;
  /** First line of the timeline on the screen; null follows its end. */
  readonly scrollTop: number | null;
  readonly isUnfolded: boolean;
  readonly prompt: Prompt;
  /** Ctrl-X was pressed and the next key completes it. */
  readonly hasPrefix: boolean;
  readonly overlay: Overlay | null;
  /** Decisions that do not open by themselves: the person has put them aside, or has just answered them. */
  readonly aside: readonly string[];
  readonly flash: { readonly text: string; readonly style: Style; readonly untilMs: number } | null;
}

export interface Prompt {
  readonly text: string;
  /** Index into `text`, in UTF-16 code units. */
  readonly cursor: number;
}

export interface Connection {
  readonly state: 'connecting' | 'online' | 'offline' | 'refused';
  readonly detail: string | null;
}

export type Overlay = HelpOverlay | CancelQuestion | HaltDialog;

/** A page over everything: the help, or an answer that was asked for. */
export interface HelpOverlay {
  readonly type: 'help';
  readonly top: number;
  readonly answer?: { readonly title: string; readonly lines: readonly Line[] };
}

export interface CancelQuestion {
  readonly type: 'cancel';
  readonly goalId: string;
  readonly number: number;
}

export interface HaltDialog {
  readonly type: 'halt';
  readonly decision: Decision;
  /** Keys before this moment are taken for ones meant for the prompt; each of them moves it on. */
  readonly deafUntilMs: number;
  /** First line shown, when it does not fit. */
  readonly top: number;
  readonly sending: Verdict | null;
  readonly trouble: string | null;
}

/** What happened. */
export type Msg =
  | { readonly type: 'tick' }
  | { readonly type: 'resized'; readonly cols: number; readonly rows: number }
  /** `key` as in keys.ts; `text` is what it types, or null. */
  | { readonly type: 'key'; readonly key: string; readonly text: string | null }
  | { readonly type: 'pasted'; readonly text: string }
  | { readonly type: 'connected' }
  | { readonly type: 'disconnected'; readonly error: ApiError | null }
  | { readonly type: 'noticed'; readonly types: readonly string[] }
  | { readonly type: 'goalsListed'; readonly goals: readonly Goal[] }
  | { readonly type: 'decisionsListed'; readonly decisions: readonly Decision[] }
  | { readonly type: 'modelsListed'; readonly models: readonly ModelInfo[] }
  | { readonly type: 'listRefused'; readonly error: ApiError }
  | { readonly type: 'goalCreated'; readonly goal: Goal }
  | { readonly type: 'goalRefused'; readonly text: string; readonly error: ApiError }
  | { readonly type: 'goalCancelled'; readonly goal: Goal }
  | { readonly type: 'cancelRefused'; readonly error: ApiError }
  | { readonly type: 'verdictTaken'; readonly decision: Decision }
  | { readonly type: 'verdictRefused'; readonly decisionId: string; readonly error: ApiError }
  /** A decision that no longer waits, looked up to say who answered it. */
  | { readonly type: 'decisionSeen'; readonly decision: Decision }
  | { readonly type: 'safetyRulesListed'; readonly rules: readonly SafetyRule[] }
  | { readonly type: 'safetyChecked'; readonly command: string; readonly classification: Classification }
  | { readonly type: 'safetyRefused'; readonly error: ApiError }
  | { readonly type: 'happened'; readonly sessionId: string; readonly event: SessionEvent }
  | { readonly type: 'live'; readonly sessionId: string; readonly body: LiveBody }
  | { readonly type: 'timelineTrouble'; readonly sessionId: string; readonly text: string | null };

/** What is to be done in the world. Carried out by effects.ts; the answer comes back as a Msg. */
export type Effect =
  | { readonly type: 'listGoals' }
  | { readonly type: 'listDecisions' }
  | { readonly type: 'listModels' }
  | { readonly type: 'createGoal'; readonly text: string }
  | { readonly type: 'cancelGoal'; readonly goalId: string }
  | { readonly type: 'giveVerdict'; readonly decisionId: string; readonly verdict: Verdict }
  | { readonly type: 'seeDecision'; readonly decisionId: string }
  | { readonly type: 'listSafetyRules' }
  | { readonly type: 'checkSafety'; readonly command: string }
  /** Follow this session instead of the one followed so far. */
  | { readonly type: 'followSession'; readonly sessionId: string }
  | { readonly type: 'quit' };

export interface Update {
  readonly model: Model;
  readonly effects: readonly Effect[];
}

/** The model before anything is known. */
export function initialModel(options: {
  readonly server: string;
  readonly cols: number;
  readonly rows: number;
  readonly nowMs: number;
}): Model {
  return {
    size: { cols: options.cols, rows: options.rows },
    nowMs: options.nowMs,
    server: options.server,
    connection: { state: 'connecting', detail: null },
    goals: null,
    chosen: null,
    followed: null,
    decisions: [],
    models: [],
    isStale: false,
    timeline: emptyTimeline,
    timelineTrouble: null,
    scrollTop: null,
    isUnfolded: false,
    prompt: { text: '', cursor: 0 },
    hasPrefix: false,
    overlay: null,
    aside: [],
    flash: null,
  };
}

export function chosenGoal(model: Model): Goal | undefined {
  return model.goals?.find(({ id }) => id === model.chosen);
}

import type { Space } from '@aish/contracts/spaces';
import type { Session } from '@aish/contracts/chat';
import type { Decision, GiveVerdict } from '@aish/contracts/decisions';
import type { LiveBody, SessionEvent } from '@aish/contracts/events';
import type { Goal } from '@aish/contracts/goals';
import type { Grant } from '@aish/contracts/grants';
import type { Model as ModelInfo } from '@aish/contracts/models';
import type { ApiError } from '@aish/client/api.error';
import type { GoalOptions } from '@aish/views/goal.options';
import type { Line, Style } from '@aish/views/line';
import type { Whereabouts } from './kept-terminal.js';
import type { Reload } from './meta/meta-command.js';
import type { PaneId } from './view-id.js';
import type { PagedOutput, Row, Detail, RowAction, CompletionItem, Tried } from './view-state.js';

/** What happened. */
export type Msg =
  | { readonly type: 'tick' }
  | { readonly type: 'resized'; readonly cols: number; readonly rows: number }
  /** `key` as in keys.ts; `text` is what it types, or null. */
  | { readonly type: 'key'; readonly key: string; readonly text: string | null }
  | { readonly type: 'pasted'; readonly text: string }
  /** So long after the key of that moment nothing came that was typed by then. */
  | { readonly type: 'quiet'; readonly atMs: number }
  | { readonly type: 'mouse'; readonly action: 'up' | 'down' | 'click'; readonly x: number; readonly y: number }
  | { readonly type: 'connected' }
  | { readonly type: 'disconnected'; readonly error: ApiError | null }
  | { readonly type: 'versioned'; readonly mismatch: string | null }
  | { readonly type: 'attentionAsked'; readonly attention: string | null }
  | { readonly type: 'noticed'; readonly types: readonly string[] }
  | { readonly type: 'goalsListed'; readonly goals: readonly Goal[] }
  | { readonly type: 'decisionsListed'; readonly decisions: readonly Decision[] }
  | { readonly type: 'modelsListed'; readonly models: readonly ModelInfo[] }
  | { readonly type: 'listRefused'; readonly error: ApiError }
  | { readonly type: 'goalCreated'; readonly goal: Goal }
  | { readonly type: 'goalRefused'; readonly text: string; readonly error: ApiError }
  | { readonly type: 'goalCancelled'; readonly goal: Goal }
  | { readonly type: 'refused'; readonly error: ApiError }
  | { readonly type: 'goalPaused'; readonly goal: Goal }
  | { readonly type: 'grantsListed'; readonly goalId: string; readonly items: readonly Grant[] }
  | { readonly type: 'verdictGiven'; readonly decision: Decision }
  | { readonly type: 'verdictRefused'; readonly decisionId: string; readonly error: ApiError }
  /** A decision that no longer waits, looked up to say who answered it. */
  | { readonly type: 'decisionSeen'; readonly decision: Decision }
  | { readonly type: 'happened'; readonly sessionId: string; readonly event: SessionEvent }
  | { readonly type: 'live'; readonly sessionId: string; readonly body: LiveBody }
  | { readonly type: 'feedTrouble'; readonly sessionId: string; readonly text: string | null }
  /** `stays`: the view is not left for it. */
  | { readonly type: 'chatOpened'; readonly session: Session; readonly isNew: boolean; readonly stays?: boolean }
  /** Where somebody was whose terminal had gone away. */
  | { readonly type: 'restored'; readonly where: Whereabouts }
  | { readonly type: 'chatChanged'; readonly session: Session; readonly said: string }
  | { readonly type: 'chatSeen'; readonly session: Session }
  | { readonly type: 'sessionSeen'; readonly session: Session }
  | { readonly type: 'messageRefused'; readonly text: string; readonly error: ApiError }
  | { readonly type: 'paneLoaded'; readonly pane: PaneId; readonly rows: readonly Row[] }
  | { readonly type: 'paneRefused'; readonly pane: PaneId; readonly error: ApiError }
  | { readonly type: 'detailLoaded'; readonly pane: PaneId; readonly detail: Detail }
  /** What a command of the table has printed. */
  | {
      readonly type: 'metaDone';
      readonly title: string;
      readonly lines: readonly Line[];
      readonly isGood: boolean;
      /** Carries the plan out that was printed; null where there is none. */
      readonly yes: Effect | null;
      /** Proposals of what to remember that wait because of it. */
      readonly candidates: number;
      /** It gets a page, however short it is. */
      readonly isPage?: boolean;
      /** Where the lines come from, where they need not be all there is. */
      readonly output?: PagedOutput;
      /** Shows the same of what came before it. */
      readonly older?: Effect;
    }
  /** Other lines of the output on the page; `at` is to be its first one in sight. */
  | {
      readonly type: 'outputRead';
      readonly output: PagedOutput;
      readonly lines: readonly Line[];
      readonly at?: number;
    }
  | { readonly type: 'outputRefused'; readonly actionId: string; readonly error: ApiError }
  | { readonly type: 'outputFound'; readonly actionId: string; readonly text: string; readonly line: number | null }
  | { readonly type: 'previewed'; readonly decisionId: string; readonly tried: Tried }
  | { readonly type: 'historyRead'; readonly entries: readonly string[] }
  | {
      readonly type: 'suggested';
      readonly from: number;
      readonly text: string;
      readonly items: readonly CompletionItem[];
    }
  | { readonly type: 'spaceRead'; readonly space: Space }
  | { readonly type: 'said'; readonly text: string; readonly style: Style };

/** What is to be done in the world. Carried out by effects.ts; the answer comes back as a Msg. */
export type Effect =
  | { readonly type: 'listGoals' }
  | { readonly type: 'listDecisions' }
  | { readonly type: 'listModels' }
  | ({ readonly type: 'createGoal'; readonly text: string; readonly chat?: string } & GoalOptions)
  | { readonly type: 'cancelGoal'; readonly goalId: string }
  | { readonly type: 'pauseGoal'; readonly goalId: string }
  | { readonly type: 'resumeGoal'; readonly goalId: string }
  | { readonly type: 'continueGoal'; readonly goalId: string }
  /** What undoing the newest command of a session would lose, or the nth before it. */
  | { readonly type: 'foretellUndo'; readonly sessionId: string; readonly nth: number }
  /** All that is kept of what an action printed; `nth` counts back from the newest in sight. */
  | { readonly type: 'pageOutput'; readonly actionIds: readonly string[]; readonly nth: number }
  /** Lines of the output on the page. */
  | { readonly type: 'readOutput'; readonly actionId: string; readonly from: number; readonly at?: number }
  | {
      readonly type: 'findInOutput';
      readonly actionId: string;
      readonly text: string;
      readonly from: number;
      readonly back: boolean;
    }
  /** All that an action did to files of its workspace. */
  | { readonly type: 'pageChanges'; readonly actionIds: readonly string[]; readonly nth: number }
  | { readonly type: 'listGrants'; readonly goalId: string }
  | { readonly type: 'revokeGrant'; readonly goalId: string; readonly grantId: string }
  | { readonly type: 'takeBack'; readonly decisionId: string }
  | { readonly type: 'giveVerdict'; readonly decisionId: string; readonly given: GiveVerdict }
  | { readonly type: 'preview'; readonly decisionId: string; readonly number: number }
  | { readonly type: 'seeDecision'; readonly decisionId: string }
  /** Follow this session instead of the one followed so far in this place. */
  | { readonly type: 'followSession'; readonly place: 'goal' | 'chat'; readonly sessionId: string | null }
  /** Makes a session first when there is none. */
  | { readonly type: 'sendMessage'; readonly sessionId: string | null; readonly preset: string; readonly text: string }
  | { readonly type: 'stopChat'; readonly sessionId: string }
  /** What the chat is called by now. */
  | { readonly type: 'seeChat'; readonly sessionId: string }
  /** What a session is called. */
  | { readonly type: 'seeSession'; readonly sessionId: string }
  | { readonly type: 'openSession'; readonly reference: string | null; readonly stays?: boolean }
  | {
      readonly type: 'changeChat';
      readonly sessionId: string;
      readonly change: { readonly title?: string; readonly preset?: string };
    }
  | { readonly type: 'loadPane'; readonly pane: PaneId; readonly filter: string }
  | { readonly type: 'actOnRow'; readonly pane: PaneId; readonly key: string; readonly action: RowAction }
  | { readonly type: 'loadDetail'; readonly pane: PaneId; readonly key: string }
  | {
      readonly type: 'runMeta';
      readonly title: string;
      readonly words: readonly string[];
      readonly reload: readonly Reload[];
    }
  | { readonly type: 'suggest'; readonly words: readonly string[]; readonly from: number; readonly text: string }
  | { readonly type: 'remember'; readonly line: string }
  /** Tells `quiet` when a key that was pressed at this moment stands alone, if nothing else was pressed. */
  | { readonly type: 'awaitQuiet'; readonly atMs: number }
  | { readonly type: 'copy'; readonly text: string }
  /** Draw everything again: something else wrote on the terminal. */
  | { readonly type: 'redraw' }
  /** What a space reaches goes into the prompt, to be changed. */
  | { readonly type: 'readSpace'; readonly name: string }
  /** The steps of `aish setup`, in this terminal. */
  | { readonly type: 'setUp' }
  | { readonly type: 'quit' };

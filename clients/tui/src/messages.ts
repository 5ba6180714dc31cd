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
import type { Edited } from './external-editor.js';
import type { Whereabouts } from './kept-terminal.js';
import type { Reload } from './meta/meta-command.js';
import type { PaneId } from './view-id.js';
import type { PagedOutput, Row, Detail, RowAction, CompletionItem, Tried } from './view-state.js';

/** The messages that update() handles. */
export type Msg =
  | { readonly type: 'tick' }
  | { readonly type: 'resized'; readonly cols: number; readonly rows: number }
  /** `key` is a name as in keys.ts, and `text` is the typed text, or null. */
  | { readonly type: 'key'; readonly key: string; readonly text: string | null }
  | { readonly type: 'pasted'; readonly text: string }
  /** Reports that no more text arrived for a while after the key that was pressed at that moment. */
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
  /** A decision that no longer waits. It was read to see who answered it. */
  | { readonly type: 'decisionSeen'; readonly decision: Decision }
  | { readonly type: 'happened'; readonly sessionId: string; readonly event: SessionEvent }
  | { readonly type: 'live'; readonly sessionId: string; readonly body: LiveBody }
  | { readonly type: 'feedTrouble'; readonly sessionId: string; readonly text: string | null }
  /** `stays` means that the view does not change. */
  | { readonly type: 'chatOpened'; readonly session: Session; readonly isNew: boolean; readonly stays?: boolean }
  /** The place that was saved before a crash. */
  | { readonly type: 'restored'; readonly where: Whereabouts }
  | { readonly type: 'chatChanged'; readonly session: Session; readonly said: string }
  | { readonly type: 'chatSeen'; readonly session: Session }
  | { readonly type: 'sessionSeen'; readonly session: Session }
  /** The person's command has ended. It is in the timeline, unless it was refused. */
  | { readonly type: 'commandEnded'; readonly command: string; readonly refused: ApiError | null }
  | { readonly type: 'messageRefused'; readonly text: string; readonly error: ApiError }
  | { readonly type: 'paneLoaded'; readonly pane: PaneId; readonly rows: readonly Row[] }
  | { readonly type: 'paneRefused'; readonly pane: PaneId; readonly error: ApiError }
  | { readonly type: 'detailLoaded'; readonly pane: PaneId; readonly detail: Detail }
  /** The output of a command. */
  | {
      readonly type: 'metaDone';
      readonly title: string;
      readonly lines: readonly Line[];
      readonly isGood: boolean;
      /** Applies the printed plan. Null without a plan. */
      readonly yes: Effect | null;
      /** The number of resulting proposals that wait in the memory. */
      readonly candidates: number;
      /** Whether the answer is shown as a page even if it is short. */
      readonly isPage?: boolean;
      /** The source of the lines, if they are not complete. */
      readonly output?: PagedOutput;
      /** An effect that shows the same for the previous command. */
      readonly older?: Effect;
    }
  /** Another part of the output on the page. `at` becomes the first visible line. */
  | {
      readonly type: 'outputRead';
      readonly output: PagedOutput;
      readonly lines: readonly Line[];
      readonly at?: number;
    }
  | { readonly type: 'outputRefused'; readonly actionId: string; readonly error: ApiError }
  | { readonly type: 'outputFound'; readonly actionId: string; readonly text: string; readonly line: number | null }
  | { readonly type: 'previewed'; readonly decisionId: string; readonly tried: Tried }
  /** The editor has ended; `before` is the text that it was given. */
  | { readonly type: 'edited'; readonly before: string; readonly edited: Edited }
  | { readonly type: 'historyRead'; readonly entries: readonly string[] }
  | {
      readonly type: 'suggested';
      readonly from: number;
      readonly text: string;
      readonly items: readonly CompletionItem[];
      /** Whether more names will follow. */
      readonly isPartial?: true;
    }
  | { readonly type: 'spaceRead'; readonly space: Space }
  | { readonly type: 'said'; readonly text: string; readonly style: Style };

/** Actions outside the model. effects.ts carries them out, and the answers come back as messages. */
export type Effect =
  | { readonly type: 'listGoals' }
  | { readonly type: 'listDecisions' }
  | { readonly type: 'listModels' }
  | ({ readonly type: 'createGoal'; readonly text: string; readonly chat?: string } & GoalOptions)
  | { readonly type: 'cancelGoal'; readonly goalId: string }
  | { readonly type: 'pauseGoal'; readonly goalId: string }
  | { readonly type: 'resumeGoal'; readonly goalId: string }
  | { readonly type: 'continueGoal'; readonly goalId: string }
  /** Requests the undo preview of the session's newest command, or of the nth command before it. */
  | { readonly type: 'previewUndo'; readonly sessionId: string; readonly nth: number }
  /** Opens the stored output of an action. `nth` counts back from the newest visible action. */
  | { readonly type: 'pageOutput'; readonly actionIds: readonly string[]; readonly nth: number }
  /** Reads lines of the output on the page. */
  | { readonly type: 'readOutput'; readonly actionId: string; readonly from: number; readonly at?: number }
  | {
      readonly type: 'findInOutput';
      readonly actionId: string;
      readonly text: string;
      readonly from: number;
      readonly back: boolean;
    }
  /** Opens all file changes of an action in its workspace. */
  | { readonly type: 'pageChanges'; readonly actionIds: readonly string[]; readonly nth: number }
  | { readonly type: 'listGrants'; readonly goalId: string }
  | { readonly type: 'revokeGrant'; readonly goalId: string; readonly grantId: string }
  | { readonly type: 'takeBack'; readonly decisionId: string }
  | { readonly type: 'giveVerdict'; readonly decisionId: string; readonly given: GiveVerdict }
  | { readonly type: 'preview'; readonly decisionId: string; readonly number: number }
  | { readonly type: 'seeDecision'; readonly decisionId: string }
  /** Follows this session in this place instead of the current one. */
  | { readonly type: 'followSession'; readonly place: 'goal' | 'chat'; readonly sessionId: string | null }
  /** Sends a message. If there is no session yet, a session is created first. */
  | { readonly type: 'sendMessage'; readonly sessionId: string | null; readonly preset: string; readonly text: string }
  /** Runs the person's command. Creates a session first if there is none. */
  | {
      readonly type: 'runCommand';
      readonly sessionId: string | null;
      readonly preset: string;
      readonly command: string;
    }
  | { readonly type: 'stopCommand' }
  | { readonly type: 'stopChat'; readonly sessionId: string }
  /** Reads the chat's current name. */
  | { readonly type: 'seeChat'; readonly sessionId: string }
  /** Reads a session's name. */
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
  /** Names that may follow `@`: hosts, files of this folder in the session's workspace, and these goals. */
  | {
      readonly type: 'suggestNames';
      readonly sessionId: string | null;
      readonly folder: string;
      readonly goals: readonly CompletionItem[];
      readonly from: number;
      readonly text: string;
    }
  | { readonly type: 'remember'; readonly line: string }
  /** Sends `quiet` if no key follows the one pressed at this moment. */
  | { readonly type: 'awaitQuiet'; readonly atMs: number }
  | { readonly type: 'copy'; readonly text: string }
  /** Opens the text in the person's editor, in this terminal. */
  | { readonly type: 'writeInEditor'; readonly text: string }
  /** Draws everything again, because something else wrote on the terminal. */
  | { readonly type: 'redraw' }
  /** Puts a space's access into the prompt, for editing. */
  | { readonly type: 'readSpace'; readonly name: string }
  /** Runs `aish setup` in this terminal. */
  | { readonly type: 'setUp' }
  | { readonly type: 'quit' };

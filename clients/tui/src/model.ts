import type {
  Decision,
  GiveVerdict,
  Goal,
  Grant,
  LiveBody,
  Model as ModelInfo,
  Session,
  SessionEvent,
  Verdict,
} from '@aish/contracts';
import type { ApiError } from './api/api.error.js';
import type { Field } from './form/fields.js';
import type { KeyMap } from './keys/actions.js';
import type { Line, Style } from './text/line.js';
import { emptyTimeline, type Timeline } from './timeline/entries.js';
import type { PaneId, ViewId } from './views/views.js';

/** All that the screen shows follows from this. */
export interface Model {
  readonly size: { readonly cols: number; readonly rows: number };
  /** The clock, as of the last message. */
  readonly nowMs: number;
  /** Address of the server, as people say it. */
  readonly server: string;
  readonly connection: Connection;
  /** What is wrong between this version and the server's; null when nothing is. */
  readonly mismatch: string | null;
  /** What the server wants people to know when they come: the knowledge base was not pushed. Null when all is well. */
  readonly attention: string | null;
  readonly view: ViewId;
  /** Null until the first list is here. */
  readonly goals: readonly Goal[] | null;
  /** Id of the goal whose timeline is shown. */
  readonly chosen: string | null;
  /** The timeline of the chosen goal. */
  readonly goalFeed: Feed;
  readonly chat: Chat;
  readonly panes: Readonly<Record<PaneId, Pane>>;
  /** Those that wait, oldest first. */
  readonly decisions: readonly Decision[];
  /** Which of them the list of decisions is at. */
  readonly decisionAt: number;
  readonly models: readonly ModelInfo[];
  /** First line of the help on the screen. */
  readonly helpTop: number;
  /** A list could not be had, so what is shown may be old. */
  readonly isStale: boolean;
  readonly isUnfolded: boolean;
  readonly prompt: Prompt;
  /** In a view that is a list the prompt takes keys only after `:`. */
  readonly isPromptOpen: boolean;
  readonly history: History;
  readonly completion: Completion | null;
  /** Looking for a text: in what was said, or with Ctrl-R in what was typed. */
  readonly search: Search | null;
  /** A printable key at a question, until it is known to stand alone. */
  readonly held: HeldKey | null;
  /** When text was typed last. */
  readonly typedAtMs: number | null;
  /** The list that is shown came up by itself, and no key has been meant for it yet. */
  readonly isUnasked: boolean;
  /** Ctrl-X was pressed and the next key completes it. */
  readonly hasPrefix: boolean;
  readonly keyMap: KeyMap;
  readonly overlay: Overlay | null;
  /** Decisions that do not open by themselves: the person has put them aside, or has just answered them. */
  readonly aside: readonly string[];
  readonly flash: { readonly text: string; readonly style: Style; readonly untilMs: number } | null;
}

export interface HeldKey {
  readonly key: string;
  readonly text: string;
  /** What it was pressed at, so that it answers nothing else. */
  readonly asked: string;
  /** It came before anybody could have read what it is at, or while text was being typed. */
  readonly isEarly: boolean;
  readonly atMs: number;
}

/** What happens in a session, followed live. */
export interface Feed {
  readonly sessionId: string | null;
  readonly timeline: Timeline;
  /** Why it does not come, if so. */
  readonly trouble: string | null;
  /** First line on the screen; null follows the end. */
  readonly top: number | null;
}

export interface Chat {
  /** Null until the first message. */
  readonly session: Session | null;
  readonly feed: Feed;
  /** Messages that wait: the first one is being sent, the others until the model has answered. */
  readonly outbox: readonly string[];
  /** The model or an action is at work. */
  readonly isBusy: boolean;
  /** What the next session begins with. */
  readonly preset: string;
}

/** One line of a list, already laid out. */
export interface Row {
  readonly key: string;
  readonly line: Line;
  /** What the filter looks in. */
  readonly find: string;
}

export interface Detail {
  readonly key: string;
  readonly title: string;
  readonly kind: 'markdown' | 'text';
  readonly text: string;
  /** Where it leads to, shown below the text; Enter follows the chosen one. */
  readonly links?: readonly DetailLink[];
}

export interface DetailLink {
  readonly key: string;
  /** As `leads to: requires  Title`. */
  readonly label: string;
}

/** What can be done to a row with one key. */
export type RowAction = 'accept' | 'remove';

/** A list of things with one of them shown whole. */
export interface Pane {
  /** Null until they are here. */
  readonly rows: readonly Row[] | null;
  readonly chosen: string | null;
  readonly filter: string;
  readonly detail: Detail | null;
  readonly detailTop: number;
  /** What was followed from the chosen row on, newest last: the detail is of the last one. */
  readonly trail: readonly string[];
  readonly linkAt: number;
  readonly trouble: string | null;
}

export interface Prompt {
  readonly text: string;
  /** Index into `text`, in UTF-16 code units. */
  readonly cursor: number;
}

export interface History {
  /** Oldest first. */
  readonly entries: readonly string[];
  /** Which one is shown; null for what is being written. */
  readonly at: number | null;
  readonly draft: string;
}

export interface Completion {
  readonly items: readonly CompletionItem[];
  readonly chosen: number;
  /** Where in the prompt the completed word begins. */
  readonly from: number;
}

export interface CompletionItem {
  readonly text: string;
  readonly about: string;
}

export interface Search {
  readonly kind: 'find' | 'history' | 'filter';
  readonly text: string;
  /** Of `find`: how many hits there are, and which is shown. */
  readonly hit: number;
}

export interface Connection {
  readonly state: 'connecting' | 'online' | 'offline' | 'refused';
  readonly detail: string | null;
}

export type Overlay = Page | Question | HaltDialog | GrantsPage;

/** A page over everything: an answer that was asked for. */
export interface Page {
  readonly type: 'page';
  readonly top: number;
  readonly title: string;
  readonly lines: readonly Line[];
  /** What y does, where the page is a plan. */
  readonly yes: Effect | null;
}

/** Yes or no; anything but y is no. */
export interface Question {
  readonly type: 'question';
  readonly text: string;
  readonly yes: Effect;
}

export interface HaltDialog {
  readonly type: 'halt';
  readonly decision: Decision;
  /** A key before this moment is no answer: nobody has read the question yet. */
  readonly deafUntilMs: number;
  /** First line shown, when it does not fit. */
  readonly top: number;
  readonly sending: Verdict | null;
  readonly trouble: string | null;
  readonly isExplained: boolean;
  /** What the action would change, once it was tried on a copy; `pending` while that runs. */
  readonly preview: readonly Line[] | 'pending' | null;
  /** What the person is about to answer with; null while nothing but a key is asked for. */
  readonly draft: Draft | null;
}

/** An answer in the making. `kept` is what stood in the prompt, which lends itself to the editing. */
export type Draft = EditDraft | FormDraft | { readonly type: 'grant' };

export interface EditDraft {
  readonly type: 'edit';
  readonly kept: Prompt;
  /** What it was, so that an edit without a change is none. */
  readonly before: string;
}

export interface FormDraft {
  readonly type: 'form';
  readonly kept: Prompt;
  readonly fields: readonly Field[];
  /** As typed, one per field. */
  readonly values: readonly string[];
  /** Which field has the keys; one past the last is the line that sends. */
  readonly at: number;
}

/** What runs in a goal without being asked about again. */
export interface GrantsPage {
  readonly type: 'grants';
  readonly goalId: string;
  readonly goalNumber: number;
  /** Null until they are here. */
  readonly items: readonly Grant[] | null;
  readonly at: number;
}

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
  | { readonly type: 'verdictTaken'; readonly decision: Decision }
  | { readonly type: 'verdictRefused'; readonly decisionId: string; readonly error: ApiError }
  /** A decision that no longer waits, looked up to say who answered it. */
  | { readonly type: 'decisionSeen'; readonly decision: Decision }
  | { readonly type: 'happened'; readonly sessionId: string; readonly event: SessionEvent }
  | { readonly type: 'live'; readonly sessionId: string; readonly body: LiveBody }
  | { readonly type: 'feedTrouble'; readonly sessionId: string; readonly text: string | null }
  | { readonly type: 'chatOpened'; readonly session: Session; readonly isNew: boolean }
  | { readonly type: 'chatChanged'; readonly session: Session; readonly said: string }
  | { readonly type: 'chatSeen'; readonly session: Session }
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
    }
  | { readonly type: 'previewed'; readonly decisionId: string; readonly lines: readonly Line[] }
  | { readonly type: 'historyRead'; readonly entries: readonly string[] }
  | {
      readonly type: 'suggested';
      readonly from: number;
      readonly text: string;
      readonly items: readonly CompletionItem[];
    }
  | { readonly type: 'said'; readonly text: string; readonly style: Style };

/** What is to be done in the world. Carried out by effects.ts; the answer comes back as a Msg. */
export type Effect =
  | { readonly type: 'listGoals' }
  | { readonly type: 'listDecisions' }
  | { readonly type: 'listModels' }
  | { readonly type: 'createGoal'; readonly text: string }
  | { readonly type: 'cancelGoal'; readonly goalId: string }
  | { readonly type: 'pauseGoal'; readonly goalId: string }
  | { readonly type: 'resumeGoal'; readonly goalId: string }
  | { readonly type: 'continueGoal'; readonly goalId: string }
  | { readonly type: 'listGrants'; readonly goalId: string }
  | { readonly type: 'revokeGrant'; readonly goalId: string; readonly grantId: string }
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
  | { readonly type: 'openSession'; readonly reference: string | null }
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
      readonly reload: readonly PaneId[];
    }
  | { readonly type: 'suggest'; readonly words: readonly string[]; readonly from: number; readonly text: string }
  | { readonly type: 'remember'; readonly line: string }
  /** Tells `quiet` when a key that was pressed at this moment stands alone, if nothing else was pressed. */
  | { readonly type: 'awaitQuiet'; readonly atMs: number }
  | { readonly type: 'copy'; readonly text: string }
  /** Draw everything anew: something else wrote on the terminal. */
  | { readonly type: 'redraw' }
  | { readonly type: 'quit' };

export interface Update {
  readonly model: Model;
  readonly effects: readonly Effect[];
}

export const emptyFeed: Feed = { sessionId: null, timeline: emptyTimeline, trouble: null, top: null };
const emptyPane: Pane = {
  rows: null,
  chosen: null,
  filter: '',
  detail: null,
  detailTop: 0,
  trail: [],
  linkAt: 0,
  trouble: null,
};
export const emptyChat: Chat = { session: null, feed: emptyFeed, outbox: [], isBusy: false, preset: 'fast' };

/** The model before anything is known. */
export function initialModel(options: {
  readonly server: string;
  readonly cols: number;
  readonly rows: number;
  readonly nowMs: number;
  readonly keyMap?: KeyMap;
}): Model {
  return {
    size: { cols: options.cols, rows: options.rows },
    nowMs: options.nowMs,
    server: options.server,
    connection: { state: 'connecting', detail: null },
    mismatch: null,
    attention: null,
    view: 'chat',
    goals: null,
    chosen: null,
    goalFeed: emptyFeed,
    chat: emptyChat,
    panes: { memory: emptyPane, knowledge: emptyPane, sessions: emptyPane },
    decisions: [],
    decisionAt: 0,
    models: [],
    helpTop: 0,
    isStale: false,
    isUnfolded: false,
    prompt: { text: '', cursor: 0 },
    isPromptOpen: false,
    history: { entries: [], at: null, draft: '' },
    completion: null,
    search: null,
    held: null,
    typedAtMs: null,
    isUnasked: false,
    hasPrefix: false,
    keyMap: options.keyMap ?? {},
    overlay: null,
    aside: [],
    flash: null,
  };
}

export function chosenGoal(model: Model): Goal | undefined {
  return model.goals?.find(({ id }) => id === model.chosen);
}

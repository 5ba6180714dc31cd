import type { Session } from '@aish/contracts/chat';
import type { Decision, Verdict } from '@aish/contracts/decisions';
import type { Goal } from '@aish/contracts/goals';
import type { Grant } from '@aish/contracts/grants';
import type { Model as ModelInfo } from '@aish/contracts/models';
import type { Field } from '@aish/views/form/fields';
import type { Action } from '@aish/views/key-actions';
import { hasEnded } from '@aish/views/goal.state';
import type { Line, Style } from '@aish/views/line';
import type { Timeline } from '@aish/views/entries';
import type { PaneId, ViewId } from './view-id.js';
import type { Pane, Prompt, History, Completion, Search, Connection, PagedOutput, Tried } from './view-state.js';
import type { Effect } from './messages.js';

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
  /** Id of the goal to choose when it is listed. */
  readonly wanted: string | null;
  /** Id of a goal that was just given, until a list has it. */
  readonly unlisted: string | null;
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
  /** Where the help was asked for: what works there stands first. */
  readonly helpFrom: ViewId;
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
  /** What sessions are called, of those that were asked about. */
  readonly sessions: Readonly<Record<string, Pick<Session, 'number' | 'title'>>>;
  /** Letters that moved a page, a moment ago. */
  readonly strayed: { readonly text: string; readonly atMs: number } | null;
  /** When text was typed last. */
  readonly typedAtMs: number | null;
  /** The list that is shown came up by itself, and no key has been meant for it yet. */
  readonly isUnasked: boolean;
  /** Ctrl-X was pressed and the next key completes it. */
  readonly hasPrefix: boolean;
  /** What each key does, with the keys of the configuration in place. */
  readonly keys: readonly Binding[];
  readonly overlay: Overlay | null;
  /** Decisions that do not open by themselves: the person has put them aside, or has just answered them. */
  readonly aside: readonly string[];
  /** Notes for the model that go with the verdict, by the id of their decision. */
  readonly notes: Readonly<Record<string, string>>;
  readonly flash: { readonly text: string; readonly style: Style; readonly untilMs: number } | null;
}

interface HeldKey {
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

type Overlay = Page | Question | HaltDialog | GrantsPage | Menu;

/** Lines to choose from: what can be done to the chosen row, or everything. */
export interface Menu {
  readonly type: 'menu';
  readonly kind: 'row' | 'palette';
  /** What is looked for in them. */
  readonly filter: string;
  /** Those that fit, the best first. */
  readonly items: readonly MenuItem[];
  readonly at: number;
}

/** A key or a command, what it does, and doing it. */
export interface MenuItem {
  readonly label: string;
  readonly about: string;
  readonly run: (model: Model) => Update;
}

/** A page over everything: an answer that was asked for. */
export interface Page {
  readonly type: 'page';
  readonly top: number;
  readonly title: string;
  readonly lines: readonly Line[];
  /** Where they come from, where they need not be all there is. */
  readonly output?: PagedOutput;
  /** What was looked for in it last, and is marked. */
  readonly wanted?: string;
  /** What y does, where the page is a plan. */
  readonly yes: Effect | null;
  /** What u does, where there is something before what it is about. */
  readonly older?: Effect;
}

/** Yes or no; anything but y is no. */
interface Question {
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
  readonly sending: Verdict | 'take back' | null;
  /** The draft that is being sent, and its text. Both come back if the api refuses the answer. */
  readonly sent: { readonly draft: Draft; readonly prompt: Prompt } | null;
  /** How it was decided elsewhere while text for it was typed here; null while it waits. */
  readonly ended: string | null;
  /** Abort was pressed once. */
  readonly isArmed: boolean;
  readonly trouble: string | null;
  readonly isExplained: boolean;
  /** What the action did when it was tried; `pending` while that runs. */
  readonly preview: Tried | 'pending' | null;
  /** What the person is about to answer with; null while nothing but a key is asked for. */
  readonly draft: Draft | null;
}

/** An answer in the making. `kept` is what stood in the prompt, which lends itself to the editing. */
export type Draft = EditDraft | MessageDraft | FormDraft | { readonly type: 'grant' };

/** A note for the model, which goes with the verdict. */
interface MessageDraft {
  readonly type: 'message';
  readonly kept: Prompt;
}

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

export interface Update {
  readonly model: Model;
  readonly effects: readonly Effect[];
}

/** The next model, and nothing to be done in the world. */
export function just(model: Model): Update {
  return { model, effects: [] };
}

/** Where keys go: the topmost thing on the screen has them. */
export type Place =
  | 'empty prompt'
  | 'typing'
  | 'list'
  | 'HALT'
  /** Another command is written, a message, or a field of a form. */
  | 'HALT edit'
  /** A field of a form that is chosen from, or the line that sends it. */
  | 'HALT choice'
  | 'HALT grant'
  | 'grants'
  | 'menu'
  | 'question'
  | 'page'
  | 'search';

/** A key: where it counts, what it does, what the help says of it, and when it cannot be used. */
export interface Binding {
  /** What the configuration calls it. */
  readonly action: Action;
  /** Names of keys; two with a space between are pressed one after the other. */
  readonly keys: readonly string[];
  readonly places: readonly Place[];
  /** For the help; null keeps it out (obvious, or a second way). */
  readonly help: string | null;
  readonly run: (model: Model) => Update;
  /** Why it cannot be used right now, for the person; undefined when it can. */
  readonly unavailable?: (model: Model) => string | undefined;
  /** It changes something where other keys only look around, so it counts when it stands alone. */
  readonly isAnswer?: boolean;
}

export function chosenGoal(model: Model): Goal | undefined {
  return model.goals?.find(({ id }) => id === model.chosen);
}

/** Whether a decision is of a chat that is not the one that is shown: of a script, or of somebody else. */
export function isOfAnotherChat({ chat }: Model, { goalId, sessionId }: Decision): boolean {
  return goalId === null && sessionId !== chat.session?.id && sessionId !== chat.feed.sessionId;
}

/** The goals that Norris works on, newest first. */
export function activeGoals({ goals }: Model): readonly Goal[] {
  return (goals ?? []).filter(({ state }) => !hasEnded(state));
}

/** What people call what is chosen: `g4`, `c12`; undefined where nothing is. */
export function chosenName(model: Model): string | undefined {
  switch (model.view) {
    case 'goals': {
      const goal = chosenGoal(model);
      return goal === undefined ? undefined : `g${goal.number}`;
    }
    case 'sessions': {
      const { rows, chosen } = model.panes.sessions;
      return rows?.find(({ key }) => key === chosen)?.name;
    }
    case 'chat':
      return model.chat.session === null ? undefined : `c${model.chat.session.number}`;
    case 'decisions': {
      const decision = model.decisions[model.decisionAt];
      return decision === undefined ? undefined : `d${decision.number}`;
    }
    case 'memory':
    case 'knowledge':
    case 'help':
      return undefined;
  }
}

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

/** The state from which the screen is drawn. */
export interface Model {
  readonly size: { readonly cols: number; readonly rows: number };
  /** The time of the last message. */
  readonly nowMs: number;
  /** The address of the server, as people write it. */
  readonly server: string;
  readonly connection: Connection;
  /** A message about a version difference to the server, or null. */
  readonly mismatch: string | null;
  /** The server's notice, such as a failed push of the knowledge base, or null. */
  readonly attention: string | null;
  /** Whether finished text is printed above the prompt, instead of drawn on a screen of its own. */
  readonly isInline: boolean;
  readonly view: ViewId;
  /** Null until the first list arrives. */
  readonly goals: readonly Goal[] | null;
  /** The ID of the selected goal. */
  readonly chosen: string | null;
  /** The ID of the goal to select once it is listed. */
  readonly wanted: string | null;
  /** The ID of a new goal that no list contains yet. */
  readonly unlisted: string | null;
  /** The timeline of the selected goal. */
  readonly goalFeed: Feed;
  readonly chat: Chat;
  /** Whether a command of the person is running. */
  readonly isCommandRunning: boolean;
  readonly panes: Readonly<Record<PaneId, Pane>>;
  /** The open decisions, oldest first. */
  readonly decisions: readonly Decision[];
  /** The index of the selected decision. */
  readonly decisionAt: number;
  readonly models: readonly ModelInfo[];
  /** The first visible line of the help. */
  readonly helpTop: number;
  /** The view where the help was opened; its keys come first. */
  readonly helpFrom: ViewId;
  /** Whether a list could not be read, so that the screen may be out of date. */
  readonly isStale: boolean;
  readonly isUnfolded: boolean;
  readonly prompt: Prompt;
  /** Whether the prompt of a list view is open. It takes keys only after `:`. */
  readonly isPromptOpen: boolean;
  readonly history: History;
  readonly completion: Completion | null;
  /** A search in the view, or (with Ctrl-R) in the input history. */
  readonly search: Search | null;
  /** A printable key at a question, which is held back until it is known to stand alone. */
  readonly held: HeldKey | null;
  /** The names of sessions, as far as they were read. */
  readonly sessions: Readonly<Record<string, Pick<Session, 'number' | 'title'>>>;
  /** Letters that have just moved a page. */
  readonly strayed: { readonly text: string; readonly atMs: number } | null;
  /** The time at which text was last typed. */
  readonly typedAtMs: number | null;
  /** Whether the list opened by itself, and no key has been meant for it yet. */
  readonly isUnasked: boolean;
  /** Whether Ctrl-X was pressed. The next key completes the sequence. */
  readonly hasPrefix: boolean;
  /** When Ctrl-C stopped or cleared something, unless another key came after it. */
  readonly interruptedAtMs: number | null;
  /** The key bindings, including configured keys. */
  readonly keys: readonly Binding[];
  readonly overlay: Overlay | null;
  /** Answers that arrived while something else covered the screen, oldest first. */
  readonly answers: readonly Page[];
  /** Answers that an inline terminal prints instead of opening a page, oldest first. */
  readonly printouts: readonly Pick<Page, 'title' | 'lines'>[];
  /** Decisions that do not open by themselves, because the person has just closed or answered them. */
  readonly closedDecisions: readonly string[];
  /** The notes to the model that go with the verdicts, by decision ID. */
  readonly notes: Readonly<Record<string, string>>;
  readonly flash: { readonly text: string; readonly style: Style; readonly untilMs: number } | null;
}

interface HeldKey {
  readonly key: string;
  readonly text: string;
  /** The question that was open when the key was pressed. The key answers no other question. */
  readonly asked: string;
  /** Whether the key was pressed before anybody could have read the question, or while text was being typed. */
  readonly isEarly: boolean;
  readonly atMs: number;
}

/** A session that is followed live. */
export interface Feed {
  readonly sessionId: string | null;
  readonly timeline: Timeline;
  /** The reason why the session cannot be followed, or null. */
  readonly trouble: string | null;
  /** The first visible line. Null means that the screen follows the end. */
  readonly top: number | null;
}

export interface Chat {
  /** Null until the first message. */
  readonly session: Session | null;
  readonly feed: Feed;
  /** The waiting messages. The first one is being sent, and the others wait for the model's answer. */
  readonly outbox: readonly string[];
  /** Whether the model or an action is working. */
  readonly isBusy: boolean;
  /** The preset of the next session. */
  readonly preset: string;
}

type Overlay = Page | Question | HaltDialog | GrantsPage | Menu;

/** A menu of actions: those for the selected row, or all of them. */
export interface Menu {
  readonly type: 'menu';
  readonly kind: 'row' | 'palette';
  /** The text by which the items are filtered. */
  readonly filter: string;
  /** The matching items, best first. */
  readonly items: readonly MenuItem[];
  readonly at: number;
}

/** A key or command with its description. */
export interface MenuItem {
  readonly label: string;
  readonly about: string;
  readonly run: (model: Model) => Update;
}

/** A page over the whole screen, with an answer that the person requested. */
export interface Page {
  readonly type: 'page';
  readonly top: number;
  readonly title: string;
  readonly lines: readonly Line[];
  /** The source of the lines, if they are not complete. */
  readonly output?: PagedOutput;
  /** The last search text. Its hits are marked. */
  readonly wanted?: string;
  /** The effect of y, if the page is a plan. */
  readonly yes: Effect | null;
  /** The effect of u, if there is an earlier command. */
  readonly older?: Effect;
  /** Whether the next answer takes the place of this page. */
  readonly isLeft?: true;
}

/** A yes-or-no question. Every key except y means no. */
interface Question {
  readonly type: 'question';
  readonly text: string;
  readonly yes: Effect;
}

export interface HaltDialog {
  readonly type: 'halt';
  readonly decision: Decision;
  /** Keys before this moment do not answer, because nobody has read the question yet. */
  readonly deafUntilMs: number;
  /** The first visible line, if the question does not fit. */
  readonly top: number;
  readonly sending: Verdict | 'take back' | null;
  /** The draft that is being sent, and its text. Both come back if the api refuses the answer. */
  readonly sent: { readonly draft: Draft; readonly prompt: Prompt } | null;
  /** How the decision was made elsewhere while text was typed here, or null while it is open. */
  readonly ended: string | null;
  /** Whether Abort was pressed once. */
  readonly isArmed: boolean;
  readonly trouble: string | null;
  readonly isExplained: boolean;
  /** The result of the preview, or `pending` while it runs. */
  readonly preview: Tried | 'pending' | null;
  /** The answer that the person is writing, or null if only keys are expected. */
  readonly draft: Draft | null;
}

/** An unsent answer. The prompt is used for editing, and `kept` is its text from before. */
export type Draft = EditDraft | MessageDraft | FormDraft | { readonly type: 'grant' };

/** A note to the model that goes with the verdict. */
interface MessageDraft {
  readonly type: 'message';
  readonly kept: Prompt;
}

export interface EditDraft {
  readonly type: 'edit';
  readonly kept: Prompt;
  /** The original text, which shows whether the edit changed anything. */
  readonly before: string;
}

export interface FormDraft {
  readonly type: 'form';
  readonly kept: Prompt;
  readonly fields: readonly Field[];
  /** The typed values, one for each field. */
  readonly values: readonly string[];
  /** The index of the active field. The index after the last field is the send button. */
  readonly at: number;
}

export interface GrantsPage {
  readonly type: 'grants';
  readonly goalId: string;
  readonly goalNumber: number;
  /** The grants, or null until they arrive. */
  readonly items: readonly Grant[] | null;
  readonly at: number;
}

export interface Update {
  readonly model: Model;
  readonly effects: readonly Effect[];
}

/** Returns an update to this model, without effects. */
export function just(model: Model): Update {
  return { model, effects: [] };
}

/** The place that receives keys, which is the topmost element of the screen. */
export type Place =
  | 'empty prompt'
  | 'typing'
  | 'list'
  | 'HALT'
  /** The person edits a command, a message, or a field of a form. */
  | 'HALT edit'
  /** The person is at a choice field of a form, or at its send button. */
  | 'HALT choice'
  | 'HALT grant'
  | 'grants'
  | 'menu'
  | 'question'
  | 'page'
  | 'search';

/** A key, with the place where it works, its function, its help text, and when it is unavailable. */
export interface Binding {
  /** The name of the action in the configuration. */
  readonly action: Action;
  /** The names of the keys. Two names with a space between them are pressed in sequence. */
  readonly keys: readonly string[];
  readonly places: readonly Place[];
  /** The help text. Null hides the key, because it is obvious or a second key for the same action. */
  readonly help: string | null;
  readonly run: (model: Model) => Update;
  /** Returns the reason why the key is unavailable now, as a message, or undefined if it works. */
  readonly unavailable?: (model: Model) => string | undefined;
  /** Whether the key changes something, so that it counts only if it stands alone. */
  readonly isAnswer?: boolean;
}

export function chosenGoal(model: Model): Goal | undefined {
  return model.goals?.find(({ id }) => id === model.chosen);
}

/**
 * Returns whether a decision belongs to another chat than the one on the screen, such as a script's or another
 * person's.
 */
export function isOfAnotherChat({ chat }: Model, { goalId, sessionId }: Decision): boolean {
  return goalId === null && sessionId !== chat.session?.id && sessionId !== chat.feed.sessionId;
}

/** Returns the goals that Norris is working on, newest first. */
export function activeGoals({ goals }: Model): readonly Goal[] {
  return (goals ?? []).filter(({ state }) => !hasEnded(state));
}

/** The session of the selected goal, else of the chat; null if there is none yet. */
export function shownSession(model: Model): string | null {
  const goal = model.view === 'goals' ? chosenGoal(model) : undefined;
  return goal?.sessionId ?? model.chat.session?.id ?? model.chat.feed.sessionId;
}

/** The short name of the selection, such as `g4` or `c12`; undefined without a selection. */
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

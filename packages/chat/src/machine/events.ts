import type {
  ActionState,
  Classification,
  CountedConnection,
  DecisionKind,
  Elicitation,
  ElicitationAnswer,
  ExchangeEnd,
  RunOutcome,
  ToolResult,
  Trouble,
  TurnMeta,
  TurnRole,
  Verdict,
} from '@aish/contracts';
import type { Answered, ChatAction, ChatMachine } from './state.js';

/** What happened. No clock, no chance: whatever a decision depends on is in here or in the state. */
export type ChatEvent =
  /** A driver has the chat: after a verdict, or after a crash. `draft`: what had come of an answer then. */
  | {
      readonly type: 'taken';
      readonly draft: { readonly text: string; readonly reasoning: string };
      readonly preset: string;
    }
  | { readonly type: 'answered'; readonly answer: Answered }
  /** Checked, classified, authorized. `ask`: what to ask a person, or null. */
  | {
      readonly type: 'judged';
      readonly actionId: string;
      readonly classification: Classification;
      readonly ask: { readonly reason: string; readonly context: string } | null;
    }
  /** The call cannot be made as it stands; the model is told why. */
  | { readonly type: 'unfit'; readonly actionId: string; readonly result: ToolResult }
  | {
      readonly type: 'ran';
      readonly actionId: string;
      readonly outcome: RunOutcome;
      readonly connections?: readonly CountedConnection[];
    }
  | { readonly type: 'called'; readonly actionId: string; readonly result: ToolResult }
  | { readonly type: 'lost'; readonly actionId: string; readonly connections?: readonly CountedConnection[] }
  /** What would carry it out is away, or never will. */
  | { readonly type: 'refused'; readonly actionId: string; readonly reason: string }
  | {
      readonly type: 'decided';
      readonly actionId: string;
      readonly verdict: Verdict;
      readonly message: string | null;
      /** To the question of a server. */
      readonly answer?: ElicitationAnswer | null;
      readonly by: string;
    }
  /** A person stops the exchange. `outcomes`: of commands that were killed for it. */
  | {
      readonly type: 'stopped';
      readonly by: string;
      readonly outcomes: Readonly<Record<string, RunOutcome>>;
      readonly connections?: Readonly<Record<string, readonly CountedConnection[]>>;
    }
  /** A person sends a new message while a question is open: it stands answered by that. */
  | { readonly type: 'overtaken'; readonly by: string };

/** What to write, all of it in the one transaction of its event. */
export type ChatRecord =
  | { readonly type: 'startStep'; readonly n: number }
  | { readonly type: 'answerStep'; readonly n: number; readonly answer: Answered }
  | { readonly type: 'appendTurn'; readonly role: TurnRole; readonly content: string; readonly meta?: TurnMeta }
  | { readonly type: 'classifyAction'; readonly actionId: string; readonly classification: Classification }
  | {
      readonly type: 'setAction';
      readonly actionId: string;
      readonly state: ActionState;
      readonly outcome?: RunOutcome;
      readonly result?: ToolResult;
      readonly reason?: string;
    }
  | {
      readonly type: 'recordConnections';
      readonly actionId: string;
      readonly connections: readonly CountedConnection[];
    }
  | {
      readonly type: 'requestDecision';
      readonly actionId: string;
      readonly kind: DecisionKind;
      readonly reason: string;
      readonly context: string;
      readonly classification: Classification | null;
      /** What a server asks, in place of the action. */
      readonly question?: Elicitation;
    }
  | { readonly type: 'withdrawDecisions' }
  | { readonly type: 'endExchange'; readonly end: ExchangeEnd; readonly trouble: Trouble | null };

/** The one thing to do in the world after the records are committed. */
export type ChatAct =
  | { readonly type: 'ask' }
  | { readonly type: 'judge'; readonly action: ChatAction }
  | { readonly type: 'run'; readonly action: ChatAction }
  | { readonly type: 'recover'; readonly action: ChatAction };

export interface ChatAdvance {
  readonly machine: ChatMachine;
  readonly records: readonly ChatRecord[];
  /** Null: nothing to do until a person. */
  readonly act: ChatAct | null;
}

export function nothing(machine: ChatMachine): ChatAdvance {
  return { machine, records: [], act: null };
}

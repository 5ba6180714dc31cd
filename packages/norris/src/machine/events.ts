import type {
  ActionRequest,
  ActionState,
  Classification,
  DecisionKind,
  ElicitationAnswer,
  GoalState,
  GrantScope,
  NetworkConnection,
  PendingInput,
  RunOutcome,
  ToolResult,
  TurnMeta,
  Usage,
  Verdict,
  WaitingFor,
} from '@aish/contracts';
import type { GoalLine } from '@aish/conversation';
import type { GoalMachine, MachineAction } from './state.js';

/** How often a command connected to a destination, or was refused. */
export type CountedConnection = NetworkConnection & { readonly count: number };

/** What an answer asks for. `fault`: why it can never be made as it stands; told to the model. */
export type NewAction = ActionRequest & { readonly id: string; readonly fault?: string };

/** What the gate says of an action, and the grant that lets it run all the same. */
export interface Judgement {
  readonly actionId: string;
  readonly classification: Classification;
  readonly grant: { readonly id: string; readonly scope: GrantScope; readonly createdBy: string } | null;
}

/** What became of an action that was begun. */
export type Ending =
  | {
      readonly kind: 'ran';
      readonly actionId: string;
      readonly outcome: RunOutcome;
      /** What it connected to or was refused, if anything. */
      readonly connections?: readonly CountedConnection[];
    }
  | { readonly kind: 'answered'; readonly actionId: string; readonly result: ToolResult }
  /** The server asks something; the call goes on once it has the answers. */
  | { readonly kind: 'asks'; readonly actionId: string; readonly pending: PendingInput }
  /** Nobody knows how it ended. */
  | { readonly kind: 'lost'; readonly actionId: string }
  /** It will never run as it stands (too long, for instance). */
  | { readonly kind: 'refused'; readonly actionId: string; readonly reason: string };

/** What happened. Everything a decision of the machine depends on is in here or in the state: no clock, no chance. */
export type GoalEvent =
  | { readonly type: 'taken' }
  | {
      readonly type: 'answered';
      readonly text: string;
      readonly model: string | null;
      readonly usage: Usage | null;
      /** What was noticed on the way, for people. */
      readonly notes: readonly string[];
      readonly actions: readonly NewAction[];
      readonly goalLine: GoalLine | null;
      /** The id of the check, should there be one. */
      readonly checkId: string;
      /** It repeated the description of a tool in place of calling it. */
      readonly isSchemaEcho: boolean;
      readonly tookMs: number;
    }
  | { readonly type: 'classified'; readonly judgements: readonly Judgement[]; readonly tookMs: number }
  | { readonly type: 'ended'; readonly endings: readonly Ending[]; readonly tookMs: number }
  | {
      readonly type: 'decided';
      readonly actionId: string;
      readonly verdict: Verdict;
      readonly message: string | null;
      /** What is run instead, of verdict `edit`. */
      readonly edited: ActionRequest | null;
      /** To the question of a server. */
      readonly answer?: ElicitationAnswer | null;
      readonly by: string;
    }
  /** A person's answer to the check that the model proposed; `command` is the one to take. */
  | {
      readonly type: 'checkDecided';
      readonly verdict: Verdict;
      readonly command: string;
      readonly message: string | null;
      readonly by: string;
    }
  /** Something needed is away. `began`: an action that may have begun all the same, and must be asked after. */
  | { readonly type: 'away'; readonly what: WaitingFor; readonly reason: string; readonly began: boolean }
  /** An error that nobody foresaw. */
  | { readonly type: 'broke'; readonly reason: string }
  | { readonly type: 'failed'; readonly reason: string }
  /** `outcomes`: of commands that were killed for it, where known. */
  | { readonly type: 'cancelled'; readonly by: string; readonly outcomes: Readonly<Record<string, RunOutcome>> }
  | { readonly type: 'paused'; readonly by: string }
  /** `isAsked`: a question to a person is still open. */
  | { readonly type: 'resumed'; readonly isAsked: boolean }
  | { readonly type: 'continued'; readonly steps: number; readonly message: string | null; readonly by: string }
  /** `text`: null when only what the model need not know was changed. */
  | { readonly type: 'edited'; readonly text: string | null; readonly by: string };

/** What to write, all of it in the one transaction of its event. Counters of the goal are written with it. */
export type RecordEffect =
  | { readonly type: 'startStep'; readonly n: number }
  | {
      readonly type: 'answerStep';
      readonly n: number;
      readonly text: string;
      readonly model: string | null;
      readonly usage: Usage | null;
      readonly notes: readonly string[];
      readonly goalLine: GoalLine | null;
      readonly actions: readonly (ActionRequest & { readonly id: string })[];
    }
  | {
      readonly type: 'appendTurn';
      readonly role: 'assistant' | 'output' | 'notice' | 'tool' | 'user';
      readonly content: string;
      readonly meta?: TurnMeta;
      /** Shown to people as what aish told the model. */
      readonly isTold?: boolean;
    }
  | { readonly type: 'classifyAction'; readonly actionId: string; readonly classification: Classification }
  | {
      readonly type: 'setAction';
      readonly actionId: string;
      readonly state: ActionState;
      readonly outcome?: RunOutcome;
      readonly result?: ToolResult;
      /** Tells this end from another one of the same action. */
      readonly digest?: string;
      readonly reason?: string;
    }
  | { readonly type: 'editAction'; readonly actionId: string; readonly request: ActionRequest }
  | {
      readonly type: 'recordConnections';
      readonly actionId: string;
      readonly connections: readonly CountedConnection[];
    }
  /** Fails the transaction when the grant has been revoked. */
  | {
      readonly type: 'useGrant';
      readonly actionId: string;
      readonly grant: NonNullable<Judgement['grant']>;
    }
  | {
      readonly type: 'requestDecision';
      readonly kind: Extract<DecisionKind, 'halt' | 'check' | 'elicitation'>;
      /** Null for a check that the model proposes. */
      readonly actionId: string | null;
      readonly action: string;
      /** The schema of what a server asks for. */
      readonly request?: Readonly<Record<string, unknown>>;
      readonly reason: string;
      readonly classification: Classification | null;
    }
  | { readonly type: 'withdrawDecisions' }
  | { readonly type: 'setCheck'; readonly verify: string; readonly by: string }
  | {
      readonly type: 'setGoal';
      readonly state: GoalState;
      readonly reason: string | null;
      readonly waitingFor: WaitingFor | null;
      readonly summary: string | null;
    };

/** The one thing to do in the world after the records are committed. */
export type ActEffect =
  | { readonly type: 'ask' }
  /** All of them before the first runs; more than one only where they may go side by side. */
  | { readonly type: 'classify'; readonly actions: readonly MachineAction[] }
  /** Side by side, if more than one. */
  | { readonly type: 'run'; readonly actions: readonly MachineAction[] }
  /** Find out what became of an action that was begun earlier, and take it over. */
  | { readonly type: 'recover'; readonly action: MachineAction };

export interface Advance {
  readonly machine: GoalMachine;
  readonly records: readonly RecordEffect[];
  /** Null: nothing to do until a person, a timer or nobody. */
  readonly act: ActEffect | null;
}

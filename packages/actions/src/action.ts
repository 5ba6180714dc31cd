import type { ActionRequest, ActionState, RunOutcome } from '@aish/contracts/actions';
import type { DecisionKind, GrantScope, Verdict } from '@aish/contracts/decisions';
import type { WaitingFor } from '@aish/contracts/goals';
import type { CountedConnection } from '@aish/contracts/network';
import type { CommandSurroundings } from '@aish/contracts/surroundings';
import type { Held } from '@aish/contracts/effects';
import type { Classification } from '@aish/contracts/safety';
import type { NewTurn } from '@aish/contracts/sessions';
import type { ElicitationAnswer, PendingInput, PendingTask, ToolResult } from '@aish/contracts/tools';

/**
 * What a model asked for in its newest answer, and how far that has come:
 *
 *     pending ── judged ──▶ started ── ended ──▶ finished, lost or skipped
 *        │                     ▲
 *        └▶ halted ── verdict ─┴▶ approved, pending again (edited) or skipped
 *
 * A command that nobody approved may destroy data that existed before. It then goes from `started` to `halted` with its
 * outcome. The verdict moves it to `approved`, its changes are kept or dropped, and it is `finished`.
 *
 * `started` is written before anything runs. After a crash the next driver therefore asks for the result and never runs
 * the action twice. The transitions are in `life/`. The effects on the world are in `engine.ts`.
 */
export type Action = ActionRequest & {
  readonly id: string;
  readonly state: ActionState;
  /** Of a command that has run: whether it exited 0. */
  readonly passed?: boolean;
  /** Of a call that ended with questions for now: these, and the answers so far. Of one that is a task now: that. */
  readonly pending?: PendingInput;
  /** Of a command that has run, whose effects wait for a person's verdict or for the sandbox to carry that out. */
  readonly held?: RunOutcome & { readonly held: Held };
};

/** What an answer asks for. `fault`: why it can never be made as it stands; told to the model. */
export type NewAction = ActionRequest & { readonly id: string; readonly fault?: string };

/** A person's standing word that lets run what would be asked about. */
export interface ActionGrant {
  readonly id: string;
  readonly scope: GrantScope;
  readonly createdBy: string;
  /** Whether commands keep the variables of their surroundings. */
  readonly carried: boolean;
}

/** Whether an action may begin. */
export interface Judgement {
  readonly actionId: string;
  /** What the gate says; of tools also what the policy says. Only `safe` runs without a person. */
  readonly classification: Classification;
  readonly grant: ActionGrant | null;
  /** Of a command that is safe alone: what lets it keep the variables of its surroundings. */
  readonly variablesGrant?: ActionGrant;
  /** Why a person is asked although nothing speaks against it. */
  readonly confirm?: string;
  /** Which attempt it is at what a person refused; left out of everything else. */
  readonly attempt?: number;
  /** What the person is shown beside the action; without it the last words of the model. */
  readonly context?: string;
  /** Of a command: what it would begin in. */
  readonly surroundings?: CommandSurroundings;
  /** What a grant of it is good for alone. */
  readonly binding?: string;
}

/** What became of an action that was begun. */
export type Ending =
  | {
      readonly kind: 'ran';
      readonly actionId: string;
      readonly outcome: RunOutcome;
      /** What it connected to or was refused, if anything. */
      readonly connections?: readonly CountedConnection[];
      /** Of held changes: which attempt they are at what a person refused. */
      readonly attempt?: number;
    }
  | { readonly kind: 'answered'; readonly actionId: string; readonly result: ToolResult }
  /** The server asks something; the call goes on once it has the answers. */
  | { readonly kind: 'asks'; readonly actionId: string; readonly pending: PendingInput }
  /** The call goes on as a task of its server, and is asked after. */
  | { readonly kind: 'waits'; readonly actionId: string; readonly pending: PendingTask }
  /** Nobody knows how it ended. */
  | { readonly kind: 'lost'; readonly actionId: string; readonly connections?: readonly CountedConnection[] }
  /** What was let through is no more what would happen: nothing has begun, and a person is asked with `why`. */
  | { readonly kind: 'outdated'; readonly actionId: string; readonly why: string }
  /** It will never run as it stands (too long, for instance). */
  | { readonly kind: 'refused'; readonly actionId: string; readonly reason: string };

/**
 * What happened to actions; `at` is in milliseconds since 1970. A decision depends only on these events and the
 * machine's state, never on a clock or on chance.
 */
export type ActionEvent =
  | {
      readonly type: 'classified';
      readonly judgements: readonly Judgement[];
      readonly tookMs: number;
      readonly at?: number;
    }
  | { readonly type: 'ended'; readonly endings: readonly Ending[]; readonly tookMs: number; readonly at?: number }
  | {
      readonly type: 'decided';
      readonly actionId: string;
      readonly verdict: Verdict;
      readonly message: string | null;
      /** What is run instead, of verdict `edit`. */
      readonly edited: ActionRequest | null;
      /** The folder that was shown, from which the words of a command name paths. */
      readonly folder?: string;
      /** To the question of a server. */
      readonly answer?: ElicitationAnswer | null;
      readonly by: string;
    }
  /** A person's answer to what the model needs; `reach` is null where it is not given, else what commands reach now. */
  | {
      readonly type: 'needDecided';
      readonly verdict: Verdict;
      readonly reach: readonly string[] | null;
      readonly message: string | null;
      readonly by: string;
    }
  /** Something needed is away. `began`: an action that may have begun all the same, and must be asked after. */
  | { readonly type: 'away'; readonly what: WaitingFor; readonly reason: string; readonly began: boolean };

/** How commands ended that were killed for a person, by their ids, where known. */
export interface Killed {
  readonly outcomes: Readonly<Record<string, RunOutcome>>;
  readonly connections?: Readonly<Record<string, readonly CountedConnection[]>>;
}

/** What is written of actions, all of it in the one transaction of its event. */
export type ActionRecord =
  | (NewTurn & {
      readonly type: 'appendTurn';
      /** Shown to people as what aish told the model. */
      readonly isTold?: boolean;
    })
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
  /** A call that has begun is a task of its server now, or what is known of that has changed. */
  | { readonly type: 'keepTask'; readonly actionId: string; readonly pending: PendingTask }
  | { readonly type: 'editAction'; readonly actionId: string; readonly request: ActionRequest }
  | {
      readonly type: 'recordConnections';
      readonly actionId: string;
      readonly connections: readonly CountedConnection[];
    }
  /** Fails the transaction when the grant has been revoked. */
  | { readonly type: 'useGrant'; readonly actionId: string; readonly grant: ActionGrant }
  | {
      readonly type: 'requestDecision';
      readonly kind: DecisionKind;
      /** Null for a check that the model proposes, for its question, and for what it needs. */
      readonly actionId: string | null;
      readonly action: string;
      /** The schema of what is asked for beside a verdict. */
      readonly request?: Readonly<Record<string, unknown>>;
      readonly reason: string;
      readonly context?: string;
      readonly classification: Classification | null;
      readonly surroundings?: CommandSurroundings;
      readonly binding?: string;
      /** Of a command that has run: what it did. */
      readonly outcome?: RunOutcome;
      readonly attempt?: number;
    }
  /** From now on changes of these paths are held, and the question quotes what the person said. */
  | {
      readonly type: 'refuse';
      readonly action: string;
      readonly words: string | null;
      readonly paths: readonly string[];
    }
  /** A person lets changes of these paths go by that they refused before. */
  | { readonly type: 'liftRefusals'; readonly paths: readonly string[] }
  | { readonly type: 'withdrawDecisions' };

/** The one thing to do in the world after the records are committed. */
export type ActionEffect =
  /** All of them before the first runs; more than one only where they may go side by side. */
  | { readonly type: 'classify'; readonly actions: readonly Action[] }
  /** Side by side, if more than one. */
  | { readonly type: 'run'; readonly actions: readonly Action[] }
  /** Carry out what a person said of the effects of a command that has run. */
  | { readonly type: 'settle'; readonly action: Action }
  /** Find out what became of an action that was begun earlier, and take it over. */
  | { readonly type: 'recover'; readonly action: Action };

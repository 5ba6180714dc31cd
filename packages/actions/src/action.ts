import type { ActionRequest, ActionState, RunOutcome } from '@aish/contracts/actions';
import type { DecisionKind, GrantScope, Verdict } from '@aish/contracts/decisions';
import type { WaitingFor } from '@aish/contracts/goals';
import type { CountedConnection } from '@aish/contracts/network';
import type { ExecutionContext } from '@aish/contracts/execution-context';
import type { Held } from '@aish/contracts/effects';
import type { Classification } from '@aish/contracts/safety';
import type { NewTurn } from '@aish/contracts/sessions';
import type { ElicitationAnswer, PendingInput, PendingTask, ToolResult } from '@aish/contracts/tools';

/**
 * An action that a model asked for in its newest answer, and its state:
 *
 * pending ── judged ──▶ started ── ended ──▶ finished, lost or skipped
 * │ ▲
 * └▶ halted ── verdict ─┴▶ approved, pending again (edited) or skipped
 *
 * A command that nobody approved may destroy data that existed before. It then goes from `started` to `halted` with its
 * outcome. The verdict moves it to `approved`, its changes are kept or dropped, and it is `finished`.
 *
 * `started` is written before anything runs. After a crash the next runner therefore asks for the result and never runs
 * the action twice. The transitions are in `life/`. The effects on the world are in `engine.ts`.
 */
export type Action = ActionRequest & {
  readonly id: string;
  readonly state: ActionState;
  /** Set for a command that has run: whether it exited with 0. */
  readonly passed?: boolean;
  /**
   * Set for a call that ended with open questions or became a task: the questions with the answers so far, or the task.
   */
  readonly pending?: PendingInput;
  /**
   * Set for a command that has run: its held changes, until a person has decided and the sandbox has carried out the
   * verdict.
   */
  readonly held?: RunOutcome & { readonly held: Held };
};

/** An action that an answer asks for. `fault` says why the action can never run as written. The model reads it. */
export type NewAction = ActionRequest & { readonly id: string; readonly fault?: string };

/** A person's grant, which lets an action run without asking. */
export interface ActionGrant {
  readonly id: string;
  readonly scope: GrantScope;
  readonly createdBy: string;
  /** Whether commands keep the variables of their execution context. */
  readonly carried: boolean;
}

/** Tells whether an action may start, and why. */
export interface Judgement {
  readonly actionId: string;
  /** The verdict of the gate, and for tools also of the policy. Only a `safe` action runs without a person. */
  readonly classification: Classification;
  readonly grant: ActionGrant | null;
  /** Set for a command that is safe without carried variables: the grant that lets it keep them. */
  readonly variablesGrant?: ActionGrant;
  /** Why a person is asked although there are no findings. */
  readonly confirm?: string;
  /**
   * How many times the model has tried something that a person refused, including this time. Absent for everything
   * else.
   */
  readonly attempt?: number;
  /** The action may change something, but nobody has accepted the goal's plan. It does not run, and nobody is asked. */
  readonly isBeforePlan?: true;
  /** The text that the person sees beside the action. Default: the model's last words. */
  readonly context?: string;
  /** The execution context of a command; absent for a tool. */
  readonly executionContext?: ExecutionContext;
  /** Grants from this decision apply only while this digest stays the same. */
  readonly binding?: string;
}

/** How a started action ended. */
export type Ending =
  | {
      readonly kind: 'ran';
      readonly actionId: string;
      readonly outcome: RunOutcome;
      /** The destinations that the command connected to, or was not allowed to reach. */
      readonly connections?: readonly CountedConnection[];
      /** Set for held changes: how many times a refused change was tried, including this time. */
      readonly attempt?: number;
      /** Notes for the model and the person, for example that a host restored its state. */
      readonly notes?: readonly string[];
    }
  | { readonly kind: 'answered'; readonly actionId: string; readonly result: ToolResult }
  /** The server asks a question. The call continues once the server has the answer. */
  | { readonly kind: 'asks'; readonly actionId: string; readonly pending: PendingInput }
  /** The call continues as a task of its server, and aish polls it. */
  | { readonly kind: 'waits'; readonly actionId: string; readonly pending: PendingTask }
  /** Nobody knows how it ended. */
  | {
      readonly kind: 'lost';
      readonly actionId: string;
      readonly connections?: readonly CountedConnection[];
      readonly notes?: readonly string[];
    }
  /**
   * The approval no longer matches the action. Nothing has started, and a person is asked, with `why` as the reason.
   */
  | { readonly kind: 'outdated'; readonly actionId: string; readonly why: string }
  /** The action can never run as written, for example because it is too long. */
  | { readonly kind: 'refused'; readonly actionId: string; readonly reason: string };

/**
 * Something that happened to actions. `at` is in milliseconds since 1970. A transition depends only on these events and
 * the machine's state, never on a clock or on chance.
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
      /** The action that runs instead, for the verdict `edit`; null otherwise. */
      readonly edited: ActionRequest | null;
      /** The starting folder that the person saw. Relative paths in the command start there. */
      readonly folder?: string;
      /** The number of the attempt that the decision was about, if the model tried something refused. */
      readonly attempt?: number;
      /** The answer to a server's question. */
      readonly answer?: ElicitationAnswer | null;
      readonly by: string;
    }
  /**
   * A person's answer to a need. `access` is null if the need was refused. Otherwise it lists the destinations that
   * commands may reach now.
   */
  | {
      readonly type: 'needDecided';
      readonly verdict: Verdict;
      readonly access: readonly string[] | null;
      readonly message: string | null;
      readonly by: string;
    }
  /**
   * A required service is unavailable. `began` means that the action may have started anyway, so aish must ask for its
   * result.
   */
  | { readonly type: 'unavailable'; readonly what: WaitingFor; readonly reason: string; readonly began: boolean };

/** How the commands that were killed for a person ended, by ID, as far as this is known. */
export interface Killed {
  readonly outcomes: Readonly<Record<string, RunOutcome>>;
  readonly connections?: Readonly<Record<string, readonly CountedConnection[]>>;
}

/** The records about actions. All records of an event are written in one transaction. */
export type ActionRecord =
  | (NewTurn & {
      readonly type: 'appendTurn';
      /** Whether people see the turn as a notice from aish to the model. */
      readonly isNotice?: boolean;
    })
  | { readonly type: 'classifyAction'; readonly actionId: string; readonly classification: Classification }
  | {
      readonly type: 'setAction';
      readonly actionId: string;
      readonly state: ActionState;
      readonly outcome?: RunOutcome;
      readonly result?: ToolResult;
      /** Distinguishes this end from another end of the same action. */
      readonly digest?: string;
      readonly reason?: string;
    }
  /** A started call is now a task of its server, or the state of the task has changed. */
  | { readonly type: 'keepTask'; readonly actionId: string; readonly pending: PendingTask }
  | { readonly type: 'editAction'; readonly actionId: string; readonly request: ActionRequest }
  | {
      readonly type: 'recordConnections';
      readonly actionId: string;
      readonly connections: readonly CountedConnection[];
    }
  /** Uses a grant. The transaction fails if the grant has been revoked. */
  | { readonly type: 'useGrant'; readonly actionId: string; readonly grant: ActionGrant }
  | {
      readonly type: 'requestDecision';
      readonly kind: DecisionKind;
      /** The action; null if the model proposes a check, asks a question or asks for access. */
      readonly actionId: string | null;
      readonly action: string;
      /** The JSON schema of the values that a verdict must include. */
      readonly request?: Readonly<Record<string, unknown>>;
      readonly reason: string;
      readonly context?: string;
      readonly classification: Classification | null;
      readonly executionContext?: ExecutionContext;
      readonly binding?: string;
      /** The outcome of a command that has run. */
      readonly outcome?: RunOutcome;
      readonly attempt?: number;
    }
  /** From now on changes to these paths are held. Decisions about them quote what the person said. */
  | {
      readonly type: 'refuse';
      readonly action: string;
      readonly words: string | null;
      readonly paths: readonly string[];
    }
  /** A person allows changes to these paths that they refused before. */
  | { readonly type: 'liftRefusals'; readonly paths: readonly string[] }
  | { readonly type: 'withdrawDecisions' };

/** The one effect to perform after the records are committed. */
export type ActionEffect =
  /** Judges all actions before the first one runs. There are several only if they may run in parallel. */
  | { readonly type: 'classify'; readonly actions: readonly Action[] }
  /** Runs the actions, in parallel if there are several. */
  | { readonly type: 'run'; readonly actions: readonly Action[] }
  /** Carries out a person's verdict on the changes of a command that has run. */
  | { readonly type: 'settle'; readonly action: Action }
  /** Takes over an action that was started earlier: finds out how it ended, or waits for its end. */
  | { readonly type: 'recover'; readonly action: Action };

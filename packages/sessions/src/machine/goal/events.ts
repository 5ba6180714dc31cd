import type { ActionEvent, ActionRecord, Advance as AdvanceOf, Killed, NewAction } from '@aish/actions';
import type { ActionRequest } from '@aish/contracts/actions';
import type { Verdict } from '@aish/contracts/decisions';
import type { GoalState, Usage, WaitingFor } from '@aish/contracts/goals';
import type { CutAnswer, GoalLine } from '@aish/prompt';
import type { GoalMachine } from './state.js';

/**
 * An event of a goal. A decision of the machine depends only on this event and the state, never on a clock or on
 * chance.
 */
export type GoalEvent =
  | ActionEvent
  | { readonly type: 'taken' }
  | {
      readonly type: 'answered';
      readonly text: string;
      /** The model's thoughts before its answer. The model never sees them again. */
      readonly reasoning?: string;
      readonly model: string | null;
      readonly usage: Usage | null;
      /** Notes for people about things that aish noticed while it read the answer. */
      readonly notes: readonly string[];
      readonly actions: readonly NewAction[];
      readonly goalLine: GoalLine | null;
      /** The ID for the check, if there is one. */
      readonly checkId: string;
      /** Whether the model repeated the description of a tool instead of calling it. */
      readonly isSchemaEcho: boolean;
      /** Why the answer is incomplete or useless. */
      readonly cut?: CutAnswer | null;
      readonly tookMs: number;
    }
  /** A person's verdict on the check that the model proposed. `command` is the check to use. */
  | {
      readonly type: 'checkDecided';
      readonly verdict: Verdict;
      readonly command: string;
      readonly message: string | null;
      readonly by: string;
    }
  /** A person's verdict on the plan that the model proposed. `plan`: the plan to follow. */
  | {
      readonly type: 'planDecided';
      readonly verdict: Verdict;
      readonly plan: string;
      readonly message: string | null;
      readonly by: string;
    }
  /** A person's answer to the question of the model. `answer` is null if there is none. */
  | {
      readonly type: 'questionDecided';
      readonly verdict: Verdict;
      readonly answer: string | null;
      readonly message: string | null;
      readonly by: string;
    }
  /** A person stopped the model in the middle of step `step`. `text` is what the model had written until then. */
  | { readonly type: 'interrupted'; readonly step: number; readonly text: string }
  /** An unexpected error occurred. */
  | { readonly type: 'broke'; readonly reason: string }
  | { readonly type: 'failed'; readonly reason: string }
  | ({ readonly type: 'cancelled'; readonly by: string } & Killed)
  /** Messages of people for the model's next turn, oldest first. `upTo` is the sequence number of the newest. */
  | { readonly type: 'said'; readonly messages: readonly string[]; readonly upTo: number }
  | { readonly type: 'paused'; readonly by: string }
  /** `isAsked` says whether a decision is still open. */
  | { readonly type: 'resumed'; readonly isAsked: boolean }
  | { readonly type: 'continued'; readonly steps: number; readonly message: string | null; readonly by: string }
  /** `text` is null if the change does not concern the model. */
  | { readonly type: 'edited'; readonly text: string | null; readonly by: string };

/**
 * The records to write. All of them are written in the transaction of their event, together with the counters of the
 * goal.
 */
export type GoalRecord = ActionRecord | OwnGoalRecord;

/** The records that only a goal has. */
export type OwnGoalRecord =
  | { readonly type: 'startStep'; readonly n: number }
  | {
      readonly type: 'answerStep';
      readonly n: number;
      readonly text: string;
      readonly reasoning?: string;
      readonly model: string | null;
      readonly usage: Usage | null;
      readonly notes: readonly string[];
      readonly goalLine: GoalLine | null;
      readonly actions: readonly (ActionRequest & { readonly id: string })[];
    }
  | { readonly type: 'hear'; readonly upTo: number }
  | { readonly type: 'setCheck'; readonly verify: string; readonly by: string }
  | { readonly type: 'acceptPlan' }
  | {
      readonly type: 'setGoal';
      readonly state: GoalState;
      readonly reason: string | null;
      readonly waitingFor: WaitingFor | null;
      readonly summary: string | null;
      /** Set if people need not be notified about the change. */
      readonly isQuiet?: true;
    };

export type Advance = AdvanceOf<GoalMachine, GoalRecord>;

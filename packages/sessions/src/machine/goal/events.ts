import type { ActionEvent, ActionRecord, Advance as AdvanceOf, Killed, NewAction } from '@aish/actions';
import type { ActionRequest } from '@aish/contracts/actions';
import type { Verdict } from '@aish/contracts/decisions';
import type { GoalState, Usage, WaitingFor } from '@aish/contracts/goals';
import type { CutAnswer, GoalLine } from '@aish/prompt';
import type { GoalMachine } from './state.js';

/** What happened. Everything a decision of the machine depends on is in here or in the state: no clock, no chance. */
export type GoalEvent =
  | ActionEvent
  | { readonly type: 'taken' }
  | {
      readonly type: 'answered';
      readonly text: string;
      /** What it thought before; never shown to it again. */
      readonly reasoning?: string;
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
      /** Why it is not all that its model wrote, or not enough. */
      readonly cut?: CutAnswer | null;
      readonly tookMs: number;
    }
  /** A person's answer to the check that the model proposed; `command` is the one to take. */
  | {
      readonly type: 'checkDecided';
      readonly verdict: Verdict;
      readonly command: string;
      readonly message: string | null;
      readonly by: string;
    }
  /** A person's answer to the question of the model; `answer` is null where there is none. */
  | {
      readonly type: 'questionDecided';
      readonly verdict: Verdict;
      readonly answer: string | null;
      readonly message: string | null;
      readonly by: string;
    }
  /** A person stopped the model in the middle of step `step`: what it had written until then. */
  | { readonly type: 'interrupted'; readonly step: number; readonly text: string }
  /** An error that nobody foresaw. */
  | { readonly type: 'broke'; readonly reason: string }
  | { readonly type: 'failed'; readonly reason: string }
  | ({ readonly type: 'cancelled'; readonly by: string } & Killed)
  | { readonly type: 'paused'; readonly by: string }
  /** `isAsked`: a question to a person is still open. */
  | { readonly type: 'resumed'; readonly isAsked: boolean }
  | { readonly type: 'continued'; readonly steps: number; readonly message: string | null; readonly by: string }
  /** `text`: null when only what the model need not know was changed. */
  | { readonly type: 'edited'; readonly text: string | null; readonly by: string };

/** What to write, all of it in the one transaction of its event. Counters of the goal are written with it. */
export type GoalRecord = ActionRecord | OwnGoalRecord;

/** Those that no chat has. */
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
  | { readonly type: 'setCheck'; readonly verify: string; readonly by: string }
  | {
      readonly type: 'setGoal';
      readonly state: GoalState;
      readonly reason: string | null;
      readonly waitingFor: WaitingFor | null;
      readonly summary: string | null;
      /** Nothing has changed that people are told of. */
      readonly isQuiet?: true;
    };

export type Advance = AdvanceOf<GoalMachine, GoalRecord>;

import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import type { Decision } from '@aish/contracts/decisions';
import { isTerminal, type Goal } from '@aish/contracts/goals';
import { AishError, isAishError } from '@aish/contracts/problems';
import { checkRole } from '@aish/contracts/space-roles';
import { Scope } from '@aish/contracts/tokens';
import type { Database } from '@aish/database/client';
import { listDecisions } from '@aish/database/decisions.repository';
import { findGiver, findGoal } from '@aish/database/goals.repository';
import { findSpaceOf } from '@aish/database/spaces.repository';
import { callerNamed } from '@aish/database/tokens.repository';
import { TaskAnswer, answerOf, type Caller, type DetailedTask, type Task, type TaskSource } from '@aish/mcp';
import { z } from 'zod';
import { DecisionsService } from '../decisions/decisions.service.js';
import { GoalsService } from '../goals/goals.service.js';
import { howToDecide } from '../notifications/notification.js';
import type { Person } from '../spaces/space-access.js';
import { formOf, keyOf, questionText, verdictIn } from './decision.form.js';
import { shownGoal } from './shown-goal.js';

const DAY_MS = 86_400_000;
/** Clients are told that a task is kept this long after its last change. Goals are kept longer. */
const KEPT_MS = 28 * DAY_MS;
const POLL_MS = 2_000;
/** The interval at which clients poll while a person decides. */
const POLL_ASKED_MS = 10_000;
const QUESTIONS_MAX = 20;
const INTERNAL_ERROR = -32_603;

/** Presents goals as MCP tasks. The task has the goal's ID and state. */
@Injectable()
export class GoalTasks {
  constructor(
    @Part('db') private readonly db: Database,
    private readonly goals: GoalsService,
    private readonly decisions: DecisionsService,
  ) {}

  /** Returns the goals that this person gave, if the token may read goals. */
  of(caller: Caller): TaskSource {
    return {
      get: async (taskId, canElicit) => {
        const goal = await this.own(caller, taskId);
        return goal === null ? null : this.detailed(goal, caller, canElicit);
      },
      update: async (taskId, answers) => {
        const goal = await this.own(caller, taskId);
        if (goal === null) return false;
        for (const asked of await this.questions(goal)) await this.answer(caller, asked, answers[keyOf(asked)]);
        return true;
      },
      cancel: async (taskId) => {
        const goal = await this.own(caller, taskId);
        if (goal === null) return false;
        await this.cancel(caller, goal);
        return true;
      },
    };
  }

  private async own(caller: Caller, taskId: string): Promise<Goal | null> {
    if (!caller.mayUse({ needs: 'observe' }) || !z.uuid().safeParse(taskId).success) return null;
    const giver = await findGiver(this.db.statements, taskId);
    if (giver === null) return null;
    const { owner } = await callerNamed(this.db.statements, giver);
    return owner === personOf(caller).owner ? findGoal(this.db.statements, taskId) : null;
  }

  private questions({ id: goalId }: Goal): Promise<Decision[]> {
    return listDecisions(this.db.statements, { goalId, state: 'pending', limit: QUESTIONS_MAX });
  }

  private async detailed(goal: Goal, caller: Caller, canElicit: boolean): Promise<DetailedTask> {
    const task = begunTask(goal);
    if (isTerminal(goal.state)) return ended(task, goal.summary === null ? await this.goals.show(goal.id) : goal);
    const asked = await this.questions(goal);
    if (asked.length === 0) return { ...task, status: 'working' };
    const mayDecide = caller.mayUse({ needs: 'decide' });
    const waiting = { ...task, status: 'input_required', pollIntervalMs: POLL_ASKED_MS } as const;
    if (!canElicit) {
      const statusMessage = asked.map((each) => questionText(each, true)).join('\n\n');
      return { ...waiting, statusMessage, inputRequests: {} };
    }
    const forms = asked.map((each) => [keyOf(each), formOf(each, mayDecide)] as const);
    return { ...waiting, statusMessage: 'It waits for a person', inputRequests: Object.fromEntries(forms) };
  }

  /** Passes on an answer. It is ignored if the decision was taken in the meantime or has changed. */
  private async answer(caller: Caller, asked: Decision, given: unknown): Promise<void> {
    if (given === undefined) return;
    const person = personOf(caller);
    if (!caller.mayUse({ needs: 'decide' })) {
      const decision = `d${asked.number}`;
      const message = `This token cannot give verdicts. A person answers ${decision} in aish itself: ${howToDecide(asked)}`;
      throw new AishError('forbidden', message, { needed: 'decide', decision });
    }
    const space = await findSpaceOf(this.db.statements, 'decisions', asked.id);
    if (space !== null) checkRole(space, person, 'decide');
    const parsed = TaskAnswer.safeParse(given);
    if (!parsed.success)
      throw new AishError('invalid_body', `${keyOf(asked)}: this is not an answer to an elicitation`);
    const verdict = verdictIn(asked, parsed.data);
    if (verdict === null) return;
    const giver = { name: person.name, owner: person.owner, isAdmin: caller.mayUse({ needs: 'admin' }) };
    try {
      await this.decisions.decide(giver, asked.id, verdict);
    } catch (error) {
      if (!isAishError(error, 'decision_taken', 'decision_changed')) throw error;
    }
  }

  private async cancel(caller: Caller, goal: Goal): Promise<void> {
    if (!caller.mayUse({ needs: 'operate' })) {
      throw new AishError('forbidden', 'This request needs a token with scope operate', { needed: 'operate' });
    }
    await this.goals.checkMayUse(personOf(caller), goal.id);
    if (isTerminal(goal.state)) return;
    try {
      await this.goals.cancel(caller.name, goal.id);
    } catch (error) {
      if (!isAishError(error, 'goal_ended')) throw error;
    }
  }
}

/** Returns a running goal as a task. */
export function begunTask(goal: Goal): Task {
  const { id: taskId, state, reason, stepsTaken, stepBudget, createdAt, updatedAt: lastUpdatedAt } = goal;
  const keptFrom = isTerminal(state) ? Date.parse(lastUpdatedAt) : Date.now();
  return {
    taskId,
    status: 'working',
    statusMessage: `Goal ${goal.number} is ${state}, ${stepsTaken} of ${stepBudget} steps${reason === null ? '' : `: ${reason}`}`,
    createdAt,
    lastUpdatedAt,
    ttlMs: keptFrom - Date.parse(createdAt) + KEPT_MS,
    pollIntervalMs: POLL_MS,
  };
}

/**
 * Returns an ended goal as a task. `failed` means a failure of aish itself. A goal that did not succeed still has a
 * result that says so.
 */
function ended(task: Task, goal: Goal): DetailedTask {
  if (goal.state === 'aborted') return { ...task, status: 'cancelled' };
  if (goal.state === 'failed') {
    const message = goal.reason ?? 'The goal has failed';
    return { ...task, status: 'failed', error: { code: INTERNAL_ERROR, message } };
  }
  const result = answerOf(shownGoal(goal));
  return { ...task, status: 'completed', result: goal.state === 'done' ? result : { ...result, isError: true } };
}

/** Returns the MCP caller as a person, for the rules of spaces. */
export function personOf({ name, memory, mayUse }: Caller): Person {
  const scopes = Scope.options.filter((needs) => mayUse({ needs }));
  return { name, owner: memory?.owner ?? name, app: memory?.app ?? null, scopes };
}

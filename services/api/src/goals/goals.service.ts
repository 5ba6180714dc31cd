import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { killCommands } from '@aish/actions';
import { sumEffects } from '@aish/contracts/effect-lines';
import type { EventBody } from '@aish/contracts/events';
import {
  isTerminal,
  type ContinueGoal,
  type EditGoal,
  type Goal,
  type GoalDetail,
  type GoalState,
} from '@aish/contracts/goals';
import type { Grant } from '@aish/contracts/grants';
import { AishError } from '@aish/contracts/problems';
import { checkRole } from '@aish/contracts/space-roles';
import type { Trust } from '@aish/contracts/trust';
import { closeFollowUp } from '@aish/database/chats.repository';
import type { Database } from '@aish/database/client';
import { hasPendingDecision, listDecisions } from '@aish/database/decisions.repository';
import { appendEvents, listGoalMessages } from '@aish/database/events.repository';
import { listEvidence } from '@aish/database/evidence.repository';
import { editGoal, listGoals, lockGoal, supersedeRunner } from '@aish/database/goals.repository';
import { listGrants, revokeGrant } from '@aish/database/grants.repository';
import { setArchived } from '@aish/database/sessions.repository';
import { listActions, listSteps } from '@aish/database/steps.repository';
import { findSpaceOf } from '@aish/database/spaces.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import { summarizeRecord, withMachine, type GoalEvent, type GoalMachine } from '@aish/sessions';
import type { Sandbox } from '@aish/sandbox-client';
import { AfterCommit } from '../after-commit.js';
import { goalOf } from '../references.js';
import type { Person } from '../spaces/space-access.js';
import { checkTrustIn } from '../spaces/trust.js';

const MAX_DECISIONS = 500;

/** Reads and changes goals for people. */
@Injectable()
export class GoalsService {
  constructor(
    @Part('db') private readonly db: Database,
    private readonly after: AfterCommit,
    @Part('sandbox') private readonly sandbox: Sandbox,
    @Part('trustMax') private readonly trustMax: Trust,
  ) {}

  /** Checks access to a goal for routes without a guard that does so. @throws AishError `forbidden` */
  async checkMayUse(by: Person, reference: string): Promise<void> {
    const space = await findSpaceOf(this.db.statements, 'goals', reference);
    if (space !== null) checkRole(space, by, 'use');
  }

  list(filter: Parameters<typeof listGoals>[1]): Promise<Goal[]> {
    return listGoals(this.db.statements, filter);
  }

  /** @throws AishError `not_found` */
  async find(reference: string): Promise<Goal> {
    return goalOf(this.db.statements, reference);
  }

  /**
   * Returns the goal with its full history. If the model gave no summary, the history supplies one. @throws AishError
   * `not_found`
   */
  async show(reference: string): Promise<GoalDetail> {
    const goal = await this.find(reference);
    const [steps, actions, decisions, grants, evidence, messages] = await Promise.all([
      listSteps(this.db.statements, goal.sessionId),
      listActions(this.db.statements, goal.sessionId),
      listDecisions(this.db.statements, { goalId: goal.id, limit: MAX_DECISIONS }),
      listGrants(this.db.statements, goal.id),
      listEvidence(this.db.statements, goal.sessionId),
      listGoalMessages(this.db.statements, goal.sessionId),
    ]);
    const effects = sumEffects(actions.flatMap(({ outcome }) => outcome ?? []));
    const detail = { ...goal, steps, actions, decisions, grants, effects, evidence, messages };
    return goal.summary === null && isTerminal(goal.state) ? { ...detail, summary: summarizeRecord(detail) } : detail;
  }

  /**
   * Ends the goal now: kills its running command, refuses writes of its runner, and withdraws its decision. @throws
   * AishError `not_found`; `goal_ended` with its final state
   */
  async cancel(by: string, reference: string): Promise<Goal> {
    const goal = await this.find(reference);
    if (isTerminal(goal.state)) throw ended(goal, goal.state);
    // Otherwise the goal's runner would treat the killed command as ended and continue.
    await supersedeRunner(this.db.statements, goal.id);
    const killed = await this.kill(goal);
    return this.change(goal, (machine) => {
      if (isTerminal(machine.state)) throw ended(goal, machine.state);
      return { event: { type: 'cancelled', by, ...killed } };
    });
  }

  /**
   * Pauses the goal. A running command finishes or, with `stop`, is killed. When the goal resumes, the model reads how
   * the command ended. Pausing a paused goal changes nothing else. @throws AishError `not_found`; `goal_ended`.
   */
  async pause(by: string, reference: string, stop: boolean): Promise<Goal> {
    const paused = await this.change(await this.find(reference), (machine, goal) => {
      if (isTerminal(machine.state)) throw ended(goal, machine.state);
      return { event: { type: 'paused', by } };
    });
    // The goal's runner can no longer write, so it cannot treat the killed command as ended and continue.
    if (stop) await this.kill(paused);
    return paused;
  }

  private async kill({ sessionId }: Goal): ReturnType<typeof killCommands> {
    const actions = await listActions(this.db.statements, sessionId);
    const running = actions.filter(({ kind, state }) => kind === 'command' && state === 'started');
    return killCommands(
      this.sandbox,
      running.map(({ id }) => id),
    );
  }

  /** Resumes a paused goal. @throws AishError `not_found`; `goal_ended`. */
  async resume(reference: string): Promise<Goal> {
    return this.change(await this.find(reference), async (machine, goal, tx) => {
      if (isTerminal(machine.state)) throw ended(goal, machine.state);
      return { event: { type: 'resumed', isAsked: await hasPendingDecision(tx, goal.sessionId) } };
    });
  }

  /**
   * Gives an ended goal more steps and new budgets. A done goal also needs a new message.
   * @throws AishError `not_found`; `goal_not_ended`; `goal_done`.
   */
  async continue(by: string, reference: string, { steps, message: text }: ContinueGoal): Promise<Goal> {
    const message = text ?? null;
    return this.change(await this.find(reference), async (machine, goal, tx) => {
      const { id: goalId, number } = goal;
      if (!isTerminal(machine.state)) {
        throw new AishError('goal_not_ended', `Goal ${number} is ${machine.state}; there is nothing to continue`);
      }
      if (machine.state === 'done' && message === null) {
        throw new AishError('goal_done', `Goal ${number} is done. Add a message that says what to do next`);
      }
      if (!(await closeFollowUp(tx, goalId))) {
        throw new AishError('busy', `Someone is chatting about goal ${number}. Wait for the answer, or stop it`);
      }
      // A continued goal is no longer archived.
      await setArchived(tx, goal.sessionId, false);
      const stepBudget = machine.stepsTaken + steps;
      return {
        event: { type: 'continued', steps, message, by },
        before: [{ type: 'goal.continued', goalId, steps, stepBudget, message, by }],
      };
    });
  }

  /**
   * Changes text, check, priority or trust. The model gets a notice about a new text. @throws AishError `not_found`;
   * `goal_done`; `trust_not_allowed` or `forbidden` if the caller may not give that trust
   */
  async edit(person: Person, reference: string, { text, verify, priority, trust }: EditGoal): Promise<Goal> {
    const goal = await this.find(reference);
    const by = person.name;
    await checkTrustIn(this.db.statements, trust, this.trustMax, person, goal.space);
    const change = {
      ...(text === undefined ? {} : { text }),
      ...(verify === undefined ? {} : { verify }),
      ...(priority === undefined ? {} : { priority }),
      ...(trust === undefined ? {} : { trust }),
    };
    return this.change(goal, async (machine, { id: goalId, number }, tx) => {
      if (machine.state === 'done')
        throw new AishError(
          'goal_done',
          `Goal ${number} is done. Continue it with a message that says what to do next`,
        );
      await editGoal(tx, goalId, change);
      const before: EventBody[] = [
        ...(text === undefined ? [] : [{ type: 'goal.edited' as const, goalId, text, by }]),
        ...(verify === undefined ? [] : [{ type: 'goal.check' as const, goalId, verify, by }]),
        ...(trust === undefined ? [] : [{ type: 'goal.trust' as const, goalId, trust, by }]),
      ];
      return { event: { type: 'edited', text: text ?? null, by }, before };
    });
  }

  /** Returns the grants of this goal. @throws AishError `not_found` */
  async grants(reference: string): Promise<Grant[]> {
    const goal = await this.find(reference);
    return listGrants(this.db.statements, goal.id);
  }

  /** Removes a grant, which ends before the next action. @throws AishError `not_found` */
  async revoke(by: string, reference: string, grantId: string): Promise<Grant> {
    const goal = await this.find(reference);
    const { grant, seq } = await inTransaction(this.db, async (tx) => {
      // The goal's row is locked first, as every writer of a goal does.
      await lockGoal(tx, goal.id);
      const grant = await revokeGrant(tx, goal.id, grantId, by);
      if (grant === null) throw new AishError('not_found', `Goal ${goal.number} has no grant ${grantId} to revoke`);
      const seq = await appendEvents(tx, goal.sessionId, [{ type: 'grant.revoked', goalId: goal.id, grantId, by }]);
      return { grant, seq };
    });
    const { id: goalId, sessionId } = goal;
    await this.after.publish({ type: 'events', sessionId, seq, goalId, types: ['grant.revoked'] });
    return grant;
  }

  /** Applies a person's change to a goal. Stops the goal's runner, and starts another one if there is more to do. */
  private async change(
    goal: Goal,
    prepare: (machine: GoalMachine, goal: Goal, tx: Tx) => Prepared | Promise<Prepared>,
  ): Promise<Goal> {
    const { notice, goesOn } = await inTransaction(this.db, async (tx) => {
      const { machine, notice } = await withMachine(tx, goal.id, async (_row, machine) => prepare(machine, goal, tx));
      return { notice, goesOn: machine.state === 'queued' };
    });
    await this.after.publish({ type: 'cancel', goalId: goal.id });
    const changed = await this.find(goal.id);
    if (goesOn) await this.after.addGoalJob(goal.id, changed.priority);
    await this.after.publish(notice);
    return changed;
  }
}

type Prepared = { readonly event: GoalEvent; readonly before?: readonly EventBody[] };

function ended({ number }: Goal, state: GoalState): AishError {
  return new AishError('goal_ended', `Goal ${number} has ended: ${state}`, { state });
}

import { randomUUID } from 'node:crypto';
import {
  AishError,
  isTerminal,
  type CreateGoal,
  type Goal,
  type GoalDetail,
  type GoalState,
  type RunOutcome,
} from '@aish/contracts';
import {
  appendEvents,
  appendTurn,
  findGoal,
  inTransaction,
  insertGoal,
  listActions,
  listDecisions,
  listGoals,
  listSteps,
  lockGoal,
  supersedeDriver,
  type Database,
} from '@aish/database';
import { advance, loadGoal, record } from '@aish/norris';
import type { Sandbox } from '@aish/sandbox-client';
import type { AfterCommit } from '../after-commit.js';

/** How long a cancel waits for the sandbox to kill a command. */
const KILL_TIMEOUT_MS = 5_000;
const MAX_DECISIONS = 500;

export class GoalsService {
  constructor(
    private readonly db: Database,
    private readonly after: AfterCommit,
    private readonly sandbox: Sandbox,
    private readonly presets: readonly string[],
  ) {}

  /** @throws AishError `invalid_body` when there is no such preset. */
  async create(by: string, input: CreateGoal): Promise<Goal> {
    if (!this.presets.includes(input.preset)) {
      throw new AishError('invalid_body', `There is no preset ${input.preset}; there are ${this.presets.join(', ')}`, {
        errors: [{ path: 'preset', message: `one of ${this.presets.join(', ')}` }],
      });
    }
    const { goal, seq } = await inTransaction(this.db, async (tx) => {
      const goal = await insertGoal(tx, { ...input, id: randomUUID(), sessionId: randomUUID(), createdBy: by });
      await appendTurn(tx, goal.sessionId, 'user', goal.text);
      const { id: goalId, number, text, preset, stepBudget } = goal;
      const seq = await appendEvents(tx, goal.sessionId, [
        { type: 'goal.created', goalId, number, text, preset, stepBudget },
      ]);
      return { goal, seq };
    });
    await this.after.drive(goal.id);
    await this.after.tell({ type: 'events', sessionId: goal.sessionId, seq, goalId: goal.id, types: ['goal.created'] });
    return goal;
  }

  list(state: GoalState | undefined, limit: number): Promise<Goal[]> {
    return listGoals(this.db.prisma, state ?? null, limit);
  }

  /** @throws AishError `not_found` */
  async find(reference: string): Promise<Goal> {
    const goal = await findGoal(this.db.prisma, reference);
    if (goal === null) throw new AishError('not_found', `There is no goal ${reference}`);
    return goal;
  }

  /** The goal with its whole story. @throws AishError `not_found` */
  async show(reference: string): Promise<GoalDetail> {
    const goal = await this.find(reference);
    const [steps, actions, decisions] = await Promise.all([
      listSteps(this.db.prisma, goal.id),
      listActions(this.db.prisma, goal.id),
      listDecisions(this.db.prisma, { goalId: goal.id, limit: MAX_DECISIONS }),
    ]);
    return { ...goal, steps, actions, decisions };
  }

  /**
   * Ends the goal now: kills its running command, refuses its driver's writes, withdraws its question.
   * @throws AishError `not_found`; `goal_ended` with the state it ended in.
   */
  async cancel(by: string, reference: string): Promise<Goal> {
    const goal = await this.find(reference);
    if (isTerminal(goal.state)) throw ended(goal);
    const outcomes = await this.killCommands(goal.id);
    const notice = await inTransaction(this.db, async (tx) => {
      const row = await lockGoal(tx, goal.id);
      if (row === null) throw new AishError('not_found', `There is no goal ${reference}`);
      const loaded = await loadGoal(tx, row);
      if (isTerminal(loaded.machine.state)) throw ended(await this.find(goal.id));
      const { machine, records } = advance(loaded.machine, { type: 'cancelled', by, outcomes });
      await supersedeDriver(tx, goal.id);
      const recorded = await record(tx, records, {
        goalId: goal.id,
        sessionId: goal.sessionId,
        previous: loaded.machine,
        machine,
        stepText: loaded.stepText,
        wakeInMs: 0,
      });
      return recorded.notice;
    });
    await this.after.tell({ type: 'cancel', goalId: goal.id });
    await this.after.tell(notice);
    return this.find(goal.id);
  }

  private async killCommands(goalId: string): Promise<Record<string, RunOutcome>> {
    const actions = await listActions(this.db.prisma, goalId);
    const outcomes: Record<string, RunOutcome> = {};
    for (const { id } of actions.filter((action) => action.state === 'started')) {
      try {
        const outcome = await this.sandbox.cancel(id, AbortSignal.timeout(KILL_TIMEOUT_MS));
        if (outcome !== null) outcomes[id] = outcome;
      } catch (error) {
        // The sandbox is away: the goal ends all the same, and its action as lost, which is the truth.
        if (!(error instanceof AishError)) throw error;
      }
    }
    return outcomes;
  }
}

function ended(goal: Goal): AishError {
  return new AishError('goal_ended', `Goal ${goal.number} has ended: ${goal.state}`, { state: goal.state });
}

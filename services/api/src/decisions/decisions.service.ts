import { AishError, type Decision, type GiveVerdict, type ListDecisions } from '@aish/contracts';
import { decide, findDecision, inTransaction, listDecisions, lockGoal, type Database, type Tx } from '@aish/database';
import { advance, loadGoal, record } from '@aish/norris';
import type { AfterCommit } from '../after-commit.js';

export class DecisionsService {
  constructor(
    private readonly db: Database,
    private readonly after: AfterCommit,
  ) {}

  list({ state, limit }: ListDecisions): Promise<Decision[]> {
    return listDecisions(this.db.prisma, { state, limit });
  }

  /** @throws AishError `not_found` */
  async find(reference: string, tx: Tx = this.db.prisma): Promise<Decision> {
    const decision = await findDecision(tx, reference);
    if (decision === null) throw new AishError('not_found', `There is no decision ${reference}`);
    return decision;
  }

  /**
   * Gives a verdict; the first one wins. The goal goes on in a worker, or ends.
   * @throws AishError `not_found`; `decision_taken` with `{ state, verdict, decidedBy, decidedAt }` of the first.
   */
  async decide(by: string, reference: string, { verdict, message: told }: GiveVerdict): Promise<Decision> {
    const message = told ?? null;
    const { decision, notice, goesOn } = await inTransaction(this.db, async (tx) => {
      const asked = await this.find(reference, tx);
      // The goal's row is locked first, as every writer of a goal does: no verdict meets a cancel half-way.
      const row = await lockGoal(tx, asked.goalId);
      if (row === null) throw new AishError('not_found', `There is no decision ${reference}`);
      if (!(await decide(tx, asked.id, verdict, message, by))) throw taken(await this.find(asked.id, tx));
      const loaded = await loadGoal(tx, row);
      const { machine, records } = advance(loaded.machine, {
        type: 'decided',
        actionId: asked.actionId,
        verdict,
        message,
        by,
      });
      const { goalId, id: decisionId, number } = asked;
      const { notice } = await record(tx, records, {
        goalId,
        sessionId: asked.sessionId,
        previous: loaded.machine,
        machine,
        stepText: loaded.stepText,
        wakeInMs: 0,
        before: [{ type: 'decision.given', goalId, decisionId, number, verdict, message, by }],
      });
      return { decision: await this.find(asked.id, tx), notice, goesOn: machine.state === 'queued' };
    });
    if (goesOn) await this.after.drive(decision.goalId);
    await this.after.tell(notice);
    return decision;
  }
}

function taken({ state, verdict, decidedBy, decidedAt, number }: Decision): AishError {
  const how =
    state === 'withdrawn' ? 'was withdrawn, because its goal ended' : `was answered with ${verdict} by ${decidedBy}`;
  return new AishError('decision_taken', `Decision d-${number} ${how}`, { state, verdict, decidedBy, decidedAt });
}

import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { isTerminal, type Goal } from '@aish/contracts/goals';
import type { Session } from '@aish/contracts/chat';
import { AishError } from '@aish/contracts/problems';
import { appendAudit } from '@aish/database/audit.repository';
import { closeFollowUp } from '@aish/database/chats.repository';
import type { Database } from '@aish/database/client';
import { lastEventSeq } from '@aish/database/events.repository';
import { lockGoal } from '@aish/database/goals.repository';
import { deleteSession, setArchived } from '@aish/database/sessions.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import type { Workspaces } from '@aish/sandbox-client';
import { AfterCommit } from '../after-commit.js';
import { goalOf, sessionOf } from '../references.js';
import { removeWorkspace } from './remove-workspace.js';

/** Archives work that has ended, and deletes goals. */
@Injectable()
export class ArchiveService {
  constructor(
    @Part('db') private readonly db: Database,
    private readonly after: AfterCommit,
    @Part('workspaces') private readonly workspaces: Workspaces,
  ) {}

  /** @throws AishError `not_found`; `goal_not_ended`, because active work is not archived */
  async archiveGoal(reference: string, archived: boolean): Promise<Goal> {
    const goal = await goalOf(this.db.statements, reference);
    await inTransaction(this.db, async (tx) => {
      await lockEnded(tx, goal);
      await setArchived(tx, goal.sessionId, archived);
    });
    await this.tell(goal.sessionId, goal.id, 'goal.archived');
    return goalOf(this.db.statements, goal.id);
  }

  /** @throws AishError `not_found`; `goal_not_ended` for the session of an active goal */
  async archiveSession(reference: string, archived: boolean): Promise<Session> {
    const session = await sessionOf(this.db.statements, reference);
    if (session.goalNumber === null) {
      await setArchived(this.db.statements, session.id, archived);
      await this.tell(session.id, null, 'chat.archived');
    } else await this.archiveGoal(String(session.goalNumber), archived);
    return sessionOf(this.db.statements, session.id);
  }

  /**
   * Deletes an ended goal with its record, its chat and its workspace. The workspace is deleted first: if that fails,
   * everything stays. Verdicts and the deletion itself stay in the audit log. @throws AishError `not_found`;
   * `goal_not_ended`; `busy` while someone chats about the goal; the errors of the sandbox
   */
  async deleteGoal(by: string, reference: string): Promise<void> {
    const goal = await goalOf(this.db.statements, reference);
    const { id: goalId, number, sessionId, text } = goal;
    await inTransaction(this.db, (tx) => lockEnded(tx, goal));
    await removeWorkspace(this.workspaces, sessionId);
    await inTransaction(this.db, async (tx) => {
      await lockEnded(tx, goal);
      if (!(await closeFollowUp(tx, goalId))) {
        throw new AishError('busy', `Someone is chatting about goal ${number}. Stop that chat first`);
      }
      await deleteSession(tx, sessionId);
      const facts = { text: text.slice(0, 200) };
      await appendAudit(tx, { actor: by, action: 'goal.deleted', subject: `g-${number}`, facts });
    });
    await this.after.publish({ type: 'events', sessionId, seq: 0, goalId, types: ['goal.deleted'] });
  }

  private async tell(sessionId: string, goalId: string | null, type: string): Promise<void> {
    const seq = (await lastEventSeq(this.db.statements, sessionId)) ?? 0;
    await this.after.publish({ type: 'events', sessionId, seq, goalId, types: [type] });
  }
}

/** Prevents any runner of the goal until the end of the transaction. */
async function lockEnded(tx: Tx, { id, number }: Goal): Promise<void> {
  const row = await lockGoal(tx, id);
  if (row === null) throw new AishError('not_found', `There is no goal ${number}`);
  if (isTerminal(row.state as Goal['state'])) return;
  throw new AishError('goal_not_ended', `Goal ${number} is ${row.state}. Cancel it first`);
}

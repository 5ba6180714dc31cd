import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { actionText } from '@aish/contracts/actions';
import type { ChangeList, ListChanges } from '@aish/contracts/effects';
import type { GoalSnapshotList, Undone, UndoPreview, UndoScope } from '@aish/contracts/files';
import { preludeFor } from '@aish/contracts/hosts';
import { AishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { appendAudit } from '@aish/database/audit.repository';
import { appendEvents, listOwnCommands } from '@aish/database/events.repository';
import { findGoal, lockGoal } from '@aish/database/goals.repository';
import { listApproved } from '@aish/database/hosts.repository';
import { findSession } from '@aish/database/sessions.repository';
import { findCommand, listActions } from '@aish/database/steps.repository';
import { inTransaction } from '@aish/database/transaction';
import { noticeTurn } from '@aish/prompt';
import { appendTurn } from '@aish/database/turns.repository';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import type { Workspaces } from '@aish/sandbox-client';
import { needMayChange } from '../decisions/may-change.js';
import { AfterCommit } from '../after-commit.js';
import { goalOf, sessionOf } from '../references.js';
import { HostFolders } from '../sessions/host-folders.js';

/** Undoes the changes that commands made in a workspace. */
@Injectable()
export class UndoService {
  constructor(
    @Part('db') private readonly db: Database,
    private readonly after: AfterCommit,
    @Part('workspaces') private readonly workspaces: Workspaces,
    private readonly folders: HostFolders,
  ) {}

  /** Returns the snapshots of a goal, newest first. @throws AishError `not_found` */
  async ofGoal(reference: string, signal: AbortSignal): Promise<GoalSnapshotList> {
    const { sessionId } = await goalOf(this.db.statements, reference);
    return this.list(sessionId, signal);
  }

  /** Returns the snapshots of a session, which may be a chat. @throws AishError `not_found` */
  async ofSession(reference: string, signal: AbortSignal): Promise<GoalSnapshotList> {
    const { id } = await sessionOf(this.db.statements, reference);
    return this.list(id, signal);
  }

  private async list(sessionId: string, signal: AbortSignal): Promise<GoalSnapshotList> {
    const [snapshots, actions, own] = await Promise.all([
      this.workspaces.snapshots(sessionId, signal),
      listActions(this.db.statements, sessionId),
      listOwnCommands(this.db.statements, sessionId),
    ]);
    const items = snapshots.flatMap((snapshot) => {
      const action = actions.find(({ id }) => id === snapshot.actionId);
      const command =
        action === undefined ? own.find(({ id }) => id === snapshot.actionId)?.command : actionText(action);
      return command === undefined ? [] : [{ ...snapshot, stepNumber: action?.stepNumber ?? null, command }];
    });
    return { items };
  }

  /** Returns all changes that a command made in its workspace. @throws AishError `not_found`, `changes_not_kept` */
  async changes(actionId: string, page: ListChanges, signal: AbortSignal): Promise<ChangeList> {
    const { sessionId } = await this.need(actionId);
    return this.workspaces.changes(sessionId, actionId, page, signal);
  }

  /** Previews the undo of an action, and changes nothing. @throws AishError `not_found`, `snapshot_not_found` */
  async previewUndo(actionId: string, scope: UndoScope, signal: AbortSignal): Promise<UndoPreview> {
    const { sessionId, hostFolders } = await this.need(actionId);
    const [preview, direct] = await Promise.all([
      this.workspaces.previewUndo(sessionId, actionId, scope, signal),
      this.folders.direct(hostFolders),
    ]);
    return { ...preview, direct: [...direct] };
  }

  /**
   * Restores the workspace to its state before an action. All later changes are lost too, unless `only` that action is
   * undone. The model learns about the undo with its next request. Changes on other hosts stay, and the answer says how
   * to restore them.
   * @throws AishError `not_found`, `snapshot_not_found`, `undo_overlaps`; `locked` while the goal or chat
   * runs
   */
  async undo(token: ApiTokenRow, actionId: string, scope: UndoScope): Promise<Undone> {
    const { goalId, sessionId, step, command, hostFolders } = await this.need(actionId);
    await needMayChange(this.db, sessionId, token);
    const by = token.name;
    const goal = goalId === null ? null : await findGoal(this.db.statements, goalId);
    // Otherwise the goal's runner would continue with an uninformed model in a workspace that changes under it.
    if (goal?.state === 'running') {
      const message = `Goal ${goal.number} is running. Cancel it, or wait until it halts or ends`;
      throw new AishError('locked', message, { retryAfterS: 2 });
    }
    const session = await findSession(this.db.statements, sessionId);
    if (session?.state === 'running') {
      const message = `Session ${session.number} is working. Stop it, or wait for its answer`;
      throw new AishError('locked', message, { retryAfterS: 2 });
    }
    const onHosts = (await listApproved(this.db.statements, actionId)).map(({ rollback, ...each }) => ({
      ...each,
      rollback: rollback === null ? null : preludeFor(rollback, actionId),
    }));
    const direct = [...(await this.folders.direct(hostFolders))];
    const snapshot = await this.workspaces.restore(sessionId, actionId, scope, new AbortController().signal);
    const seq = await inTransaction(this.db, async (tx) => {
      if (goalId !== null) await lockGoal(tx, goalId);
      await appendTurn(
        tx,
        sessionId,
        noticeTurn(
          `[aish] ${step === null ? `${by} has undone their own command in this workspace.` : `action undone by ${by}: ${command}`}\n${scope.only ? 'What it did to the workspace is taken back; what was done since is there still.' : 'The workspace is as it was before that command. What was done in it since is gone too.'}${onHosts.map(({ host }) => ` What it did on ${host} was not taken back.`).join('')}${direct.map((name) => ` What it did in the folder ${name} of the host was not taken back.`).join('')}`,
        ),
      );
      const facts = { command, step, only: scope.only, goal: goal?.number ?? null, session: sessionId };
      const subject = goal === null ? `c${session?.number ?? '?'}` : `g${goal.number}`;
      await appendAudit(tx, { actor: by, action: 'action.undone', subject, facts });
      return appendEvents(tx, sessionId, [{ type: 'action.undone', goalId, actionId, step, command, by }]);
    });
    await this.after.publish({ type: 'events', sessionId, seq, goalId, types: ['action.undone'] });
    return { ...snapshot, onHosts, direct };
  }

  private async need(actionId: string): Promise<NonNullable<Awaited<ReturnType<typeof findCommand>>>> {
    const action = await findCommand(this.db.statements, actionId);
    if (action === null) {
      throw new AishError(
        'not_found',
        'aish undoes only commands. This is a call of a tool, or there is no such action',
      );
    }
    return action;
  }
}

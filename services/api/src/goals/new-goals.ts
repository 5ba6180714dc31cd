import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { noteBans } from '@aish/actions';
import { DEFAULT_PRESET, type CreateGoal, type Goal } from '@aish/contracts/goals';
import { invariant } from '@aish/contracts/invariant';
import { AishError } from '@aish/contracts/problems';
import type { OpenRunbook, RunbookCall } from '@aish/contracts/runbooks';
import { checkRole } from '@aish/contracts/space-roles';
import { applyOverrides } from '@aish/contracts/spaces';
import type { Trust } from '@aish/contracts/trust';
import { chatBackground } from '@aish/prompt';
import { listRecentTurns } from '@aish/database/accept-message.repository';
import type { Database } from '@aish/database/client';
import { findSession } from '@aish/database/sessions.repository';
import { findSpaceOf } from '@aish/database/spaces.repository';
import { copyRefusals } from '@aish/database/refusals.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import { createGoal, notifyGiven, type GoalToCreate } from '@aish/sessions';
import { AfterCommit } from '../after-commit.js';
import { checkHosts } from '../hosts/hosts.service.js';
import { HostFolders } from '../sessions/host-folders.js';
import { spaceFor, type Person } from '../spaces/space-access.js';
import { checkTrust } from '../spaces/trust.js';

/** The limits that the configuration sets for goals. */
export interface GoalLimits {
  /** The names of the configured presets. */
  readonly presets: readonly string[];
  /** The default number of steps, if neither the goal nor its space sets one. */
  readonly maxNorrisSteps: number;
  /** The highest trust that is allowed. */
  readonly trustMax: Trust;
}

/** Creates goals after checking them. */
@Injectable()
export class NewGoals {
  /** @param openRunbook undefined without a knowledge base. */
  constructor(
    @Part('db') private readonly db: Database,
    private readonly after: AfterCommit,
    private readonly folders: HostFolders,
    @Part('goalLimits') private readonly limits: GoalLimits,
    @Part('openRunbook') readonly openRunbook: OpenRunbook | undefined,
  ) {}

  /**
   * Creates the goal and queues it. @param more notices from others, and the author if the text does not come only from
   * the person
   * @throws AishError as `check`
   */
  async create(by: Person, input: CreateGoal, more: Pick<GoalToCreate, 'author' | 'notices'> = {}): Promise<Goal> {
    const chat = await this.chatOf(by, input);
    const { goal: wanted, hostFolders } = await this.check(
      by,
      chat === null ? input : { ...input, space: input.space ?? chat.space },
    );
    const folders = await this.folders.offers(hostFolders);
    const notices = [...(chat === null || chat.background === null ? [] : [chat.background]), ...(more.notices ?? [])];
    const of = chat === null ? {} : { chatId: chat.id };
    const [created, chatNotice] = await inTransaction(this.db, async (tx) => {
      const made = await createGoal(tx, {
        ...more,
        goal: wanted,
        createdBy: by.name,
        notices,
        folders,
        maxSteps: this.limits.maxNorrisSteps,
        openRunbook: this.openRunbook,
        ...of,
      });
      invariant(made !== null, 'a goal without a schedule is always new');
      // The goal inherits the refusals of its chat, so that it does not do a refused thing in another way.
      if (chat !== null) await copyRefusals(tx, chat.id, made.goal.sessionId);
      return [made, chat === null ? null : await notifyGiven(tx, chat.id, made.goal)] as const;
    });
    const { goal, notice } = created;
    if (!wanted.paused) await this.after.addGoalJob(goal.id, goal.priority);
    await this.after.publish(notice);
    await this.after.publish(chatNotice);
    return goal;
  }

  /**
   * Finds the chat in which the goal is given. The goal uses the chat's space unless it names one. @throws AishError
   * `not_found`, `forbidden`
   */
  private async chatOf(by: Person, { chat }: CreateGoal): Promise<GivenIn | null> {
    if (chat === undefined) return null;
    const session = await findSession(this.db.statements, chat);
    if (session === null) throw new AishError('not_found', `There is no chat ${chat}`);
    const { id, space, owner } = session;
    const of = await findSpaceOf(this.db.statements, 'sessions', id);
    if (of !== null) checkRole(of, by, 'use');
    // A ban in the chat becomes a refusal with the chat's next action. There may have been none since.
    await noteBans(this.db, { sessionId: id, owner, goalId: null });
    return { id, space, background: chatBackground(await listRecentTurns(this.db, id)) };
  }

  /**
   * Checks that the caller may create the goal. @throws AishError `not_found` if the space does not exist, `forbidden`
   * if the caller may not use it, `invalid_body` if the preset does not exist, `mount_not_allowed` for an unknown host
   * folder, `host_not_given` for an unknown host, `not_found`, `runbook_faulty` or `invalid_body` for its runbook,
   * `trust_not_allowed` above the admin's limit. @returns the goal in its space, with all its folders
   */
  async check(
    by: Person,
    input: CreateGoal,
    tx: Tx = this.db.statements,
  ): Promise<{ readonly goal: CreateGoal; readonly hostFolders: readonly string[] }> {
    const space = await spaceFor(tx, by, input.space);
    const { preset = DEFAULT_PRESET, hostFolders } = applyOverrides(space, input);
    if (!this.limits.presets.includes(preset)) {
      throw new AishError(
        'invalid_body',
        `There is no preset ${preset}. The presets are ${this.limits.presets.join(', ')}`,
        {
          errors: [{ path: 'preset', message: `one of ${this.limits.presets.join(', ')}` }],
        },
      );
    }
    checkTrust(input.trust, this.limits.trustMax, by, space);
    await this.folders.check(input.hostFolders);
    await checkHosts(tx, input.hosts);
    if (input.runbook !== undefined) await this.checkRunbook(input.runbook);
    return { goal: { ...input, space: space.name }, hostFolders };
  }

  /** @throws AishError `not_found`, `runbook_faulty`, `invalid_body` */
  private async checkRunbook(call: RunbookCall): Promise<void> {
    if (this.openRunbook === undefined)
      throw new AishError('not_found', 'There are no runbooks, because there is no knowledge base');
    await this.openRunbook(call);
  }
}

interface GivenIn {
  readonly id: string;
  readonly space: string;
  /** The conversation in the chat so far. */
  readonly background: string | null;
}

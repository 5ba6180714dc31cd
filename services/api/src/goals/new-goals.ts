import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { DEFAULT_PRESET, type CreateGoal, type Goal } from '@aish/contracts/goals';
import { invariant } from '@aish/contracts/invariant';
import { AishError } from '@aish/contracts/problems';
import type { OpenRunbook, RunbookCall } from '@aish/contracts/runbooks';
import { checkRole } from '@aish/contracts/space-roles';
import { deviate } from '@aish/contracts/spaces';
import type { Trust } from '@aish/contracts/trust';
import { chatBackground } from '@aish/prompt';
import { listRecentTurns } from '@aish/database/accept-message.repository';
import type { Database } from '@aish/database/client';
import { findSession } from '@aish/database/sessions.repository';
import { findSpaceOf } from '@aish/database/spaces.repository';
import { inTransaction } from '@aish/database/transaction';
import { createGoal, notifyGiven, type GoalToCreate } from '@aish/sessions';
import { AfterCommit } from '../after-commit.js';
import { checkHosts } from '../hosts/hosts.service.js';
import { HostFolders } from '../sessions/host-folders.js';
import { spaceFor, type Person } from '../spaces/space-access.js';
import { checkTrust } from '../spaces/trust.js';

/** What the configuration lets a goal have. */
export interface GoalLimits {
  /** The names of the presets that there are. */
  readonly presets: readonly string[];
  /** Steps of a goal, where neither it nor its space says how many. */
  readonly maxNorrisSteps: number;
  /** The most that may be left to commands without a question. */
  readonly trustMax: Trust;
}

/** Gives goals, once they are found to be sound. */
@Injectable()
export class NewGoals {
  /** @param openRunbook undefined where there is no knowledge base. */
  constructor(
    @Part('db') private readonly db: Database,
    private readonly after: AfterCommit,
    private readonly folders: HostFolders,
    @Part('goalLimits') private readonly limits: GoalLimits,
    @Part('openRunbook') readonly openRunbook: OpenRunbook | undefined,
  ) {}

  /**
   * Gives it, and has it driven.
   * @param said what others say, and whose words the text is where it is not the person's alone
   * @throws AishError as `check`.
   */
  async create(by: Person, input: CreateGoal, said: Pick<GoalToCreate, 'author' | 'notices'> = {}): Promise<Goal> {
    const chat = await this.chatOf(by, input);
    const { goal: wanted, hostFolders } = await this.check(
      by,
      chat === null ? input : { ...input, space: input.space ?? chat.space },
    );
    const folders = await this.folders.offers(hostFolders);
    const notices = [...(chat === null || chat.said === null ? [] : [chat.said]), ...(said.notices ?? [])];
    const of = chat === null ? {} : { chatId: chat.id };
    const [created, told] = await inTransaction(this.db, async (tx) => {
      const made = await createGoal(tx, {
        ...said,
        goal: wanted,
        createdBy: by.name,
        notices,
        folders,
        maxSteps: this.limits.maxNorrisSteps,
        openRunbook: this.openRunbook,
        ...of,
      });
      invariant(made !== null, 'a goal without a schedule is always new');
      return [made, chat === null ? null : await notifyGiven(tx, chat.id, made.goal)] as const;
    });
    const { goal, notice } = created;
    if (!wanted.paused) await this.after.drive(goal.id, goal.priority);
    await this.after.tell(notice);
    await this.after.tell(told);
    return goal;
  }

  /** The chat that it is given in, whose space is its own unless it names one. @throws AishError `not_found`, `forbidden` */
  private async chatOf(by: Person, { chat }: CreateGoal): Promise<GivenIn | null> {
    if (chat === undefined) return null;
    const session = await findSession(this.db.statements, chat);
    if (session === null) throw new AishError('not_found', `There is no chat ${chat}`);
    const { id, space } = session;
    const of = await findSpaceOf(this.db.statements, 'sessions', id);
    if (of !== null) checkRole(of, by, 'use');
    return { id, space, said: chatBackground(await listRecentTurns(this.db, id)) };
  }

  /**
   * Whether somebody can give a goal as it stands.
   * @throws AishError `not_found` when there is no such space, `forbidden` when it is not theirs to use, `invalid_body`
   *   when there is no such preset, `mount_not_allowed` when no such host folder, `host_not_given` when no such host,
   *   `not_found`, `runbook_faulty` or `invalid_body` for its runbook,
   *   `trust_not_allowed` when it is trusted further than an admin allows.
   * @returns the goal in its space, and all folders that it gets there.
   */
  async check(
    by: Person,
    input: CreateGoal,
  ): Promise<{ readonly goal: CreateGoal; readonly hostFolders: readonly string[] }> {
    const space = await spaceFor(this.db.statements, by, input.space);
    const { preset = DEFAULT_PRESET, hostFolders } = deviate(space, input);
    if (!this.limits.presets.includes(preset)) {
      throw new AishError('invalid_body', `There is no preset ${preset}; there are ${this.limits.presets.join(', ')}`, {
        errors: [{ path: 'preset', message: `one of ${this.limits.presets.join(', ')}` }],
      });
    }
    checkTrust(input.trust, this.limits.trustMax, by, space);
    await this.folders.check(input.hostFolders);
    await checkHosts(this.db.statements, input.hosts);
    if (input.runbook !== undefined) await this.checkRunbook(input.runbook);
    return { goal: { ...input, space: space.name }, hostFolders };
  }

  /** @throws AishError `not_found`, `runbook_faulty`, `invalid_body` */
  private async checkRunbook(call: RunbookCall): Promise<void> {
    if (this.openRunbook === undefined)
      throw new AishError('not_found', 'There are no runbooks: there is no knowledge base');
    await this.openRunbook(call);
  }
}

interface GivenIn {
  readonly id: string;
  readonly space: string;
  /** What was said there. */
  readonly said: string | null;
}

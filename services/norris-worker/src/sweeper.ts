import { settleLeft } from '@aish/actions';
import type { Notice } from '@aish/contracts/events';
import type { Priority } from '@aish/contracts/goals';
import { advanceGoal } from '@aish/contracts/jobs';
import { LockNamespace, lockedKeys } from '@aish/database/advisory-lock';
import { sealAudit } from '@aish/database/audit-chain.repository';
import type { Database } from '@aish/database/client';
import { listForgotten } from '@aish/database/goals.repository';
import type { Logger } from '@aish/http';
import type { Sandbox } from '@aish/sandbox-client';
import type { QueueStore } from '@aish/queue';
import { tellChats } from '@aish/norris';
import { followFailed, type FollowPorts } from './follow-failed.js';
import { answerExpired } from './expiry.js';
import { carryOutOpened } from './opened.js';

const EVERY_MS = 2_000;
/** A goal that was left this long without a driver has probably lost its job. */
const IDLE_MS = 3_000;
const AT_ONCE = 500;
const DROP_TIMEOUT_MS = 30_000;

/**
 * Adds the jobs that a crash lost: goals that could go on, that nobody has touched for a moment and that nobody
 * drives. Answers the questions whose time is over, lets run what waited for its change window, gives what follows
 * goals that failed, and tells chats of the ends of
 * their goals, and seals the audit log, too. A job too many is harmless; a job too few would leave a goal lying for good.
 */
export class Sweeper {
  private timer: NodeJS.Timeout | null = null;
  private sweeping: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly db: Database,
    private readonly queue: QueueStore,
    private readonly logger: Logger,
    private readonly publish: (notice: Notice) => void,
    private readonly sandbox: Sandbox,
    private readonly follow: Pick<FollowPorts, 'maxSteps' | 'openRunbook'>,
  ) {}

  start(): void {
    this.timer = setTimeout(() => {
      this.sweeping = this.sweep()
        .catch((err: unknown) => this.logger.warn({ err }, 'sweep failed; the next one comes soon'))
        .finally(() => {
          if (!this.stopped) this.start();
        });
    }, EVERY_MS);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.sweeping;
  }

  private async sweep(): Promise<void> {
    const drive = (goalId: string, priority: Priority) => this.queue.add(advanceGoal, { goalId }, { priority });
    await answerExpired(this.db, drive, this.publish);
    await carryOutOpened(this.db, drive, this.publish);
    await followFailed({ db: this.db, drive, publish: this.publish, ...this.follow });
    await tellChats(this.db, this.publish);
    await sealAudit(this.db);
    await settleLeft(this.db, this.sandbox, AbortSignal.timeout(DROP_TIMEOUT_MS));
    const forgotten = await listForgotten(this.db.statements, IDLE_MS, AT_ONCE);
    if (forgotten.length === 0) return;
    const driven = new Set(
      await lockedKeys(
        this.db,
        LockNamespace.goal,
        forgotten.map(({ id }) => id),
      ),
    );
    for (const { id: goalId } of forgotten) {
      // One such job per goal at a time: goals may stand in a long queue without being forgotten.
      if (!driven.has(goalId)) await this.queue.add(advanceGoal, { goalId }, { once: `sweep-${goalId}` });
    }
  }
}

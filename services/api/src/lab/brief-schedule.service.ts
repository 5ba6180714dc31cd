import { Injectable } from '@nestjs/common';
import type { BriefSchedule, SetBriefSchedule } from '@aish/contracts/lab';
import { AishError } from '@aish/contracts/problems';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import {
  claimLabLook,
  deleteLabSchedule,
  noteBrief,
  readLabSchedule,
  saveLabSchedule,
  settleLabLook,
  type LabScheduleRow,
} from '@aish/database/lab-schedule.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import type { Logger } from '@aish/http';
import type { BriefMessage } from '@aish/lab';
import { nextTime } from '@aish/queue';
import { Part, type Sweeps } from '../part.js';
import { BriefService } from './brief.service.js';

/** In milliseconds. Each host has ten seconds, and aish asks all hosts in parallel. */
const LOOK_MAX_MS = 120_000;

/**
 * Makes the brief each day at a set time, and sends it if it is worth a message. Several apis together make only one
 * brief.
 */
@Injectable()
export class BriefScheduleService {
  private readonly stopping = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();

  constructor(
    @Part('db') private readonly db: Database,
    private readonly briefs: BriefService,
    @Part('sweeps') { briefLookEveryMs }: Pick<Sweeps, 'briefLookEveryMs'>,
    @Part('logger') private readonly logger: Logger,
  ) {
    this.timer = setInterval(() => {
      this.running = this.running.then(() =>
        this.lookIfDue(new Date()).catch((err: unknown) => logger.warn({ err }, 'could not make the brief')),
      );
    }, briefLookEveryMs);
    this.timer.unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.running;
  }

  async show(now: Date): Promise<BriefSchedule> {
    const kept = await readLabSchedule(this.db.statements);
    if (kept === null) return { at: null, timezone: 'UTC', nextAt: null, sentAt: null };
    const { at, timezone, sentAt } = kept;
    return { at, timezone, nextAt: momentAfter(kept, now).toISOString(), sentAt: sentAt?.toISOString() ?? null };
  }

  /** @throws AishError `invalid_body` for an unknown time zone */
  async set(by: string, { at, timezone }: SetBriefSchedule, now: Date): Promise<BriefSchedule> {
    await inTransaction(this.db, (tx) => this.write(tx, by, { at, timezone }, now));
    return this.show(now);
  }

  /** Does the same within the caller's transaction. */
  async write(tx: Tx, by: string, { at, timezone }: SetBriefSchedule, now: Date): Promise<void> {
    if (at !== null) momentAfter({ at, timezone }, now);
    await (at === null ? deleteLabSchedule(tx) : saveLabSchedule(tx, { at, timezone }, now));
    const facts = { at, timezone };
    await appendAudit(tx, { actor: by, action: 'brief.schedule_changed', subject: 'brief', facts });
  }

  /** Makes the brief if it is due and no other api makes it. A brief that was missed is made late. */
  async lookIfDue(now: Date): Promise<void> {
    const kept = await readLabSchedule(this.db.statements);
    if (kept === null || this.stopping.signal.aborted) return;
    // If the stored time is in the future, a clock was wrong. That must not silence the brief until then.
    if (kept.lookedAt > now) return saveLabSchedule(this.db.statements, kept, now);
    if (momentAfter(kept, kept.lookedAt) > now) return;
    if (!(await claimLabLook(this.db.statements, kept.lookedAt, now))) return;
    const message = await this.look(kept.quietAt, now);
    await inTransaction(this.db, async (tx) => {
      if (message !== null) await noteBrief(tx, now, [message.title, ...message.lines].map(oneLine).join('\n'));
      await settleLabLook(tx, { now, message: message?.kind ?? 'nothing' });
    });
  }

  /**
   * Checks the hosts and returns a message, or null. A failed check is also news, because silence means that all is
   * well.
   */
  private async look(quietAt: Date | null, now: Date): Promise<BriefMessage | null> {
    const { signal } = this.stopping;
    try {
      return await this.briefs.message(quietAt, now, AbortSignal.any([signal, AbortSignal.timeout(LOOK_MAX_MS)]));
    } catch (error) {
      signal.throwIfAborted();
      this.logger.warn({ err: error }, 'could not look at the hosts');
      const why = error instanceof AishError ? error.message : 'see the log of the api';
      return { kind: 'findings', title: 'aish could not check your hosts.', lines: [why] };
    }
  }
}

/** Puts a text on one line. Line breaks separate the lines of a message, and a name on a host may contain one. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

function momentAfter({ at, timezone }: Pick<LabScheduleRow, 'at' | 'timezone'>, from: Date): Date {
  const [hours, minutes] = at.split(':').map(Number);
  return nextTime({ cron: `${minutes} ${hours} * * *`, timezone }, from);
}

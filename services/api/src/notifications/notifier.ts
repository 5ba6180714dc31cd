import type { Database } from '@aish/database/client';
import { findDecision } from '@aish/database/decisions.repository';
import { findGoal } from '@aish/database/goals.repository';
import {
  claimDue,
  forgetOldNotifications,
  noteWhatHappened,
  openChannels,
  settleNotification,
  type DueNotification,
} from '@aish/database/notifications.repository';
import type { Decision } from '@aish/contracts/decisions';
import { goalToCompare, toldOf } from '@aish/database/schedules.repository';
import type { Goal } from '@aish/contracts/goals';
import type { ChannelName } from '@aish/contracts/escalation';
import type { Logger } from '@aish/http';
import type { EventHub } from '../sessions/event-hub.js';
import type { Channel } from './channel.js';
import { noticeOfBrief, noticeOfEnd, noticeOfHalt, type NoticeText } from './notice.js';
import { checkedLines, differs } from './report.js';
import { firstLoudMoment, type QuietHours } from './quiet-hours.js';

export interface NotifierSettings {
  readonly channels: readonly Channel[];
  /** `halt`, and states in which goals end. */
  readonly on: readonly string[];
  readonly quietHours: QuietHours | null;
  /** The link to a decision's page, or null where there is no public address. */
  readonly linkTo: (decision: Pick<Decision, 'id' | 'expiresAt'>, channel: ChannelName) => string | null;
  /** The page of the brief, or null where there is no public address. */
  readonly briefLink: string | null;
  /** Channels whose readers may let an action run. */
  readonly mayProceed: readonly ChannelName[];
  /** How often it looks by itself, milliseconds; a notice on the bus wakes it sooner. */
  readonly everyMs?: number;
  /** First pause after a channel did not take a notice, milliseconds; it doubles up to an hour. */
  readonly retryMinMs?: number;
}

const EVERY_MS = 15_000;
const AT_ONCE = 10;
const SEND_TIMEOUT_MS = 30_000;
const ATTEMPTS_MAX = 12;
const RETRY_MIN_MS = 30_000;
const RETRY_MAX_MS = 3_600_000;
const KEPT_DAYS = 30;
const CLEAN_EVERY_MS = 3_600_000;

/**
 * Tells people about HALTs and ends, over each channel once. What is to be said is found in the database, so a HALT that
 * happened while nobody was there to tell it is told later; any number of apis may run one each. A message is sent until
 * it is taken, which can mean twice after a crash in between: its id is the same then.
 */
export class Notifier {
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;
  private again = false;
  private cleanedAt = 0;
  private deaf: (() => void) | null = null;

  constructor(
    private readonly db: Database,
    private readonly hub: EventHub,
    private readonly settings: NotifierSettings,
    private readonly logger: Logger,
  ) {}

  async start(): Promise<void> {
    if (this.settings.channels.length === 0) return;
    await openChannels(this.db.statements, this.names);
    this.deaf = this.hub.listen((notice) => {
      if (notice === 'gap' || (notice.type === 'events' && notice.goalId !== null)) this.look();
    });
    this.timer = setInterval(() => this.look(), this.settings.everyMs ?? EVERY_MS);
    this.look();
  }

  async stop(): Promise<void> {
    this.deaf?.();
    if (this.timer !== null) clearInterval(this.timer);
    this.stopping.abort();
    await this.running;
    for (const channel of this.settings.channels) channel.close();
  }

  private get names(): string[] {
    return this.settings.channels.map((channel) => channel.name);
  }

  /** One round at a time; new decisions during a round get another round. */
  private look(): void {
    if (this.stopping.signal.aborted) return;
    if (this.running !== null) {
      this.again = true;
      return;
    }
    this.again = false;
    this.running = this.round()
      .catch((err: unknown) => this.logger.warn({ err }, 'could not look for what people should be told'))
      .finally(() => {
        this.running = null;
        if (this.again) this.look();
      });
  }

  private async round(): Promise<void> {
    const { on, quietHours } = this.settings;
    const now = new Date();
    const dueAt = firstLoudMoment(now, quietHours);
    const states = on.filter((each) => each !== 'halt');
    await noteWhatHappened(this.db.statements, { channels: this.names, halts: on.includes('halt'), states, dueAt });
    if (dueAt > now) return;
    for (;;) {
      const due = await claimDue(this.db.statements, AT_ONCE);
      await Promise.all(due.map((each) => this.deliver(each)));
      if (due.length < AT_ONCE || this.stopping.signal.aborted) break;
    }
    if (now.getTime() - this.cleanedAt > CLEAN_EVERY_MS) {
      this.cleanedAt = now.getTime();
      await forgetOldNotifications(this.db.statements, KEPT_DAYS);
    }
  }

  private async deliver(due: DueNotification): Promise<void> {
    const channel = this.settings.channels.find(({ name }) => name === due.channel);
    const notice = channel === undefined ? null : await this.noticeOf(due, channel.name);
    if (channel === undefined || notice === null) {
      return settleNotification(this.db.statements, due.id, { state: 'dropped' });
    }
    try {
      const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(SEND_TIMEOUT_MS)]);
      await channel.send(notice, signal);
      await settleNotification(this.db.statements, due.id, { state: 'sent' });
    } catch (err) {
      const error = err instanceof Error ? err.message.slice(0, 500) : 'unknown';
      if (due.attempts >= ATTEMPTS_MAX) {
        this.logger.error({ channel: due.channel, goal: notice.goal?.number, error }, 'gave up telling people');
        return settleNotification(this.db.statements, due.id, { state: 'failed', error });
      }
      this.logger.warn({ channel: due.channel, attempts: due.attempts, error }, 'could not tell people; tries again');
      const pauseMs = Math.min(RETRY_MAX_MS, (this.settings.retryMinMs ?? RETRY_MIN_MS) * 2 ** (due.attempts - 1));
      await settleNotification(this.db.statements, due.id, {
        state: 'pending',
        error,
        dueAt: new Date(Date.now() + pauseMs),
      });
    }
  }

  /** Null where its schedule tells only what differs from the last time, and nothing does. */
  private async endOf(id: string, goal: Goal): Promise<NoticeText | null> {
    const { statements } = this.db;
    const told = await toldOf(statements, goal.id);
    if (told === null) return null;
    const before = goal.state === 'done' ? await goalToCompare(statements, goal.id) : null;
    const last = before === null ? null : await toldOf(statements, before);
    return last !== null && !differs(last, told) ? null : noticeOfEnd(id, goal, checkedLines(told));
  }

  /** Null when there is nothing to say any more: answered elsewhere, or continued. */
  private async noticeOf(due: DueNotification, channel: ChannelName): Promise<NoticeText | null> {
    if (due.text !== null) return noticeOfBrief(due.id, due.text, this.settings.briefLink);
    if (due.goalId === null) return null;
    const goal = await findGoal(this.db.statements, due.goalId);
    if (goal === null) return null;
    if (due.decisionId === null) return goal.state === due.kind ? this.endOf(due.id, goal) : null;
    const decision = await findDecision(this.db.statements, due.decisionId);
    if (decision === null || decision.state !== 'pending') return null;
    const { linkTo, mayProceed } = this.settings;
    const isUnanswered = due.kind === 'unanswered';
    if (isUnanswered && (decision.approval?.waitsUntil ?? null) !== null) return null;
    return noticeOfHalt(due.id, decision, goal, {
      link: linkTo(decision, channel),
      mayProceed: mayProceed.includes(channel),
      ...(isUnanswered ? { escalation: { to: due.recipient } } : {}),
    });
  }
}

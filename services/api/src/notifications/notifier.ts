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
import { isAishError } from '@aish/contracts/problems';
import { listDeciders } from '@aish/database/tokens.repository';
import { goalToCompare, findGoalReport } from '@aish/database/schedules.repository';
import type { Goal } from '@aish/contracts/goals';
import type { ChannelName } from '@aish/contracts/escalation';
import type { Logger } from '@aish/http';
import type { EventHub } from '../sessions/event-hub.js';
import type { Channel } from './channel.js';
import {
  briefNotification,
  endNotification,
  haltNotification,
  nightNotification,
  type NotificationText,
} from './notification.js';
import { findPresentPeople, type Presence } from './presence.js';
import { checkedLines, differs } from './report.js';
import { firstLoudMoment, wasHeld, type QuietHours } from './quiet-hours.js';

/** A notification, and the decision that it shows. */
interface Composed {
  readonly notification: NotificationText;
  readonly decision: Decision | null;
}

export interface NotifierSettings {
  readonly channels: readonly Channel[];
  /** The events to notify about: `halt`, and final states of goals. */
  readonly on: readonly string[];
  readonly quietHours: QuietHours | null;
  /** Returns the link to a decision's page, or null without a public address. */
  readonly linkTo: (decision: Pick<Decision, 'id' | 'expiresAt'>, channel: ChannelName) => string | null;
  /** The page of the brief, or null without a public address. */
  readonly briefLink: string | null;
  /** The channels whose readers may approve actions. */
  readonly mayProceed: readonly ChannelName[];
  /** The interval of the checks, in milliseconds. A notice on the bus triggers a check sooner. */
  readonly everyMs?: number;
  /** The first pause after a failed send, in milliseconds. It doubles up to an hour. */
  readonly retryMinMs?: number;
  readonly clock?: () => Date;
  /** Knows who is at a terminal or a page. */
  readonly presence: Presence;
}

const EVERY_MS = 15_000;
/** The number of notifications that are handled at once, and that fit into one message after the quiet hours. */
const AT_ONCE = 20;
const SEND_TIMEOUT_MS = 30_000;
const ATTEMPTS_MAX = 12;
const RETRY_MIN_MS = 30_000;
const RETRY_MAX_MS = 3_600_000;
const KEPT_DAYS = 30;
const CLEAN_EVERY_MS = 3_600_000;

/**
 * Notifies people of HALTs and ended goals, once per channel. It finds them in the database, so a HALT that happened
 * while no notifier ran is sent later. Each api may run a notifier. A message is sent until it is accepted. After a
 * crash it may be sent twice, with the same ID.
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

  /** Starts a round. There is only one round at a time, and decisions that arrive during a round get another one. */
  private look(): void {
    if (this.stopping.signal.aborted) return;
    if (this.running !== null) {
      this.again = true;
      return;
    }
    this.again = false;
    this.running = this.round()
      .catch((err: unknown) => this.logger.warn({ err }, 'could not check for notifications'))
      .finally(() => {
        this.running = null;
        if (this.again) this.look();
      });
  }

  private async round(): Promise<void> {
    const { on, quietHours, presence } = this.settings;
    const now = this.now();
    const dueAt = firstLoudMoment(now, quietHours);
    const states = on.filter((each) => each !== 'halt');
    const halts = on.includes('halt');
    await noteWhatHappened(this.db.statements, { channels: this.names, halts, states, dueAt });
    const here = findPresentPeople(presence.seen, await listDeciders(this.db.statements), Date.now());
    for (;;) {
      const due = await claimDue(this.db.statements, { limit: AT_ONCE, now: this.now(), isQuiet: dueAt > now, here });
      await Promise.all(this.messagesOf(due).map((each) => this.deliver(each)));
      if (due.length < AT_ONCE || this.stopping.signal.aborted) break;
    }
    if (now.getTime() - this.cleanedAt > CLEAN_EVERY_MS) {
      this.cleanedAt = now.getTime();
      await forgetOldNotifications(this.db.statements, KEPT_DAYS);
    }
  }

  private now(): Date {
    return this.settings.clock?.() ?? new Date();
  }

  /**
   * Combines the notifications that the quiet hours held back for one receiver into one message. A brief is always a
   * message of its own.
   */
  private messagesOf(due: readonly DueNotification[]): DueNotification[][] {
    const messages = new Map<string, DueNotification[]>();
    for (const each of due) {
      const isHeld = each.text === null && wasHeld(each, this.settings.quietHours);
      const key = isHeld ? `${each.channel} ${each.recipient ?? ''}` : each.id;
      messages.set(key, [...(messages.get(key) ?? []), each]);
    }
    const byTime = (a: DueNotification, b: DueNotification): number => a.createdAt.getTime() - b.createdAt.getTime();
    return [...messages.values()].map((each) => each.toSorted(byTime));
  }

  private async deliver(together: readonly DueNotification[]): Promise<void> {
    const channel = this.settings.channels.find(({ name }) => name === together[0]?.channel);
    const due: DueNotification[] = [];
    const composed: Composed[] = [];
    for (const each of together) {
      const one = channel === undefined ? null : await this.compose(each, channel);
      if (one === null) {
        await settleNotification(this.db.statements, each.id, { state: 'dropped' });
        continue;
      }
      due.push(each);
      composed.push(one);
    }
    const notifications = composed.map((each) => each.notification);
    const notification =
      notifications.length > 1 ? nightNotification(notifications, this.settings.briefLink) : notifications[0];
    const decision = composed.length === 1 ? (composed[0]?.decision ?? null) : null;
    if (channel === undefined || notification === undefined) return;
    try {
      const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(SEND_TIMEOUT_MS)]);
      await channel.send(notification, signal, decision);
      for (const { id } of due) await settleNotification(this.db.statements, id, { state: 'sent' });
    } catch (err) {
      const error = err instanceof Error ? err.message.slice(0, 500) : 'unknown';
      // The messenger reports a wrong token or room once itself.
      const isReported = isAishError(err, 'messenger_refused');
      for (const each of due) await this.retry(each, error, isReported);
    }
  }

  private async retry(due: DueNotification, error: string, isReported: boolean): Promise<void> {
    const facts = { channel: due.channel, goal: due.goalId, attempts: due.attempts, error };
    if (due.attempts >= ATTEMPTS_MAX) {
      if (!isReported) this.logger.error(facts, 'gave up sending a notification');
      return settleNotification(this.db.statements, due.id, { state: 'failed', error });
    }
    if (!isReported) this.logger.warn(facts, 'could not send a notification; retrying');
    const pauseMs = Math.min(RETRY_MAX_MS, (this.settings.retryMinMs ?? RETRY_MIN_MS) * 2 ** (due.attempts - 1));
    const dueAt = new Date(this.now().getTime() + pauseMs);
    await settleNotification(this.db.statements, due.id, { state: 'pending', error, dueAt });
  }

  /** Returns the notification of an ended goal, or null if its schedule reports only differences and there are none. */
  private async endOf(id: string, goal: Goal): Promise<NotificationText | null> {
    const { statements } = this.db;
    const report = await findGoalReport(statements, goal.id);
    if (report === null) return null;
    const before = goal.state === 'done' ? await goalToCompare(statements, goal.id) : null;
    const last = before === null ? null : await findGoalReport(statements, before);
    return last !== null && !differs(last, report) ? null : endNotification(id, goal, checkedLines(report));
  }

  /**
   * Returns the notification, or null if it is obsolete because the decision was answered elsewhere or the goal
   * continued.
   */
  private async compose(due: DueNotification, channel: Channel): Promise<Composed | null> {
    if (due.text !== null)
      return { notification: briefNotification(due.id, due.text, this.settings.briefLink), decision: null };
    if (due.goalId === null) return null;
    const goal = await findGoal(this.db.statements, due.goalId);
    if (goal === null) return null;
    if (due.decisionId === null) {
      const end = goal.state === due.kind ? await this.endOf(due.id, goal) : null;
      return end === null ? null : { notification: end, decision: null };
    }
    const decision = await findDecision(this.db.statements, due.decisionId);
    if (decision === null || decision.state !== 'pending') return null;
    const { linkTo, mayProceed } = this.settings;
    const isUnanswered = due.kind === 'unanswered';
    if (isUnanswered && (decision.approval?.waitsUntil ?? null) !== null) return null;
    const notification = haltNotification(due.id, decision, goal, {
      link: linkTo(decision, channel.name),
      mayProceed: channel.knowsPeople === true || mayProceed.includes(channel.name),
      ...(isUnanswered ? { escalation: { to: due.recipient } } : {}),
    });
    return { notification, decision };
  }
}

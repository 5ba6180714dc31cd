import { randomUUID } from 'node:crypto';
import { announceBoundary } from '@aish/actions';
import type { Notice } from '@aish/contracts/events';
import { isTerminal, type Goal } from '@aish/contracts/goals';
import type { EventOutcome, EventReceipt, EventRule } from '@aish/contracts/incoming-events';
import type { OpenRunbook } from '@aish/contracts/runbooks';
import { isAishError } from '@aish/contracts/problems';
import { backgroundTurn } from '@aish/prompt';
import { listEventRules, lockEventSource } from '@aish/database/event-sources.repository';
import {
  countOpenGoals,
  countRepeats,
  forgetOldEvents,
  insertReceivedEvent,
  knownDeliveries,
  latestEvents,
  latestName,
  resolveEvent,
  storedKey,
  type LatestEvent,
} from '@aish/database/received-events.repository';
import { appendTurn } from '@aish/database/turns.repository';
import type { Tx } from '@aish/database/tx';
import { createGoal, type GoalToCreate } from '@aish/sessions';
import { authorOf, eventNotice, goalOf, matchingRule, resolvedNotice, type Matched } from './event-rule.js';

/** The number of events to keep for each source. */
const KEPT = 1_000;

export interface ArrivedEvent {
  readonly body: unknown;
  readonly delivery: string | null;
  /** Whether a person sends the event again. In that case neither the delivery ID nor the cool-down counts. */
  readonly isReplay: boolean;
}

/** The work to do after the commit. */
export interface WorkAfterCommit {
  readonly queue: { readonly goal: Goal; readonly notice: Notice }[];
  readonly cancel: string[];
}

/**
 * Takes the events of one sender, in order, in one transaction that locks the sender's row. The lock makes sure that
 * the same event gives only one goal, even after crashes and with several apis.
 */
export class EventIntake {
  readonly after: WorkAfterCommit = { queue: [], cancel: [] };
  private rules: readonly EventRule[] = [];
  /** Earlier deliveries with the numbers of their events. 0 stands for an event of this group. */
  private known = new Map<string, number>();
  private latest = new Map<string, LatestEvent>();
  private readonly open = new Map<string, number>();
  private readonly repeats = new Map<string, number>();

  constructor(
    private readonly tx: Tx,
    private readonly source: string,
    private readonly openRunbook?: OpenRunbook,
  ) {}

  /** @returns the outcome of each event, or null if the sender no longer exists */
  async take(events: readonly ArrivedEvent[]): Promise<readonly EventReceipt[] | null> {
    if (!(await lockEventSource(this.tx, this.source))) return null;
    announceBoundary('intake.locked', this.source);
    this.rules = await listEventRules(this.tx, this.source);
    const deliveries = events.flatMap(({ delivery }) => delivery ?? []);
    if (deliveries.length > 0) this.known = await knownDeliveries(this.tx, this.source, deliveries);
    const matched = events.map(({ body }) => matchingRule(this.rules, body));
    this.latest = await latestEvents(this.tx, namedBy(matched));
    const receipts: EventReceipt[] = [];
    for (const [at, event] of events.entries()) receipts.push(await this.one(event, matched[at] ?? null));
    if (this.repeats.size > 0) await countRepeats(this.tx, this.repeats);
    if (receipts.some(({ outcome }) => outcome !== 'repeated' && outcome !== 'replayed')) {
      await forgetOldEvents(this.tx, this.source, KEPT);
    }
    return receipts;
  }

  private async one(event: ArrivedEvent, matched: Matched | null): Promise<EventReceipt> {
    const { delivery } = event;
    if (delivery !== null && !event.isReplay) {
      const known = this.known.get(delivery);
      if (known !== undefined) {
        if (matched !== null) this.cancelAgain(matched, known);
        return { outcome: 'replayed', event: null, goal: null };
      }
      this.known.set(delivery, 0);
    }
    if (matched === null) return this.keep(event, null, 'unmatched');
    const latest = this.latestOf(matched);
    const isOpen = isGoalOpen(latest);
    if (matched.isResolved) return this.resolve(event, matched, latest, isOpen);
    const isFull = (await this.openOf(matched.rule)) >= matched.rule.atMost;
    if (latest !== null && (isOpen || this.isCounted(event, matched.rule, latest, isFull))) {
      this.repeats.set(latest.id, (this.repeats.get(latest.id) ?? 0) + 1);
      return { outcome: 'repeated', event: latest.number, goal: latest.goal?.number ?? null };
    }
    if (isFull) return this.keep(event, matched, 'limited');
    return this.begin(event, matched);
  }

  /**
   * Cancels a goal again, because the process that took this delivery may have been killed before it cancelled the
   * goal. The goal of a later event stays.
   */
  private cancelAgain(matched: Matched, known: number): void {
    const latest = this.latestOf(matched);
    if (!matched.isResolved || matched.rule.onResolved !== 'cancel' || !isGoalOpen(latest)) return;
    if (latest?.goal !== undefined && latest.goal !== null && latest.number < known)
      this.after.cancel.push(latest.goal.id);
  }

  private latestOf({ rule, key }: Matched): LatestEvent | null {
    return this.latest.get(latestName(rule.id, storedKey(key))) ?? null;
  }

  /**
   * Returns whether an event without an open goal counts as a repetition of the previous one. An event that was skipped
   * for lack of room only waits for room.
   */
  private isCounted(event: ArrivedEvent, rule: EventRule, latest: LatestEvent, isFull: boolean): boolean {
    if (latest.outcome === 'limited') return isFull;
    return !event.isReplay && Date.now() - latest.receivedAt.getTime() < rule.coolDownMs;
  }

  private async begin(event: ArrivedEvent, matched: Matched): Promise<EventReceipt> {
    const { rule } = matched;
    const goal = goalOf(rule, event.body);
    const createdBy = `event ${this.source}`;
    const notices = [eventNotice(this.source, event.body)];
    const created = await this.give({ goal, createdBy, notices, author: authorOf(rule, goal) });
    if (created === null) return this.keep(event, matched, 'failed');
    this.after.queue.push(created);
    this.open.set(rule.id, (this.open.get(rule.id) ?? 0) + 1);
    return this.keep(event, matched, 'goal', created.goal);
  }

  /**
   * Creates the goal of an event. Returns null if its space or runbook no longer exists, because one bad event must not
   * block the others of its group.
   */
  private async give(goal: GoalToCreate): ReturnType<typeof createGoal> {
    try {
      return await createGoal(this.tx, { ...goal, openRunbook: this.openRunbook });
    } catch (error) {
      if (isAishError(error, 'not_found', 'runbook_faulty', 'invalid_body', 'knowledge_missing')) return null;
      throw error;
    }
  }

  private async resolve(
    event: ArrivedEvent,
    matched: Matched,
    latest: LatestEvent | null,
    isOpen: boolean,
  ): Promise<EventReceipt> {
    const goal = latest?.goal ?? null;
    if (latest !== null) await resolveEvent(this.tx, latest.id);
    if (isOpen && goal !== null && latest !== null && latest.sessionId !== null) {
      if (matched.rule.onResolved === 'cancel') this.after.cancel.push(goal.id);
      else await appendTurn(this.tx, latest.sessionId, backgroundTurn(resolvedNotice(this.source, event.body)));
    }
    const kept = await this.keep(event, matched, 'resolved');
    return { ...kept, goal: goal?.number ?? null };
  }

  private async keep(
    event: ArrivedEvent,
    matched: Matched | null,
    outcome: EventOutcome,
    goal: Goal | null = null,
  ): Promise<EventReceipt> {
    const id = randomUUID();
    const ruleId = matched?.rule.id ?? null;
    const key = matched === null ? null : storedKey(matched.key);
    const delivery = event.isReplay ? null : event.delivery;
    const { body } = event;
    const number = await insertReceivedEvent(this.tx, {
      id,
      source: this.source,
      ruleId,
      key,
      delivery,
      outcome,
      goalId: goal?.id ?? null,
      body,
    });
    if (ruleId !== null && key !== null && (outcome === 'goal' || outcome === 'limited')) {
      const sessionId = goal?.sessionId ?? null;
      this.latest.set(latestName(ruleId, key), { id, number, outcome, receivedAt: new Date(), goal, sessionId });
    }
    return { outcome, event: number, goal: goal?.number ?? null };
  }

  private async openOf(rule: EventRule): Promise<number> {
    const known = this.open.get(rule.id) ?? (await countOpenGoals(this.tx, rule.id));
    this.open.set(rule.id, known);
    return known;
  }
}

function isGoalOpen(latest: LatestEvent | null): boolean {
  const state = latest?.goal?.state;
  return state !== undefined && !isTerminal(state);
}

/** Returns the rules and keys of the events, without duplicates. */
function namedBy(matched: readonly (Matched | null)[]): { readonly ruleId: string; readonly key: string }[] {
  const named = matched.flatMap((one) => (one === null ? [] : [{ ruleId: one.rule.id, key: storedKey(one.key) }]));
  return [...new Map(named.map((one) => [latestName(one.ruleId, one.key), one])).values()];
}

import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { announceBoundary } from '@aish/actions';
import type {
  AddEventRule,
  AddEventSource,
  AddedEventSource,
  EventReceipt,
  EventRule,
  EventSource,
  EventTest,
  ReceivedEvent,
} from '@aish/contracts/incoming-events';
import { AishError, isAishError } from '@aish/contracts/problems';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import {
  deleteEventRule,
  deleteEventSource,
  findEventSource,
  insertEventRule,
  insertEventSource,
  listEventRules,
  listEventSources,
  type SealedEventSource,
} from '@aish/database/event-sources.repository';
import { findReceivedEvent, listReceivedEvents } from '@aish/database/received-events.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import type { SecretBox } from '@aish/secrets/secret-box';
import { AfterCommit } from '../after-commit.js';
import { GoalsService } from '../goals/goals.service.js';
import { NewGoals } from '../goals/new-goals.js';
import type { Person } from '../spaces/space-access.js';
import { isTooDeep } from './event-body.js';
import { EventIntake, type ArrivedEvent } from './event-intake.js';
import { proofOf } from './event-proof.js';
import { goalOf, matchingRule } from './event-rule.js';
import { Batcher } from './batcher.js';

/** The maximum number of events in one commit. */
const TOGETHER = 200;
/** The maximum number of cached senders. Entries expire, because other processes may change the senders. */
const SENDERS = 1_000;
const SENDER_MS = 1_000;

interface Sender {
  readonly source: SealedEventSource;
  readonly secret: string;
  readonly at: number;
}

/** Manages events from the homelab that start goals: sources, rules and incoming events. */
@Injectable()
export class EventsService {
  private readonly senders = new Map<string, Sender>();
  private readonly lookups = new Map<string, Promise<Sender | null>>();
  private readonly queues = new Map<string, Batcher<ArrivedEvent, EventReceipt>>();

  constructor(
    @Part('db') private readonly db: Database,
    private readonly after: AfterCommit,
    private readonly given: NewGoals,
    private readonly goals: GoalsService,
    @Part('eventBox') private readonly box: SecretBox,
  ) {}

  /**
   * Takes an event: authenticates it, and commits its outcome before answering. @param body the raw bytes @param parsed
   * the parsed body @throws AishError `event_unproven`; `invalid_body` if it nests too deep; `too_many` if more events
   * arrive than can be written
   */
  async receive(name: string, headers: IncomingHttpHeaders, body: Buffer, parsed: unknown): Promise<EventReceipt> {
    const sender = await this.sender(name);
    if (sender === null)
      throw new AishError('event_unproven', 'There is no event source with this name, or its proof is wrong');
    const { refused, delivery } = proofOf({ ...sender.source, secret: sender.secret }, headers, body, Date.now());
    if (refused !== null) throw new AishError('event_unproven', `The event is not authentic: ${refused}`);
    announceBoundary('intake.proven', name);
    if (isTooDeep(body)) throw new AishError('invalid_body', 'An event may be nested at most 60 levels deep');
    return this.take(name, { body: parsed ?? null, delivery: delivery?.slice(0, 200) ?? null, isReplay: false });
  }

  /** @throws AishError `name_taken` if a source with this name exists */
  addSource(by: string, input: AddEventSource): Promise<AddedEventSource> {
    return inTransaction(this.db, (tx) => this.insertSource(tx, by, input));
  }

  /** Does the same within the caller's transaction. */
  async insertSource(tx: Tx, by: string, { secret: given, ...input }: AddEventSource): Promise<AddedEventSource> {
    const made = randomBytes(32).toString('base64');
    const secret = given ?? (input.proof === 'standard-webhooks' ? `whsec_${made}` : made.replaceAll(/\W/g, ''));
    const sealed = this.box.seal(secret, input.name);
    if (!(await insertEventSource(tx, { ...input, sealed, createdBy: by }))) {
      throw new AishError(
        'name_taken',
        `The event source ${input.name} already exists. Remove it first, or choose another name`,
      );
    }
    const facts = { proof: input.proof };
    await appendAudit(tx, { actor: by, action: 'event_source.added', subject: input.name, facts });
    return { ...input, secret, createdBy: by, createdAt: new Date().toISOString() };
  }

  async sources(): Promise<EventSource[]> {
    return (await listEventSources(this.db.statements)).map(shown);
  }

  /** Removes a source with its rules and events. Its goals stay. @throws AishError `not_found` */
  removeSource(by: string, name: string): Promise<EventSource> {
    return inTransaction(this.db, (tx) => this.deleteSource(tx, by, name));
  }

  /** Does the same within the caller's transaction. */
  async deleteSource(tx: Tx, by: string, name: string): Promise<EventSource> {
    this.senders.delete(name);
    const removed = await deleteEventSource(tx, name);
    if (removed === null) throw noSource(name);
    await appendAudit(tx, { actor: by, action: 'event_source.removed', subject: name });
    return shown(removed);
  }

  /** @throws AishError `not_found` if its source does not exist; the errors of a goal that cannot be created */
  async addRule(by: Person, wanted: AddEventRule): Promise<EventRule> {
    const rule = await this.checkRule(by, wanted);
    return inTransaction(this.db, (tx) => this.insertRule(tx, by.name, rule));
  }

  /** @returns the rule with the space of its goal @throws AishError the errors of a goal that cannot be created */
  async checkRule(by: Person, wanted: AddEventRule, tx?: Tx): Promise<AddEventRule> {
    const { goal } = await this.given.check(by, wanted.goal, tx);
    return { ...wanted, goal };
  }

  /** Adds a checked rule within the caller's transaction. @throws AishError `not_found` if its source does not exist */
  async insertRule(tx: Tx, by: string, rule: AddEventRule): Promise<EventRule> {
    if ((await findEventSource(tx, rule.source)) === null) throw noSource(rule.source);
    const added = await insertEventRule(tx, randomUUID(), rule, by);
    const facts = { source: rule.source, text: rule.goal.text };
    await appendAudit(tx, { actor: by, action: 'event_rule.added', subject: `r${added.number}`, facts });
    return added;
  }

  rules(): Promise<EventRule[]> {
    return listEventRules(this.db.statements);
  }

  /** @throws AishError `not_found` */
  removeRule(by: string, reference: string): Promise<EventRule> {
    return inTransaction(this.db, (tx) => this.deleteRule(tx, by, reference));
  }

  /** Does the same within the caller's transaction. */
  async deleteRule(tx: Tx, by: string, reference: string): Promise<EventRule> {
    const removed = await deleteEventRule(tx, reference);
    if (removed === null) throw new AishError('not_found', `There is no event rule ${reference}`);
    await appendAudit(tx, { actor: by, action: 'event_rule.removed', subject: `r${removed.number}` });
    return removed;
  }

  list(source: string | null, limit: number): Promise<ReceivedEvent[]> {
    return listReceivedEvents(this.db.statements, source, limit);
  }

  /** @throws AishError `not_found` */
  async find(reference: string): Promise<ReceivedEvent> {
    const event = await findReceivedEvent(this.db.statements, reference);
    if (event === null) throw new AishError('not_found', `There is no event ${reference}`);
    return event;
  }

  /** Returns the goal that the event would start under the current rules. @throws AishError `not_found` */
  async test(reference: string): Promise<EventTest> {
    const event = await this.find(reference);
    const matched = matchingRule(await listEventRules(this.db.statements, event.source), event.body);
    if (matched === null) return { rule: null, key: null, isResolved: false, text: null };
    const { rule, key, isResolved } = matched;
    return { rule: rule.number, key, isResolved, text: isResolved ? null : goalOf(rule, event.body).text };
  }

  /** Processes a stored event again under the current rules, without a cool-down. @throws AishError `not_found` */
  async replay(reference: string): Promise<EventReceipt> {
    const { source, body } = await this.find(reference);
    return this.take(source, { body, delivery: null, isReplay: true });
  }

  private take(name: string, event: ArrivedEvent): Promise<EventReceipt> {
    let queue = this.queues.get(name);
    if (queue === undefined) {
      queue = new Batcher((events) => this.write(name, events), TOGETHER);
      if (this.queues.size >= SENDERS) this.queues.clear();
      this.queues.set(name, queue);
    }
    if (queue.isFull) throw new AishError('too_many', `Too many events of ${name} are waiting. Send it again later`);
    return queue.add(event);
  }

  private async write(name: string, events: readonly ArrivedEvent[]): Promise<readonly EventReceipt[]> {
    const { db, after, given, goals } = this;
    const { receipts, left } = await inTransaction(db, async (tx) => {
      const intake = new EventIntake(tx, name, given.openRunbook);
      const receipts = await intake.take(events);
      announceBoundary('intake.written', name);
      return { receipts, left: intake.after };
    });
    announceBoundary('intake.committed', name);
    if (receipts === null) throw noSource(name);
    for (const { goal, notice } of left.queue) {
      await after.addGoalJob(goal.id, goal.priority);
      announceBoundary('intake.queued', name);
      await after.publish(notice);
    }
    for (const goalId of left.cancel) {
      try {
        await goals.cancel(`event ${name}`, goalId);
      } catch (error) {
        if (!isAishError(error, 'goal_ended') && !isAishError(error, 'not_found')) throw error;
      }
    }
    announceBoundary('intake.told', name);
    return receipts;
  }

  /**
   * Finds a sender. One lookup serves all requests that arrive during it, so a flood from one sender costs one
   * statement per second.
   */
  private sender(name: string): Promise<Sender | null> {
    const known = this.senders.get(name);
    if (known !== undefined && performance.now() - known.at < SENDER_MS) return Promise.resolve(known);
    const underWay = this.lookups.get(name);
    if (underWay !== undefined) return underWay;
    const lookup = this.lookUp(name).finally(() => this.lookups.delete(name));
    this.lookups.set(name, lookup);
    return lookup;
  }

  private async lookUp(name: string): Promise<Sender | null> {
    const at = performance.now();
    const source = await findEventSource(this.db.statements, name);
    this.senders.delete(name);
    if (source === null) return null;
    const sender = { source, secret: this.box.open(source.sealed, name), at };
    if (this.senders.size >= SENDERS) this.senders.clear();
    this.senders.set(name, sender);
    return sender;
  }
}

function shown({ name, proof, header, createdBy, createdAt }: SealedEventSource): EventSource {
  return { name, proof, header, createdBy, createdAt };
}

function noSource(name: string): AishError {
  return new AishError('not_found', `There is no event source ${name}. Add it first: aish event source add ${name}`);
}

import {
  ActionEngine,
  forbidsGrants,
  type ActionContext,
  type ActionRecord,
  type Advance,
  type Boundary,
  type Permissions,
} from '@aish/actions';
import type { EventBody, LiveBody, SessionEvent } from '@aish/contracts/events';
import { isAishError } from '@aish/contracts/problems';
import type { Turn } from '@aish/contracts/sessions';
import type { ToolContext } from '@aish/contracts/tools';
import { recordEvents } from '@aish/database/events.repository';
import { findGrant, findGrantOfVariables } from '@aish/database/grants.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import type { Definition } from '@aish/tools';
import type { SessionPorts, SessionSettings } from './ports.js';
import type { Recorded } from './record.js';
import type { SessionMachine } from './machine/session.js';

/** A session as its runner finds it. */
export interface TakenSession<M extends SessionMachine> {
  /** The ID for the session's lock, grants and boundaries: the ID of a goal, or the session of a chat. */
  readonly id: string;
  readonly session: ToolContext;
  readonly hostFolders: readonly string[];
  readonly hosts: readonly string[];
  readonly machine: M;
  /** The turns that the model sees, in order. */
  readonly turns: readonly Turn[];
  /** The text that the model wrote in the newest step. */
  readonly words: string;
  /** Descriptions of tools from earlier requests. */
  readonly offered: readonly Definition[];
}

/** The limits of actions in one kind of session, and what runs there without asking. */
type Bounds = Pick<ActionContext, 'stepBudget' | 'commandTimeoutMs' | 'haltExpiry'> &
  Pick<Permissions, 'confirmCommands' | 'confirmReads' | 'trust' | 'toolGrants'>;

type Effect = NonNullable<Advance<unknown>['effect']>;

/**
 * One runner's work on one session. For each event, the runner decides with a pure function, writes the result in one
 * transaction, publishes it, and performs the next effect. The runner's state is what it wrote: every write is refused
 * once its epoch is outdated.
 */
export abstract class SessionRun<M extends SessionMachine, E, R extends { readonly type: string }> {
  protected machine: M;
  protected turns: readonly Turn[];
  protected words: string;
  protected offered: readonly Definition[];
  /** Tools that the model has found by searching. */
  protected wanted: readonly string[] = [];
  protected readonly engine: ActionEngine;

  constructor(
    private readonly of: {
      readonly ports: SessionPorts;
      readonly settings: SessionSettings;
      /** Whether these records are written with one statement. */
      readonly isOneStatement: (records: readonly (R | ActionRecord)[]) => boolean;
    },
    protected readonly taken: TakenSession<M>,
  ) {
    this.machine = taken.machine;
    this.turns = taken.turns;
    this.words = taken.words;
    this.offered = taken.offered;
    this.engine = new ActionEngine(of.ports);
  }

  protected abstract decide(event: E): Advance<M, R | ActionRecord>;
  /** Writes the decision. `this.machine` is still the one before it. */
  protected abstract record(tx: Tx, decided: Advance<M, R | ActionRecord>): Promise<Recorded>;
  /** @throws AishError `epoch_superseded` */
  protected abstract lock(tx: Tx): Promise<void>;
  protected abstract tell(events: readonly SessionEvent[]): void;
  protected abstract live(body: LiveBody): void;
  protected abstract bounds(): Bounds;
  /** Called after each decision is written. `this.machine` is still the one before it. */
  protected applied?(event: E, decided: Advance<M, R | ActionRecord>): void;

  /** Handles one event: decides with a pure function, writes in one transaction, then publishes. */
  protected async apply(event: E): Promise<Effect | null> {
    const decided = this.decide(event);
    if (decided.records.length > 0) await this.commit(decided);
    this.applied?.(event, decided);
    this.machine = decided.machine;
    return decided.effect;
  }

  /**
   * Applies the event of an effect. If a grant was revoked in the meantime, the same effect runs again without that
   * grant.
   */
  protected async applyOrAgain(event: E, effect: Effect): Promise<Effect | null> {
    try {
      return await this.apply(event);
    } catch (error) {
      if (isAishError(error, 'grant_revoked')) return effect;
      throw error;
    }
  }

  protected async commit(decided: Advance<M, R | ActionRecord>): Promise<void> {
    const { ports, isOneStatement } = this.of;
    const write = (tx: Tx): Promise<Recorded> => this.record(tx, decided);
    await this.at('record.before');
    const { events, turns } = await (isOneStatement(decided.records) ? write(ports.db.statements) : this.write(write));
    await this.at('record.after');
    this.turns = [...this.turns, ...turns];
    this.tell(events);
    await this.at('record.told');
  }

  protected context(): ActionContext {
    const { ports, settings } = this.of;
    const { id, session, hostFolders, hosts } = this.taken;
    const { db, autoApproves } = ports;
    const { stepBudget, commandTimeoutMs, haltExpiry, ...permissions } = this.bounds();
    return {
      session,
      step: this.step,
      stepBudget,
      words: this.words,
      hostFolders,
      hosts,
      commandTimeoutMs,
      elicitationWaitMs: settings.elicitationWaitMs,
      haltExpiry,
      permissions: {
        ...permissions,
        autoApproves,
        grantFor: async (what) => (settings.grants ? findGrant(db.statements, id, what) : null),
        forbidsGrants: (classification) => forbidsGrants(db.statements, session.sessionId, classification),
        grantForVariables: async (digest) => (settings.grants ? findGrantOfVariables(db.statements, id, digest) : null),
      },
      live: (body) => this.live(body),
      write: (work) => this.note(work),
      at: (boundary) => this.at(boundary),
    };
  }

  protected get step(): number {
    return this.machine.step?.n ?? 0;
  }

  /** Records something that happened and needs no decision. */
  private async note(work: (tx: Tx) => Promise<readonly EventBody[]>): Promise<void> {
    const { sessionId } = this.taken.session;
    this.tell(await this.write(async (tx) => recordEvents(tx, sessionId, await work(tx))));
  }

  protected write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return inTransaction(this.of.ports.db, async (tx) => {
      await this.lock(tx);
      return work(tx);
    });
  }

  protected async at(boundary: Boundary): Promise<void> {
    await this.of.ports.at?.(boundary, this.taken.id);
  }
}

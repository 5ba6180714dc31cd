import { setTimeout as sleep } from 'node:timers/promises';
import {
  ActionEngine,
  isOneStatement,
  killCommands,
  needsSeveral,
  pauseMs,
  type ActionContext,
  type ActionEffect,
  type Boundary,
} from '@aish/actions';
import type { AnswerEnd } from '@aish/contracts/chat';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { EventBody, LiveBody } from '@aish/contracts/events';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { Turn } from '@aish/contracts/sessions';
import type { ToolContext, ToolSpec } from '@aish/contracts/tools';
import { clearDraft, findChat, lockAsChatDriver, type ChatRow } from '@aish/database/chats.repository';
import { recordEvents } from '@aish/database/events.repository';
import { findGrant, findGrantOfVariables } from '@aish/database/grants.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import type { Approval, Definition } from '@aish/tools';
import { askModel } from './ask-model.js';
import type { Drafts } from './drafts.js';
import { advanceChat } from './machine/advance.js';
import type { ChatAdvance, ChatEvent } from './machine/events.js';
import { endExchange } from './machine/go-on.js';
import type { ChatMachine } from './machine/state.js';
import { CHAT_WAITS, type ChatPorts, type ChatSettings } from './ports.js';
import { recordChat, type Recorded } from './record.js';

type Effect = NonNullable<ChatAdvance['effect']>;

export interface DrivePorts extends ChatPorts {
  /** Where what has come of an answer is written down meanwhile. */
  readonly drafts: Drafts;
}

/** A chat as its driver finds it when it takes it. */
export interface TakenChat {
  readonly row: ChatRow;
  readonly machine: ChatMachine;
  readonly turns: readonly Turn[];
  /** The block of memory; `message` is what the person said last. */
  readonly background: (message: string | null) => Promise<string | null>;
  /** For the first request alone, since tools come and go; null where nobody has asked for them yet. */
  readonly specs: Promise<readonly ToolSpec[]> | null;
}

/** One driver's time with one chat. What it knows is what it wrote: every write is refused once its epoch is old. */
export class Drive {
  private readonly row: ChatRow;
  private machine: ChatMachine;
  private turns: readonly Turn[];
  private readonly background: TakenChat['background'];
  private specs: TakenChat['specs'];
  private readonly tools: ToolContext;
  private offered: readonly Definition[];
  private hasMoreOffered = false;
  private wanted: string[] = [];
  private words = '';
  private readonly engine: ActionEngine;
  /** How often in a row the sandbox could not be asked. */
  private waits = 0;

  /** @param running who stops it; null while nobody does. */
  constructor(
    private readonly ports: DrivePorts,
    private readonly settings: ChatSettings,
    { row, machine, turns, background, specs }: TakenChat,
    private readonly running: { readonly stoppedBy: string | null },
  ) {
    this.row = row;
    this.machine = machine;
    this.turns = turns;
    this.background = background;
    this.specs = specs;
    this.engine = new ActionEngine(ports);
    this.tools = { sessionId: row.session_id, owner: row.owner, goalId: null };
    this.offered = row.offered as readonly Definition[];
    this.words = turns.findLast((turn) => turn.role === 'assistant')?.content ?? '';
  }

  /** @param first what is to be done; null: what the machine says of a chat that was taken over. */
  async run(first: Effect | null, signal: AbortSignal): Promise<void> {
    const { draft: text, draft_reasoning: reasoning, preset } = this.row;
    let effect = first ?? (await this.apply({ type: 'taken', draft: { text, reasoning }, preset }));
    while (effect !== null) {
      effect = await this.applyOrAgain(await this.performOrStop(effect, signal), effect);
      if (effect !== null && effect.type !== 'ask' && signal.aborted) {
        if (this.running.stoppedBy === null) throw signal.reason;
        effect = await this.apply({ type: 'stopped', by: this.running.stoppedBy, outcomes: {} });
      }
    }
    await this.at('drive.left');
  }

  /** Something nobody foresaw: the person is told, and the chat can go on. */
  async fail(error: unknown): Promise<void> {
    const code = isAishError(error) ? error.code : 'internal';
    const trouble = { code, detail: 'Something went wrong here; the log says more' };
    await this.write(endExchange(this.machine, 'failed', trouble, 'something went wrong', []));
  }

  private async performOrStop(effect: Effect, signal: AbortSignal): Promise<ChatEvent> {
    try {
      return await (effect.type === 'ask' ? this.ask(signal) : this.perform(effect, signal));
    } catch (error) {
      const by = this.running.stoppedBy;
      if (by === null) throw error;
      return { type: 'stopped', by, ...(await this.kill()) };
    }
  }

  private async perform(effect: ActionEffect, signal: AbortSignal): Promise<ChatEvent> {
    if (effect.type === 'recover' && this.waits > 0) await this.pause(signal);
    signal.throwIfAborted();
    const { event, found } = await this.engine.perform(effect, this.context(), signal);
    this.wanted.push(...found);
    this.waits = event.type === 'away' ? this.waits + 1 : 0;
    if (event.type === 'away' && event.began) {
      this.live({ type: 'answer.retry', ...this.place(), reason: event.reason, delayMs: this.pauseMs() });
    }
    return event;
  }

  /** Before a sandbox that was away is asked again. */
  private async pause(signal: AbortSignal): Promise<void> {
    await sleep(this.pauseMs(), undefined, { signal }).catch(() => undefined);
  }

  private pauseMs(): number {
    const { retryMinMs, retryMaxMs } = this.settings.waits ?? CHAT_WAITS;
    return pauseMs(this.waits - 1, retryMinMs, retryMaxMs);
  }

  private context(): ActionContext {
    const { row, machine, settings, ports } = this;
    return {
      session: this.tools,
      step: machine.step?.n ?? 0,
      stepBudget: null,
      words: this.words,
      hostFolders: row.host_folders,
      hosts: row.hosts,
      commandTimeoutMs: settings.commandTimeoutMs,
      elicitationWaitMs: settings.elicitationWaitMs,
      haltExpiry: null,
      permissions: {
        confirmCommands: machine.confirmCommands,
        confirmReads: settings.confirmReads,
        trust: machine.trust,
        autoApproves: ports.autoApproves,
        toolGrants: () => this.grants(),
        grantFor: async (what) => (settings.grants ? findGrant(ports.db.statements, row.session_id, what) : null),
        needsSeveral: (classification) => needsSeveral(ports.db.statements, row.session_id, classification),
        grantForVariables: async (digest) =>
          settings.grants ? findGrantOfVariables(ports.db.statements, row.session_id, digest) : null,
      },
      live: (body) => this.live(body),
      write: (work) => this.note(work),
      at: (boundary) => this.at(boundary),
    };
  }

  private place() {
    return { exchange: this.machine.exchange, step: this.machine.step?.n ?? 0 };
  }

  private async ask(signal: AbortSignal): Promise<ChatEvent> {
    const { session_id: sessionId, epoch } = this.row;
    const preset = this.preset();
    await this.at('ask.before');
    const [specs, background] = await Promise.all([
      this.specs ?? this.ports.toolbox.specs(this.tools),
      this.background(this.turns.findLast((turn) => turn.role === 'user')?.content ?? null),
    ]);
    this.specs = null;
    const { answer, offered } = await askModel(
      {
        preset,
        isAboutGoal: this.row.goal_id !== null,
        turns: this.turns,
        background,
        specs,
        offered: this.offered,
        wanted: this.wanted,
        ...this.place(),
        live: (body) => this.live(body),
        draft: (part, words) => {
          if (part !== 'restart') this.ports.drafts.add(sessionId, epoch, part, words);
          else void this.restartDraft();
        },
        endOfAbort: (): AnswerEnd => (this.running.stoppedBy === null ? 'interrupted' : 'stopped'),
      },
      this.ports,
      this.settings,
      signal,
    );
    await this.ports.drafts.drop(sessionId);
    if (offered.length > this.offered.length) {
      this.offered = offered;
      this.hasMoreOffered = true; // written down with the answer
    }
    this.words = answer.text;
    await this.at('ask.after');
    return { type: 'answered', answer };
  }

  private async restartDraft(): Promise<void> {
    const { session_id: sessionId, epoch } = this.row;
    try {
      await this.ports.drafts.drop(sessionId);
      await clearDraft(this.ports.db, sessionId, epoch);
    } catch (error) {
      this.ports.onError(error, 'empty a draft');
    }
  }

  private preset(): Preset {
    const { presets } = this.settings;
    const preset = presets.find(({ name }) => name === this.row.preset) ?? presets[0];
    if (preset === undefined) throw new AishError('invalid_config', 'There are no presets');
    return preset;
  }

  /** Grants may be given while an exchange is under way. */
  private async grants(): Promise<readonly Approval[]> {
    const row = await findChat(this.ports.db.statements, this.row.session_id);
    return (row?.grants ?? []) as readonly Approval[];
  }

  /** What became of the command that runs, and what it had connected to. */
  private kill(): ReturnType<typeof killCommands> {
    const started = this.machine.step?.actions.filter(({ kind, state }) => kind === 'command' && state === 'started');
    return killCommands(this.ports.sandbox, started?.map(({ id }) => id) ?? []);
  }

  /** A grant that was revoked in the meantime: the same effect again, without it. */
  private async applyOrAgain(event: ChatEvent, effect: Effect): Promise<Effect | null> {
    try {
      return await this.apply(event);
    } catch (error) {
      if (isAishError(error, 'grant_revoked')) return effect;
      throw error;
    }
  }

  /** One event: decided purely, written in one transaction, then told. */
  private async apply(event: ChatEvent): Promise<Effect | null> {
    const decided = advanceChat(this.machine, event);
    if (decided.records.length > 0) await this.write(decided);
    this.machine = decided.machine;
    return decided.effect;
  }

  private async write({ machine, records }: ChatAdvance): Promise<void> {
    const { session_id: sessionId, epoch, preset } = this.row;
    const { db, outlet } = this.ports;
    const more = this.hasMoreOffered ? { offered: this.offered } : {};
    const { words, machine: previous } = this;
    const context = { sessionId, previous, machine, words, preset, epoch, ...more };
    const record = (tx: Tx): Promise<Recorded> => recordChat(tx, records, context);
    await this.at('record.before');
    const { events, turns } = await (isOneStatement(records) ? record(db.statements) : this.asDriver(record));
    await this.at('record.after');
    this.hasMoreOffered = false;
    this.turns = [...this.turns, ...turns];
    outlet.events(sessionId, events);
    await this.at('record.told');
  }

  private asDriver<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return inTransaction(this.ports.db, async (tx) => {
      await lockAsChatDriver(tx, this.row.session_id, this.row.epoch);
      return work(tx);
    });
  }

  /** Something that happened and decides nothing. */
  private async note(work: (tx: Tx) => Promise<readonly EventBody[]>): Promise<void> {
    const { session_id: sessionId } = this.row;
    const events = await this.asDriver(async (tx) => recordEvents(tx, sessionId, await work(tx)));
    this.ports.outlet.events(sessionId, events);
  }

  private live(body: LiveBody): void {
    this.ports.outlet.live(this.row.session_id, body);
  }

  private async at(boundary: Boundary): Promise<void> {
    await this.ports.at?.(boundary, this.row.session_id);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { isOneStatement, killCommands, pauseMs, type ActionEffect } from '@aish/actions';
import type { AnswerEnd } from '@aish/contracts/chat';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { LiveBody, SessionEvent } from '@aish/contracts/events';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { Turn } from '@aish/contracts/sessions';
import type { ToolSpec } from '@aish/contracts/tools';
import { clearDraft, findChat, lockAsChatRunner, type ChatRow } from '@aish/database/chats.repository';
import type { Tx } from '@aish/database/tx';
import type { Approval, Definition } from '@aish/tools';
import { SessionRun } from '../session-run.js';
import type { Recorded } from '../record.js';
import { advanceChat } from '../machine/chat/advance.js';
import { askForAnswer } from './ask-chat.js';
import { CHAT_WAITS, type ChatPorts, type ChatSettings } from './chat-ports.js';
import type { Drafts } from './drafts.js';
import type { ChatAdvance, ChatEvent, ChatRecord } from '../machine/chat/events.js';
import { endExchange } from '../machine/chat/policy.js';
import { recordChat } from './record.js';
import type { ChatMachine } from '../machine/chat/state.js';

type Effect = NonNullable<ChatAdvance['effect']>;

export interface ChatRunPorts extends ChatPorts {
  /** Saves the partial answer while it arrives. */
  readonly drafts: Drafts;
}

/** A chat as its runner finds it. */
export interface TakenChat {
  readonly row: ChatRow;
  readonly machine: ChatMachine;
  readonly turns: readonly Turn[];
  /** Returns the block of memory. `message` is the person's last message. */
  readonly background: (message: string | null) => Promise<string | null>;
  /** The tools for the first request only, because tools may change later. Null if nobody has looked them up yet. */
  readonly specs: Promise<readonly ToolSpec[]> | null;
}

/** One runner's work on one chat. */
export class ChatRun extends SessionRun<ChatMachine, ChatEvent, ChatRecord> {
  private readonly row: ChatRow;
  private readonly background: TakenChat['background'];
  private specs: TakenChat['specs'];
  private hasMoreOffered = false;
  /** How many times in a row the sandbox was unavailable. */
  private waits = 0;

  /** @param running contains the name of the person who stops the chat, or null if nobody does. */
  constructor(
    private readonly ports: ChatRunPorts,
    private readonly settings: ChatSettings,
    { row, machine, turns, background, specs }: TakenChat,
    private readonly running: { readonly stoppedBy: string | null },
  ) {
    const { session_id: id, owner, host_folders: hostFolders, hosts } = row;
    const session = { sessionId: id, owner, goalId: null };
    const words = turns.findLast((turn) => turn.role === 'assistant')?.content ?? '';
    const offered = row.offered as readonly Definition[];
    super({ ports, settings, isOneStatement }, { id, session, hostFolders, hosts, machine, turns, words, offered });
    this.row = row;
    this.background = background;
    this.specs = specs;
  }

  /** @param first the first effect. With null, the machine decides, as for a chat that was taken over. */
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

  /** Handles an unexpected error: the person sees the error, and the chat can continue. */
  async fail(error: unknown): Promise<void> {
    const code = isAishError(error) ? error.code : 'internal';
    const trouble = { code, detail: 'An internal error occurred. See the log' };
    await this.commit(endExchange(this.machine, 'failed', trouble, 'something went wrong', []));
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
    this.wanted = [...this.wanted, ...found];
    this.waits = event.type === 'unavailable' ? this.waits + 1 : 0;
    if (event.type === 'unavailable' && event.began) {
      this.live({ type: 'answer.retry', ...this.place(), reason: event.reason, delayMs: this.pauseMs() });
    }
    return event;
  }

  /** Waits before an unavailable sandbox is retried. */
  private async pause(signal: AbortSignal): Promise<void> {
    await sleep(this.pauseMs(), undefined, { signal }).catch(() => undefined);
  }

  private pauseMs(): number {
    const { retryMinMs, retryMaxMs } = this.settings.waits ?? CHAT_WAITS;
    return pauseMs(this.waits - 1, retryMinMs, retryMaxMs);
  }

  protected bounds() {
    const { machine, settings } = this;
    return {
      stepBudget: null,
      commandTimeoutMs: settings.commandTimeoutMs,
      haltExpiry: null,
      confirmCommands: machine.confirmCommands,
      confirmReads: settings.confirmReads,
      trust: machine.trust,
      toolGrants: () => this.grants(),
    };
  }

  private place() {
    return { exchange: this.machine.exchange, step: this.step };
  }

  private async ask(signal: AbortSignal): Promise<ChatEvent> {
    const { session_id: sessionId, epoch } = this.row;
    const preset = this.preset();
    await this.at('ask.before');
    const [specs, background] = await Promise.all([
      this.specs ?? this.ports.toolbox.specs(this.taken.session),
      this.background(this.turns.findLast((turn) => turn.role === 'user')?.content ?? null),
    ]);
    this.specs = null;
    const { answer, offered } = await askForAnswer(
      {
        preset,
        presets: this.settings.presets,
        toolShare: this.settings.toolShare,
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
      signal,
    );
    await this.ports.drafts.drop(sessionId);
    if (offered.length > this.offered.length) {
      this.offered = offered;
      this.hasMoreOffered = true; // These tools are saved with the answer.
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

  /** Reads the grants. It reads them each time, because a person may give grants during an exchange. */
  private async grants(): Promise<readonly Approval[]> {
    const row = await findChat(this.ports.db.statements, this.row.session_id);
    return (row?.grants ?? []) as readonly Approval[];
  }

  /** Stops the running command and returns its outcome and its connections. */
  private kill(): ReturnType<typeof killCommands> {
    const started = this.machine.step?.actions.filter(({ kind, state }) => kind === 'command' && state === 'started');
    return killCommands(this.ports.sandbox, started?.map(({ id }) => id) ?? []);
  }

  protected decide(event: ChatEvent): ChatAdvance {
    return advanceChat(this.machine, event);
  }

  protected async record(tx: Tx, { machine, records }: ChatAdvance): Promise<Recorded> {
    const { session_id: sessionId, epoch, preset } = this.row;
    const { machine: previous, words } = this;
    const more = this.hasMoreOffered ? { offered: this.offered } : {};
    const recorded = await recordChat(tx, records, { sessionId, epoch, previous, machine, words, preset, ...more });
    this.hasMoreOffered = false;
    return recorded;
  }

  protected lock(tx: Tx): Promise<void> {
    return lockAsChatRunner(tx, this.row.session_id, this.row.epoch);
  }

  protected tell(events: readonly SessionEvent[]): void {
    this.ports.outlet.events(this.row.session_id, events);
  }

  protected live(body: LiveBody): void {
    this.ports.outlet.live(this.row.session_id, body);
  }
}

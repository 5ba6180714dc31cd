import type { Boundary } from '@aish/actions';
import type { EventBody } from '@aish/contracts/events';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { ToolContext, ToolSpec } from '@aish/contracts/tools';
import { listRecentTurns } from '@aish/database/accept-message.repository';
import { listOrphanedChats, lockChat, raiseChatEpoch } from '@aish/database/chats.repository';
import type { HeldLock } from '@aish/database/shared-locks';
import { inTransaction } from '@aish/database/transaction';
import { listTurns } from '@aish/database/turns.repository';
import type { Tx } from '@aish/database/tx';
import { ChatLocks } from './chat-locks.js';
import { Drafts } from './drafts.js';
import { ChatRun, type TakenChat } from './chat-run.js';
import { MessageIntake, loadChat, machineAtStart, titleOf } from './load.js';
import { advanceChat } from '../machine/chat/advance.js';
import type { ChatAdvance, ChatEvent } from '../machine/chat/events.js';
import { CHAT_WAITS, type ChatPorts, type ChatSettings, type ChatWaits } from './chat-ports.js';
import type { Recorded } from '../record.js';
import { recordChat } from './record.js';

type Effect = NonNullable<ChatAdvance['effect']>;

const ORPHANED_AT_ONCE = 50;
const PRESETS_KEPT = 1_000;

interface Running {
  readonly controller: AbortController;
  /** The person who stops the chat; null if nobody does. */
  stoppedBy: string | null;
  readonly done: Promise<void>;
}

/** The input for the first request of an exchange. Its lookup starts before the message is saved. */
interface Ahead {
  /** The owner of the memory and the tools. */
  readonly owner: string;
  /** The block of memory. */
  readonly block: Promise<string | null>;
  readonly specs: Promise<readonly ToolSpec[]>;
}

/** Runs the chats of this process. A session has one runner among all processes. */
export class ChatRunner {
  private readonly running = new Map<string, Running>();
  private readonly drafts: Drafts;
  /** The preset that answered last in each session. The newest sessions come last. */
  private readonly presetOf = new Map<string, string>();
  private readonly locks: ChatLocks;
  private readonly waits: ChatWaits;
  private readonly intake: MessageIntake;
  private isStopping = false;

  constructor(
    private readonly ports: ChatPorts,
    private readonly settings: ChatSettings,
  ) {
    this.waits = settings.waits ?? CHAT_WAITS;
    this.locks = new ChatLocks(ports.locks, ports.onError, this.waits.lockAfterMs);
    this.intake = new MessageIntake(ports.db, settings.followUps, (sessionId, by) =>
      this.settle(sessionId, { type: 'overtaken', by }),
    );
    this.drafts = new Drafts(ports.db, (error) => ports.onError(error, 'write down what has come of an answer'));
  }

  /**
   * Takes a message and starts to work on it. The events go to the outlet.
   * @param context the session and the author of the message.
   * @param tokenId the token of the message. The runner checks that it is valid and allowed here when it takes the
   * message.
   * @returns the sequence number of the first event, and the exchange.
   * @throws AishError `unauthorized`; `forbidden`; `not_found`; `busy` while the chat works on another message;
   * `service_stopping`.
   */
  async send(
    context: ToolContext,
    text: string,
    tokenId: string,
  ): Promise<{ readonly seq: number; readonly exchange: number }> {
    if (this.isStopping) throw new AishError('service_stopping', 'The api is stopping');
    const { sessionId, owner: by } = context;
    // A person waits for this. The sender nearly always owns the chat, so the sender's memory and tools are looked up
    // during the write.
    const accepting = this.intake.accept(sessionId, { text, by, title: titleOf(text), tokenId });
    this.connectAhead(sessionId);
    const specs = this.ports.toolbox.specs(context);
    const background = this.ports.background(context, text);
    const { chat, step, before, background: shown, turn, events } = await accepting;
    this.remember(sessionId, chat.preset);
    const ahead = { owner: by, block: this.quietly(background(shown)), specs };
    // The prompt begins like the goal's prompt, with all turns of the session.
    const all = chat.goal_id === null ? before : await listTurns(this.ports.db.statements, sessionId);
    const turns = [...all.filter(({ seq }) => seq < turn.seq), turn];
    this.begin(null, { row: chat, machine: machineAtStart(chat, step, this.settings), turns }, { type: 'ask' }, ahead);
    // The model is asked first. Readers get the events after that.
    setImmediate(() => this.ports.outlet.events(sessionId, events));
    return { seq: events[0]?.seq ?? 0, exchange: chat.exchange };
  }

  /** Stops the current work on a chat. @returns false if this process does not run the session. */
  async stop(sessionId: string, by: string): Promise<boolean> {
    const running = this.running.get(sessionId);
    if (running === undefined) return false;
    running.stoppedBy ??= by;
    running.controller.abort(new AishError('aborted', `Stopped by ${by}`));
    await running.done;
    return true;
  }

  /** Ends an exchange that waits for a person. @returns false if none waits. */
  async stopWaiting(sessionId: string, by: string): Promise<boolean> {
    return this.settle(sessionId, { type: 'stopped', by, outcomes: {} });
  }

  /**
   * Gives a verdict to the machine in the caller's transaction. Call `resume` afterwards if there is work to do.
   * @returns what was recorded, and whether there is work to do.
   */
  async decide(
    tx: Tx,
    sessionId: string,
    verdict: Extract<ChatEvent, { type: 'decided' | 'needDecided' }>,
    before: readonly EventBody[],
  ): Promise<{ readonly recorded: Recorded; readonly goesOn: boolean }> {
    const row = await lockChat(tx, sessionId);
    if (row === null) throw new AishError('not_found', `There is no chat ${sessionId}`);
    const previous = await loadChat(tx, row, this.settings);
    const { machine, records } = advanceChat(previous, verdict);
    const recorded = await recordChat(tx, records, {
      sessionId,
      previous,
      machine,
      words: '',
      preset: row.preset,
      epoch: null,
      before,
    });
    return { recorded, goesOn: machine.state === 'running' };
  }

  /** Takes over an unfinished chat that has no runner. Does nothing if there is no work. */
  async resume(sessionId: string): Promise<void> {
    if (this.isStopping || this.running.has(sessionId)) return;
    const lock = await this.locks.tryHold(sessionId);
    if (lock === null) return;
    try {
      await this.at('lock.held', sessionId);
      const taken = await inTransaction(this.ports.db, async (tx) => {
        const row = await raiseChatEpoch(tx, sessionId);
        return row === null ? null : { row, machine: await loadChat(tx, row, this.settings) };
      });
      if (taken === null) return await lock.release();
      await this.at('drive.loaded', sessionId);
      const turns =
        taken.row.goal_id === null
          ? await listRecentTurns(this.ports.db, sessionId)
          : await listTurns(this.ports.db.statements, sessionId);
      this.begin(lock, { ...taken, turns }, null);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Finds chats whose runner is gone and continues them. */
  async sweep(): Promise<void> {
    const { orphanedAfterMs } = this.waits;
    const orphaned = await listOrphanedChats(this.ports.db.statements, orphanedAfterMs, ORPHANED_AT_ONCE);
    for (const { session_id: sessionId } of orphaned) await this.resume(sessionId);
  }

  /** Ends all work. Unfinished answers are saved as interrupted. Actions keep their state for the next runner. */
  async shutdown(): Promise<void> {
    this.isStopping = true;
    const all = [...this.running.values()];
    for (const { controller } of all) controller.abort(new AishError('service_stopping', 'The api is stopping'));
    await Promise.all(all.map(({ done }) => done));
    await this.drafts.stop();
  }

  /** Applies an event to a chat that waits for a person and so has no runner. */
  private async settle(sessionId: string, event: ChatEvent): Promise<boolean> {
    const recorded = await inTransaction(this.ports.db, async (tx) => {
      const row = await lockChat(tx, sessionId);
      if (row?.state !== 'deciding') return null;
      const previous = await loadChat(tx, row, this.settings);
      const { machine, records } = advanceChat(previous, event);
      return recordChat(tx, records, { sessionId, previous, machine, words: '', preset: row.preset, epoch: null });
    });
    if (recorded !== null) this.ports.outlet.events(sessionId, recorded.events);
    return recorded !== null;
  }

  /**
   * @param lock null if nobody has taken it yet. Without the lock, only the epoch makes sure that a single runner
   *   writes.
   */
  private begin(
    lock: HeldLock | null,
    chat: Pick<TakenChat, 'row' | 'machine' | 'turns'>,
    effect: Effect | null,
    ahead: Ahead | null = null,
  ): void {
    const { session_id: sessionId, owner } = chat.row;
    const controller = new AbortController();
    const running: { -readonly [K in keyof Running]: Running[K] } = {
      controller,
      stoppedBy: null,
      done: Promise.resolve(),
    };
    const ours = ahead?.owner === owner ? ahead : null;
    const context = { sessionId, owner, goalId: null };
    const background = (message: string | null) =>
      ours?.block ?? this.quietly(this.ports.background(context, message)());
    const ports = { ...this.ports, drafts: this.drafts };
    const run = new ChatRun(ports, this.settings, { ...chat, background, specs: ours?.specs ?? null }, running);
    const over = new AbortController();
    const holding = this.locks.keepHeld(sessionId, lock, controller, over.signal);
    running.done = (async () => {
      try {
        await run.run(effect, controller.signal);
      } catch (error) {
        if (!isAishError(error, 'epoch_superseded', 'lock_lost', 'aborted', 'service_stopping')) {
          this.ports.onError(error, 'run a chat');
          await run.fail(error);
        }
      } finally {
        // If the next message has already begun, this entry belongs to it.
        if (this.running.get(sessionId) === running) this.running.delete(sessionId);
        over.abort();
        await (await holding)?.release();
        await this.at('lock.freed', sessionId);
      }
    })().catch((error: unknown) => this.ports.onError(error, 'end a chat'));
    this.running.set(sessionId, running);
  }

  private async at(boundary: Boundary, sessionId: string): Promise<void> {
    await this.ports.at?.(boundary, sessionId);
  }

  /** Connects to the model that will most likely be asked, while the message is being saved. */
  private connectAhead(sessionId: string): void {
    const { presets } = this.settings;
    const name = this.presetOf.get(sessionId);
    const preset = presets.find((each) => each.name === name) ?? presets[0];
    if (preset !== undefined) this.ports.broker.connectAhead(preset);
  }

  private remember(sessionId: string, preset: string): void {
    this.presetOf.delete(sessionId);
    this.presetOf.set(sessionId, preset);
    if (this.presetOf.size <= PRESETS_KEPT) return;
    for (const oldest of this.presetOf.keys()) return void this.presetOf.delete(oldest);
  }

  private async quietly(block: Promise<string | null>): Promise<string | null> {
    try {
      return await block;
    } catch (error) {
      this.ports.onError(error, 'read the memory of an owner');
      return null;
    }
  }
}

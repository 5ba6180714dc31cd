import {
  AishError,
  isAishError,
  type AnswerEnd,
  type CountedConnection,
  type Elicitation,
  type ElicitationAnswer,
  type EventBody,
  type LiveBody,
  type Preset,
  type RunOutcome,
  type ToolContext,
  type ToolSpec,
  type Turn,
} from '@aish/contracts';
import {
  askMeanwhile,
  clearDraft,
  findChat,
  inTransaction,
  lockAsChatDriver,
  recordEvents,
  type ChatRow,
  type Tx,
} from '@aish/database';
import type { Approval, Definition } from '@aish/tools';
import { judge, recover, run, type ActContext } from './act.js';
import { askModel } from './ask-model.js';
import type { Drafts } from './drafts.js';
import { advanceChat } from './machine/advance.js';
import type { ChatAct, ChatEvent } from './machine/events.js';
import type { ChatAction, ChatMachine } from './machine/state.js';
import type { ChatPorts, ChatSettings } from './ports.js';
import { recordChat } from './record.js';

const KILL_TIMEOUT_MS = 5_000;

/** One driver's time with one chat. What it knows is what it wrote: every write is refused once its epoch is old. */
export class Drive {
  private readonly tools: ToolContext;
  private specs: readonly ToolSpec[] = [];
  private offered: readonly Definition[];
  private hasMoreOffered = false;
  private wanted: string[] = [];
  private words = '';

  constructor(
    private readonly ports: ChatPorts,
    private readonly settings: ChatSettings,
    private readonly drafts: Drafts,
    /** Who stops it; null while nobody does. */
    private readonly running: { readonly stoppedBy: string | null },
    private readonly row: ChatRow,
    private machine: ChatMachine,
    private turns: readonly Turn[],
    private readonly prepared: {
      readonly background: (message: string | null) => Promise<string | null>;
      /** For the first request alone: tools come and go. */
      specs: Promise<readonly ToolSpec[]> | null;
    },
  ) {
    this.tools = { sessionId: row.session_id, owner: row.owner, goalId: null };
    this.offered = row.offered as readonly Definition[];
    this.words = turns.findLast((turn) => turn.role === 'assistant')?.content ?? '';
  }

  async run(first: ChatAct | null, signal: AbortSignal): Promise<void> {
    const { draft: text, draft_reasoning: reasoning, preset } = this.row;
    let act = first ?? (await this.take({ type: 'taken', draft: { text, reasoning }, preset }));
    while (act !== null) {
      let event: ChatEvent;
      try {
        event = await this.carryOut(act, signal);
      } catch (error) {
        if (this.running.stoppedBy === null) throw error;
        event = { type: 'stopped', by: this.running.stoppedBy, ...(await this.kill()) };
      }
      act = await this.take(event);
      if (act !== null && act.type !== 'ask' && signal.aborted) {
        if (this.running.stoppedBy === null) throw signal.reason;
        act = await this.take({ type: 'stopped', by: this.running.stoppedBy, outcomes: {} });
      }
    }
  }

  /** Something nobody foresaw: the person is told, and the chat can go on. */
  async fail(error: unknown): Promise<void> {
    const trouble = {
      code: isAishError(error) ? error.code : 'internal',
      detail: 'Something went wrong here; the log says more',
    };
    const ended: ChatMachine = { ...this.machine, state: 'idle' };
    const { events } = await inTransaction(this.ports.db, async (tx) => {
      const context = {
        sessionId: this.row.session_id,
        previous: this.machine,
        machine: ended,
        preset: this.row.preset,
        epoch: this.row.epoch,
      };
      return recordChat(tx, [{ type: 'endExchange', end: 'failed', trouble }], context);
    });
    this.ports.outlet.events(this.row.session_id, events);
  }

  private async carryOut(act: ChatAct, signal: AbortSignal): Promise<ChatEvent> {
    if (act.type === 'ask') return this.ask(signal);
    if (act.action.kind === 'tool') this.specs = await this.ports.toolbox.specs(this.tools);
    signal.throwIfAborted();
    const context: ActContext = {
      tools: this.tools,
      machine: this.machine,
      specs: this.specs,
      grants: await this.grants(),
      words: this.words,
      hostFolders: this.row.host_folders,
      note: (body) => this.note(body),
      askMeanwhile: (action, question, gone) => this.askMeanwhile(action, question, gone),
      live: (body) => this.live(body),
      found: (names) => this.wanted.push(...names),
    };
    switch (act.type) {
      case 'judge':
        return judge(act.action, context, this.ports, this.settings, signal);
      case 'run':
        return run(act.action, context, this.ports, this.settings, signal);
      case 'recover':
        return recover(act.action, context, this.ports, this.settings, signal);
    }
  }

  private async ask(signal: AbortSignal): Promise<ChatEvent> {
    const { session_id: sessionId, epoch } = this.row;
    const preset = this.preset();
    const [specs, background] = await Promise.all([
      this.prepared.specs ?? this.ports.toolbox.specs(this.tools),
      this.prepared.background(this.turns.findLast((turn) => turn.role === 'user')?.content ?? null),
    ]);
    this.specs = specs;
    this.prepared.specs = null;
    const { answer, offered } = await askModel(
      {
        preset,
        isAboutGoal: this.row.goal_id !== null,
        turns: this.turns,
        background,
        specs,
        offered: this.offered,
        wanted: this.wanted,
        exchange: this.machine.exchange,
        step: this.machine.step?.n ?? 0,
        live: (body) => this.live(body),
        draft: (part, words) => {
          if (part !== 'restart') this.drafts.add(sessionId, epoch, part, words);
          else void this.restartDraft();
        },
        endOfAbort: (): AnswerEnd => (this.running.stoppedBy === null ? 'interrupted' : 'stopped'),
      },
      this.ports,
      this.settings,
      signal,
    );
    await this.drafts.drop(sessionId);
    if (offered.length > this.offered.length) {
      this.offered = offered;
      this.hasMoreOffered = true; // written down with the answer
    }
    this.words = answer.text;
    return { type: 'answered', answer };
  }

  private async restartDraft(): Promise<void> {
    const { session_id: sessionId, epoch } = this.row;
    try {
      await this.drafts.drop(sessionId);
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
  private async kill(): Promise<{
    readonly outcomes: Record<string, RunOutcome>;
    readonly connections: Record<string, CountedConnection[]>;
  }> {
    const started = this.machine.step?.actions.find(({ kind, state }) => kind === 'command' && state === 'started');
    const nothing = { outcomes: {}, connections: {} };
    if (started === undefined) return nothing;
    try {
      const signal = AbortSignal.timeout(KILL_TIMEOUT_MS);
      const outcome = await this.ports.sandbox.cancel(started.id, signal);
      const status = await this.ports.sandbox.status(started.id, signal);
      return {
        outcomes: outcome === null ? {} : { [started.id]: outcome },
        connections: status === null ? {} : { [started.id]: status.connections },
      };
    } catch (error) {
      if (!isAishError(error)) throw error;
      return nothing; // the sandbox is away: the action ends as lost, which is the truth
    }
  }

  /** One event: decided purely, written in one transaction, then told. */
  private async take(event: ChatEvent): Promise<ChatAct | null> {
    const { machine, records, act } = advanceChat(this.machine, event);
    if (records.length > 0) {
      const { session_id: sessionId, epoch, preset } = this.row;
      const more = this.hasMoreOffered ? { offered: this.offered } : {};
      const context = { sessionId, previous: this.machine, machine, preset, epoch, ...more };
      const { events, turns } = await inTransaction(this.ports.db, (tx) => recordChat(tx, records, context));
      this.hasMoreOffered = false;
      this.turns = [...this.turns, ...turns];
      this.ports.outlet.events(sessionId, events);
    }
    this.machine = machine;
    return act;
  }

  /** Something that happened and decides nothing. */
  private async note(body: EventBody): Promise<void> {
    const { session_id: sessionId, epoch } = this.row;
    const events = await inTransaction(this.ports.db, async (tx) => {
      await lockAsChatDriver(tx, sessionId, epoch);
      return recordEvents(tx, sessionId, [body]);
    });
    this.ports.outlet.events(sessionId, events);
  }

  /** The question of a server that waits for the answer on its open call. */
  private async askMeanwhile(action: ChatAction, question: Elicitation, gone: AbortSignal): Promise<ElicitationAnswer> {
    const { session_id: sessionId, epoch } = this.row;
    const write = async (work: (tx: Tx) => Promise<readonly EventBody[]>): Promise<void> => {
      const events = await inTransaction(this.ports.db, async (tx) => {
        await lockAsChatDriver(tx, sessionId, epoch);
        return recordEvents(tx, sessionId, await work(tx));
      });
      this.ports.outlet.events(sessionId, events);
    };
    const place = { sessionId, goalId: null, step: this.machine.step?.n ?? null, stepBudget: null, context: '' };
    return askMeanwhile(this.ports.db, action, question, place, {
      write,
      signal: AbortSignal.any([gone, AbortSignal.timeout(this.settings.elicitationWaitMs)]),
    });
  }

  private live(body: LiveBody): void {
    this.ports.outlet.live(this.row.session_id, body);
  }
}

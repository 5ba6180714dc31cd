import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { chatApi, sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { AgentContext, ContentBlock, SessionModeState, SessionUpdate, StopReason } from '@agentclientprotocol/sdk';
import type { Session } from '@aish/contracts/chat';
import { SessionEvent, LiveBody, type EventBody } from '@aish/contracts/events';
import { isTerminal } from '@aish/contracts/goals';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { ApiClient } from '@aish/client/api.client';
import { askEditor } from './ask-editor.js';
import { EditorFiles, readPrompt } from './editor-files.js';
import { FileExchange } from './file-exchange.js';
import { secretsNote } from '@aish/client/secrets-note';
import { goalOfCommand, runCommand, COMMANDS } from './slash-commands.js';
import { EventPrinter } from '@aish/views/event.printer';
import { eventUpdates, liveUpdate, messageChunk } from './updates.js';

/** The modes that an editor offers. The first asks most often, and the last asks least often. */
const MODES = [
  { id: 'ask', name: 'Ask', description: 'Asks before every command' },
  { id: 'safe', name: 'Safe', description: 'Runs safe commands; asks about the rest' },
  {
    id: 'undoable',
    name: 'Undoable',
    description: 'Goals may also delete files of their own workspace; undo restores them',
  },
] as const;
type Mode = (typeof MODES)[number]['id'];

/** The ways in which a prompt ends early: its editor cancels it, which stops the work, or disconnects. */
interface Until {
  readonly signal: AbortSignal;
  readonly cancelled: AbortSignal;
}

/** One editor session: a chat of aish, its goals, and the shared files. */
export class EditorSession {
  private readonly exchange: FileExchange;
  private readonly printer = new EventPrinter();
  private mode: Mode;
  private running: AbortController | null = null;
  /** The number of characters of the answer that arrived live. */
  private streamedChars = 0;

  constructor(
    private readonly client: ApiClient,
    private readonly session: Session,
    folder: string,
    fs: { readonly read: boolean; readonly write: boolean },
  ) {
    this.exchange = new FileExchange(new EditorFiles(client, session.id, folder), session.id, fs);
    this.mode = session.confirmCommands === false ? 'safe' : 'ask';
  }

  get modes(): SessionModeState {
    return { currentModeId: this.mode, availableModes: MODES.map((mode) => ({ ...mode })) };
  }

  /** Runs after the response that creates the session. */
  announce(editor: AgentContext): void {
    setImmediate(() => {
      this.tell(editor, { sessionUpdate: 'available_commands_update', availableCommands: [...COMMANDS] }).catch(
        () => undefined,
      ); // the editor has disconnected
    });
  }

  /** @throws AishError `invalid_body` for an unknown mode */
  async setMode(id: string, signal: AbortSignal): Promise<void> {
    const mode = MODES.find((each) => each.id === id);
    if (mode === undefined) {
      throw new AishError(
        'invalid_body',
        `There is no mode ${id}. The modes are ${MODES.map((each) => each.id).join(', ')}`,
      );
    }
    await this.client.call(
      sessionsApi.change,
      { params: { ref: this.session.id }, body: { confirmCommands: id === 'ask' } },
      signal,
    );
    this.mode = mode.id;
  }

  /** Stops the current work. The prompt then ends as cancelled. */
  cancel(): void {
    this.running?.abort();
  }

  async prompt(blocks: readonly ContentBlock[], editor: AgentContext, outer: AbortSignal): Promise<StopReason> {
    if (this.running !== null) throw new AishError('busy', 'The session is working on another message');
    const running = new AbortController();
    this.running = running;
    const signal = AbortSignal.any([outer, running.signal]);
    try {
      const { text, files } = readPrompt(blocks);
      const hint = await secretsNote('Your message', text);
      if (hint !== null) await this.tell(editor, messageChunk(hint));
      await this.exchange.take(files, editor, signal);
      const stop = await this.answer(text, editor, { signal, cancelled: running.signal });
      await this.exchange.giveBack(editor, signal);
      return stop;
    } catch (error) {
      if (!signal.aborted) throw error;
      return 'cancelled';
    } finally {
      this.running = null;
    }
  }

  /** Shows work that continued while the editor was closed: its decisions and its end. */
  async goOn(editor: AgentContext, signal: AbortSignal): Promise<void> {
    if (this.session.state === null || this.session.state === 'idle') return;
    const running = new AbortController();
    this.running = running;
    const both = AbortSignal.any([signal, running.signal]);
    running.signal.addEventListener('abort', () => this.reportFailure(this.stop(), editor), { once: true });
    const opened = Date.parse(this.session.updatedAt);
    try {
      const { items } = await this.client.call(decisionsApi.list, { query: { state: 'pending', limit: 500 } }, both);
      for (const { id, sessionId } of items) if (sessionId === this.session.id) this.ask(id, editor, both);
      for await (const item of this.client.followSession(this.session.id, both)) {
        if (item.type !== 'item' || item.item.type === 'unknown') continue;
        if (item.item.type === 'live') await this.live(item.item.body, editor);
        else if (Date.parse(item.item.event.at) > opened) {
          const { body } = item.item.event;
          await this.event(body, editor, both);
          if (body.type === 'exchange.ended') return;
        }
      }
    } finally {
      this.running = null;
    }
  }

  private async answer(text: string, editor: AgentContext, until: Until): Promise<StopReason> {
    const goal = goalOfCommand(text);
    if (goal !== null) return this.follow(goal, editor, until);
    const ran = await runCommand(text, this.client, this.session.id, until.signal);
    if (ran !== null) {
      await this.tell(editor, messageChunk(ran));
      return 'end_turn';
    }
    return this.talk(text, editor, until);
  }

  /** Runs one exchange. Cancelling in the editor stops the exchange, and disconnecting does not. */
  private async talk(text: string, editor: AgentContext, { signal, cancelled }: Until): Promise<StopReason> {
    const request = { method: 'POST', path: `/v1/sessions/${this.session.id}/messages`, body: { text } } as const;
    const onAbort = (): void => this.reportFailure(this.stop(), editor);
    cancelled.addEventListener('abort', onAbort, { once: true });
    let stop: StopReason = 'end_turn';
    try {
      for await (const message of this.client.events(request, signal)) {
        if (message === 'open') continue;
        const data: unknown = JSON.parse(message.data);
        const event = message.id === undefined ? null : SessionEvent.safeParse(data);
        if (event === null) {
          const live = LiveBody.safeParse(data);
          if (live.success) await this.live(live.data, editor);
        } else if (event.success) {
          await this.event(event.data.body, editor, signal);
          if (event.data.body.type === 'exchange.ended') stop = await this.ended(event.data.body, editor);
        }
      }
    } finally {
      cancelled.removeEventListener('abort', onAbort);
    }
    return stop;
  }

  private async ended(
    { end, trouble }: Extract<EventBody, { type: 'exchange.ended' }>,
    editor: AgentContext,
  ): Promise<StopReason> {
    if (trouble !== null) await this.tell(editor, messageChunk(`\n${trouble.code}: ${trouble.detail}\n`));
    if (end === 'stopped') return 'cancelled';
    return end === 'depth' ? 'max_turn_requests' : 'end_turn';
  }

  /** Follows a goal of the chat until it ends or the editor cancels it. */
  private async follow(
    given: NonNullable<ReturnType<typeof goalOfCommand>>,
    editor: AgentContext,
    { signal, cancelled }: Until,
  ): Promise<StopReason> {
    const trust = this.mode === 'undoable' ? { trust: 'undoable' as const } : {};
    const goal = await this.client.call(
      goalsApi.create,
      { body: { ...given, ...trust, chat: this.session.id } },
      signal,
    );
    const onAbort = (): void =>
      this.reportFailure(this.client.call(goalsApi.cancel, { params: { ref: goal.id } }), editor);
    cancelled.addEventListener('abort', onAbort, { once: true });
    const steps: string[] = [];
    try {
      for await (const item of this.client.followSession(goal.sessionId, signal)) {
        if (item.type !== 'item' || item.item.type === 'unknown') continue;
        if (item.item.type === 'live') await this.live(item.item.body, editor);
        else {
          const { body } = item.item.event;
          await this.event(body, editor, signal);
          if (body.type === 'step.answered') {
            steps.push(body.text.trim().split('\n')[0] ?? '');
            await this.plan(goal.text, steps, false, editor);
          }
          if (body.type === 'goal.changed' && isTerminal(body.state)) {
            await this.plan(goal.text, steps, true, editor);
            return body.state === 'exhausted' ? 'max_turn_requests' : 'end_turn';
          }
        }
      }
    } finally {
      cancelled.removeEventListener('abort', onAbort);
    }
    return 'cancelled';
  }

  /** Shows a goal's past steps and its current one. Goals plan one step at a time. */
  private plan(text: string, steps: readonly string[], isOver: boolean, editor: AgentContext): Promise<void> {
    const entries = steps.map((content, at) => ({
      content: content.slice(0, 200),
      priority: 'medium' as const,
      status: isOver || at < steps.length - 1 ? ('completed' as const) : ('in_progress' as const),
    }));
    const whole = {
      content: text.slice(0, 200),
      priority: 'high' as const,
      status: isOver ? ('completed' as const) : ('in_progress' as const),
    };
    return this.tell(editor, { sessionUpdate: 'plan', entries: [whole, ...entries] });
  }

  private async live(body: LiveBody, editor: AgentContext): Promise<void> {
    const update = liveUpdate(body);
    if (update === null) return;
    if (update.sessionUpdate === 'agent_message_chunk' && 'text' in body) this.streamedChars += body.text.length;
    await this.tell(editor, update);
  }

  private async event(body: EventBody, editor: AgentContext, signal: AbortSignal): Promise<void> {
    if (body.type === 'answer.started' || body.type === 'step.started') this.streamedChars = 0;
    if (body.type === 'answer.ended' || body.type === 'step.answered') {
      // This sends the part that did not arrive live.
      const left = body.text.slice(this.streamedChars);
      if (left !== '') await this.tell(editor, messageChunk(left));
    }
    const updates = eventUpdates(body, this.printer.print(body));
    for (const update of updates) await this.tell(editor, update);
    if (body.type === 'decision.requested') this.ask(body.decisionId, editor, signal);
    if (body.type === 'decision.given' || body.type === 'decision.withdrawn') this.asked.get(body.decisionId)?.abort();
    if (body.type === 'action.finished') await this.showDiffs(body, updates, editor, signal);
  }

  private readonly asked = new Map<string, AbortController>();

  /**
   * Asks about a decision while the stream continues. The first answer counts, whether it comes from here or elsewhere.
   */
  private ask(decisionId: string, editor: AgentContext, signal: AbortSignal): void {
    if (this.asked.has(decisionId)) return;
    const done = new AbortController();
    this.asked.set(decisionId, done);
    const ask = async (): Promise<void> => {
      const decision = await this.client.call(decisionsApi.show, { params: { ref: decisionId } }, signal);
      const about = { editor, sessionId: this.session.id, answered: done.signal, signal };
      const outcome = await askEditor(decision, this.client, about);
      if (outcome === 'cancelled' && !done.signal.aborted && !signal.aborted) this.cancel();
      else if (outcome !== 'cancelled' && outcome !== null) await this.tell(editor, messageChunk(outcome));
    };
    const asking = ask().finally(() => this.asked.delete(decisionId));
    this.reportFailure(
      asking.catch((error: unknown) => {
        if (!signal.aborted) throw error;
      }),
      editor,
    );
  }

  /** Reports errors of work that nobody awaits. */
  private reportFailure(work: Promise<unknown>, editor: AgentContext): void {
    void work.catch((error: unknown) => this.tell(editor, messageChunk(wordsOf(error)))).catch(() => undefined); // the editor has disconnected
  }

  /** Shows the changes that a command made to text files beside its output. */
  private async showDiffs(
    event: Extract<EventBody, { type: 'action.finished' }>,
    [update]: readonly SessionUpdate[],
    editor: AgentContext,
    signal: AbortSignal,
  ): Promise<void> {
    const diffs = await this.exchange.diffsOf(event.outcome?.effects, signal);
    if (diffs.length === 0 || update?.sessionUpdate !== 'tool_call_update') return;
    await this.tell(editor, { ...update, content: [...(update.content ?? []), ...diffs] });
  }

  private stop(): Promise<unknown> {
    return this.client.call(chatApi.stop, { params: { ref: this.session.id } });
  }

  private tell(editor: AgentContext, update: SessionUpdate): Promise<void> {
    return editor.notify('session/update', { sessionId: this.session.id, update });
  }
}

const wordsOf = (error: unknown): string =>
  `\n${isAishError(error) || error instanceof Error ? error.message : String(error)}\n`;

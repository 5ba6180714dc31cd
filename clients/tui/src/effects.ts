import { setImmediate as pendingInput, setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from './api/api.client.js';
import { linkAbort } from './api/linked-abort.js';
import { ApiError, asApiError } from './api/api.error.js';
import { VERSION, type Session } from '@aish/contracts';
import { KnowledgeApi } from './api/knowledge.api.js';
import {
  changeSession,
  createSession,
  listSessions,
  sendMessage,
  showSession,
  stopSession,
} from './api/sessions.api.js';
import { continueGoal, giveVerdict, listGrants, pauseGoal, resumeGoal, revokeGrant } from './api/goals.api.js';
import { AREAS } from './areas/areas.js';
import { Coalesced } from './coalesced.js';
import type { InputHistory } from './input-history.js';
import type { MetaRunner } from './meta/meta-runner.js';
import type { Effect, Msg } from './messages.js';
import { QUIET_MS } from './update/lone-key.update.js';
import type { PaneId } from './views/views.js';

const LIST_LIMIT = 200;
/** However much happens, lists are asked for this often at most. */
const LIST_GAP_MS = 250;
/** Whoever holds an arrow key passes many goals; only the one they stay at is followed. */
const CHOICE_SETTLES_MS = 80;

/** What effects need beside the api. */
export interface Surroundings {
  readonly history: InputHistory;
  readonly meta: MetaRunner;
  readonly copy: (text: string) => void;
  readonly redraw: () => void;
  readonly quit: () => void;
}

/** Typing pauses for so long before the server is asked. */
const FILTER_SETTLES_MS = 150;

/** Carries out what update() asks for. `tell` gets the answers; `fail` what is a fault of this program. */
export class Effects {
  private readonly stop = new AbortController();
  private readonly following: Record<'goal' | 'chat', AbortController | null> = { goal: null, chat: null };
  /** The filter and the row that were asked for last: answers to earlier questions come too late. */
  private readonly loading: Record<PaneId, AbortController | null> = { memory: null, knowledge: null, sessions: null };
  private readonly goals = new Coalesced(() => this.listGoals(), LIST_GAP_MS);
  private readonly decisions = new Coalesced(() => this.listDecisions(), LIST_GAP_MS);
  private readonly models = new Coalesced(() => this.listModels(), LIST_GAP_MS);

  constructor(
    private readonly client: ApiClient,
    private readonly surroundings: Surroundings,
    private readonly tell: (msg: Msg) => void,
    private readonly fail: (error: unknown) => void,
  ) {}

  /** Keeps a connection that says when anything changes. */
  start(): void {
    this.guard(this.followNotices());
    this.guard(this.surroundings.history.read().then((entries) => this.tell({ type: 'historyRead', entries })));
  }

  close(): void {
    this.stop.abort();
    this.following.goal?.abort();
    this.following.chat?.abort();
  }

  run(effect: Effect): void {
    switch (effect.type) {
      case 'listGoals':
        return this.guard(this.goals.ask());
      case 'listDecisions':
        return this.guard(this.decisions.ask());
      case 'listModels':
        return this.guard(this.models.ask());
      case 'createGoal': {
        const { text } = effect;
        return this.ask(
          (signal) => this.client.createGoal({ text }, signal),
          (goal) => ({ type: 'goalCreated', goal }),
          (error) => ({ type: 'goalRefused', text, error }),
        );
      }
      case 'cancelGoal':
        return this.ask(
          (signal) => this.client.cancelGoal(effect.goalId, signal),
          (goal) => ({ type: 'goalCancelled', goal }),
          (error) => ({ type: 'refused', error }),
        );
      case 'pauseGoal':
      case 'resumeGoal':
      case 'continueGoal':
        return this.ask(
          (signal) => this.steer(effect, signal),
          (goal) => ({ type: 'goalPaused', goal }),
          (error) => ({ type: 'refused', error }),
        );
      case 'listGrants':
        return this.ask(
          (signal) => listGrants(this.client.transport, effect.goalId, signal),
          ({ items }) => ({ type: 'grantsListed', goalId: effect.goalId, items }),
          (error) => ({ type: 'refused', error }),
        );
      case 'revokeGrant': {
        const { goalId, grantId } = effect;
        return this.ask(
          async (signal) => {
            await revokeGrant(this.client.transport, goalId, grantId, signal);
            return listGrants(this.client.transport, goalId, signal);
          },
          ({ items }) => ({ type: 'grantsListed', goalId, items }),
          (error) => ({ type: 'refused', error }),
        );
      }
      case 'giveVerdict': {
        const { decisionId, given } = effect;
        return this.ask(
          (signal) => giveVerdict(this.client.transport, decisionId, given, signal),
          (decision) => ({ type: 'verdictTaken', decision }),
          (error) => ({ type: 'verdictRefused', decisionId, error }),
        );
      }
      case 'preview':
        return this.guard(this.preview(effect));
      case 'seeDecision':
        return this.ask(
          (signal) => this.client.showDecision(effect.decisionId, signal),
          (decision) => ({ type: 'decisionSeen', decision }),
          (error) => ({ type: 'listRefused', error }),
        );
      case 'followSession':
        return this.follow(effect.place, effect.sessionId);
      case 'sendMessage':
        return this.guard(this.send(effect));
      case 'stopChat':
        return this.ask(
          (signal) => stopSession(this.client.transport, effect.sessionId, signal),
          ({ stopped }) => ({ type: 'said', text: stopped ? 'stopped' : 'it had ended already', style: 'warn' }),
          (error) => ({ type: 'refused', error }),
        );
      case 'seeChat':
        return this.ask(
          (signal) => showSession(this.client.transport, effect.sessionId, signal),
          (session) => ({ type: 'chatSeen', session }),
          (error) => ({ type: 'listRefused', error }),
        );
      case 'openSession':
        return this.ask(
          (signal) => this.session(effect.reference, signal),
          (session) => ({ type: 'chatOpened', session, isNew: false }),
          (error) => ({ type: 'refused', error }),
        );
      case 'changeChat': {
        const { sessionId, change } = effect;
        const said =
          change.title === undefined ? `the model is ${change.preset} from now on` : `saved as “${change.title}”`;
        return this.ask(
          (signal) => changeSession(this.client.transport, sessionId, change, signal),
          (session) => ({ type: 'chatChanged', session, said }),
          (error) => ({ type: 'refused', error }),
        );
      }
      case 'loadPane':
        return this.guard(this.loadPane(effect.pane, effect.filter));
      case 'loadDetail': {
        const { pane, key } = effect;
        return this.ask(
          (signal) => AREAS[pane].detail(this.client, key, signal),
          (detail) => ({ type: 'detailLoaded', pane, detail }),
          (error) => ({ type: 'detailLoaded', pane, detail: { key, title: '', kind: 'text', text: error.message } }),
        );
      }
      case 'actOnRow':
        return this.guard(this.actOnRow(effect));
      case 'runMeta':
        return this.guard(this.runMeta(effect));
      case 'suggest': {
        const { from, text } = effect;
        return this.ask(
          (signal) => listSessions(this.client.transport, { kind: 'chat', limit: 50 }, signal),
          ({ items }) => ({
            type: 'suggested',
            from,
            text,
            items: items.map(({ number, title }) => ({ text: String(number), about: title })),
          }),
          (error) => ({ type: 'refused', error }),
        );
      }
      case 'remember':
        return this.guard(this.surroundings.history.add(effect.line));
      case 'awaitQuiet':
        return this.guard(this.awaitQuiet(effect.atMs));
      case 'copy':
        return this.surroundings.copy(effect.text);
      case 'redraw':
        return this.surroundings.redraw();
      case 'quit':
        return this.surroundings.quit();
    }
  }

  private async awaitQuiet(atMs: number): Promise<void> {
    await sleep(QUIET_MS, undefined, { ref: false });
    // Keys that came while this process was busy are taken first: timers are looked at before input.
    await pendingInput();
    if (!this.stop.signal.aborted) this.tell({ type: 'quiet', atMs });
  }

  private steer(effect: Extract<Effect, { type: 'pauseGoal' | 'resumeGoal' | 'continueGoal' }>, signal: AbortSignal) {
    const { transport } = this.client;
    if (effect.type === 'pauseGoal') return pauseGoal(transport, effect.goalId, signal);
    if (effect.type === 'resumeGoal') return resumeGoal(transport, effect.goalId, signal);
    return continueGoal(transport, effect.goalId, {}, signal);
  }

  private follow(place: 'goal' | 'chat', sessionId: string | null): void {
    this.following[place]?.abort();
    this.following[place] = sessionId === null ? null : new AbortController();
    const chosen = this.following[place];
    if (sessionId !== null && chosen !== null) this.guard(this.followSession(sessionId, chosen.signal));
  }

  private async send({ sessionId, preset, text }: Extract<Effect, { type: 'sendMessage' }>): Promise<void> {
    const { signal } = this.stop;
    const { transport } = this.client;
    let isTaken = false;
    try {
      const session = sessionId === null ? await createSession(transport, { preset }, signal) : null;
      if (session !== null) this.tell({ type: 'chatOpened', session, isNew: true });
      await sendMessage(transport, sessionId ?? session?.id ?? '', text, () => (isTaken = true), signal);
    } catch (error) {
      // Once it is taken the exchange goes on by itself, and the feed says how.
      if (!signal.aborted && !isTaken) this.tell({ type: 'messageRefused', text, error: asApiError(error) });
    }
  }

  private async actOnRow({ pane, key, action }: Extract<Effect, { type: 'actOnRow' }>): Promise<void> {
    const { signal } = this.stop;
    try {
      const said = await AREAS[pane].actions?.[action].run(this.client, key, signal);
      if (said !== undefined) this.tell({ type: 'said', text: said, style: 'good' });
      await this.loadPane(pane, '');
    } catch (error) {
      if (!signal.aborted) this.tell({ type: 'refused', error: asApiError(error) });
    }
  }

  private async preview({ decisionId, number }: Extract<Effect, { type: 'preview' }>): Promise<void> {
    const { lines } = await this.surroundings.meta.run(['preview', `d-${number}`], this.stop.signal);
    this.tell({ type: 'previewed', decisionId, lines });
  }

  private async runMeta(effect: Extract<Effect, { type: 'runMeta' }>): Promise<void> {
    const { title, words, reload } = effect;
    const { lines, isGood, planId, candidates } = await this.surroundings.meta.run(words, this.stop.signal);
    const yes = planId === null ? null : { ...effect, words: [...words, '--confirm', planId] };
    this.tell({ type: 'metaDone', title, lines, isGood, yes, candidates });
    for (const pane of reload) this.run({ type: 'loadPane', pane, filter: '' });
    // A command may have mended it, or brought it about.
    if (words[0] === 'kb') await this.askAttention();
  }

  private async session(reference: string | null, signal: AbortSignal): Promise<Session> {
    const { transport } = this.client;
    if (reference !== null) return showSession(transport, reference.replace(/^s(?=\d)/, ''), signal);
    const [newest] = (await listSessions(transport, { kind: 'chat', limit: 1 }, signal)).items;
    if (newest === undefined) throw new ApiError('answered', 'not_found', 'There is no earlier session');
    return newest;
  }

  private async loadPane(pane: PaneId, filter: string): Promise<void> {
    this.loading[pane]?.abort();
    const asked = new AbortController();
    this.loading[pane] = asked;
    const { signal, unlink } = linkAbort(this.stop.signal, asked.signal);
    try {
      if (filter !== '') await sleep(FILTER_SETTLES_MS, undefined, { signal });
      const rows = await AREAS[pane].rows(this.client, filter, signal);
      this.tell({ type: 'paneLoaded', pane, rows });
    } catch (error) {
      if (!signal.aborted) this.tell({ type: 'paneRefused', pane, error: asApiError(error) });
    } finally {
      unlink();
    }
  }

  private async checkVersion(): Promise<void> {
    await this.asking(async (signal) => {
      const { version } = await this.client.health(signal);
      const mismatch = version === VERSION ? null : `this is ${VERSION}, the server ${version}: update the older one`;
      this.tell({ type: 'versioned', mismatch });
    });
  }

  private async askAttention(): Promise<void> {
    await this.asking(async (signal) => {
      const status = await new KnowledgeApi(this.client.transport).status(signal).catch((error: unknown) => {
        // A token that may not ask, or a server without a knowledge base: then there is nothing to attend to.
        const refused = asApiError(error).status;
        if (refused !== null && refused < 500) return null;
        throw error;
      });
      this.tell({ type: 'attentionAsked', attention: status?.notice ?? null });
    });
  }

  private async listGoals(): Promise<void> {
    await this.asking(async (signal) => {
      const { items } = await this.client.listGoals({ limit: LIST_LIMIT }, signal);
      this.tell({ type: 'goalsListed', goals: items });
    });
  }

  private async listDecisions(): Promise<void> {
    await this.asking(async (signal) => {
      const { items } = await this.client.listDecisions(signal);
      this.tell({ type: 'decisionsListed', decisions: items });
    });
  }

  private async listModels(): Promise<void> {
    await this.asking(async (signal) => {
      const { items } = await this.client.models(signal);
      this.tell({ type: 'modelsListed', models: items });
    });
  }

  private async followNotices(): Promise<void> {
    const { signal } = this.stop;
    for await (const item of this.client.followNotices({ signal, stubborn: true })) {
      if (item.type === 'open') {
        this.tell({ type: 'connected' });
        this.guard(this.checkVersion());
        this.guard(this.askAttention());
      }
      if (item.type === 'lost') this.tell({ type: 'disconnected', error: item.error });
      if (item.type === 'item') this.tell({ type: 'noticed', types: item.item.notice.types });
    }
  }

  private async followSession(sessionId: string, chosen: AbortSignal): Promise<void> {
    const { signal, unlink } = linkAbort(this.stop.signal, chosen);
    try {
      await sleep(CHOICE_SETTLES_MS, undefined, { signal });
      for await (const item of this.client.followSession(sessionId, signal)) {
        if (item.type === 'open') this.tell({ type: 'feedTrouble', sessionId, text: null });
        else if (item.type === 'lost' && item.error !== null) {
          this.tell({ type: 'feedTrouble', sessionId, text: item.error.message });
        } else if (item.type === 'item' && item.item.type === 'event') {
          this.tell({ type: 'happened', sessionId, event: item.item.event });
        } else if (item.type === 'item' && item.item.type === 'live') {
          this.tell({ type: 'live', sessionId, body: item.item.body });
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      this.tell({ type: 'feedTrouble', sessionId, text: asApiError(error).message });
    } finally {
      unlink();
    }
  }

  private ask<T>(
    act: (signal: AbortSignal) => Promise<T>,
    answered: (result: T) => Msg,
    refused: (error: ApiError) => Msg,
  ): void {
    const { signal } = this.stop;
    this.guard(
      act(signal).then(
        (result) => this.tell(answered(result)),
        (error: unknown) => {
          if (!signal.aborted) this.tell(refused(asApiError(error)));
        },
      ),
    );
  }

  private async asking(act: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.stop;
    try {
      await act(signal);
    } catch (error) {
      if (!signal.aborted) this.tell({ type: 'listRefused', error: asApiError(error) });
    }
  }

  private guard(work: Promise<void>): void {
    work.catch((error: unknown) => this.fail(error));
  }
}

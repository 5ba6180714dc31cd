import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from './api/api.client.js';
import { linkAbort } from './api/linked-abort.js';
import { asApiError, type ApiError } from './api/api.error.js';
import type { Effect, Msg } from './model.js';
import { Coalesced } from './coalesced.js';

const LIST_LIMIT = 200;
/** However much happens, lists are asked for this often at most. */
const LIST_GAP_MS = 250;
/** Whoever holds an arrow key passes many goals; only the one they stay at is followed. */
const CHOICE_SETTLES_MS = 80;

/** Carries out what update() asks for. `tell` gets the answers; `fail` what is a fault of this program. */
export class Effects {
  private readonly stop = new AbortController();
  private following: AbortController | null = null;
  private readonly goals = new Coalesced(() => this.listGoals(), LIST_GAP_MS);
  private readonly decisions = new Coalesced(() => this.listDecisions(), LIST_GAP_MS);
  private readonly models = new Coalesced(() => this.listModels(), LIST_GAP_MS);

  constructor(
    private readonly client: ApiClient,
    private readonly tell: (msg: Msg) => void,
    private readonly fail: (error: unknown) => void,
    private readonly quit: () => void,
  ) {}

  /** Keeps a connection that says when anything changes. */
  start(): void {
    this.guard(this.followNotices());
  }

  close(): void {
    this.stop.abort();
    this.following?.abort();
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
          (error) => ({ type: 'cancelRefused', error }),
        );
      case 'giveVerdict': {
        const { decisionId, verdict } = effect;
        return this.ask(
          (signal) => this.client.giveVerdict(decisionId, verdict, null, signal),
          (decision) => ({ type: 'verdictTaken', decision }),
          (error) => ({ type: 'verdictRefused', decisionId, error }),
        );
      }
      case 'seeDecision':
        return this.ask(
          (signal) => this.client.showDecision(effect.decisionId, signal),
          (decision) => ({ type: 'decisionSeen', decision }),
          (error) => ({ type: 'listRefused', error }),
        );
      case 'listSafetyRules':
        return this.ask(
          (signal) => this.client.safetyPatterns(signal),
          ({ items }) => ({ type: 'safetyRulesListed', rules: items }),
          (error) => ({ type: 'safetyRefused', error }),
        );
      case 'checkSafety': {
        const { command } = effect;
        return this.ask(
          (signal) => this.client.checkSafety({ command }, signal),
          (classification) => ({ type: 'safetyChecked', command, classification }),
          (error) => ({ type: 'safetyRefused', error }),
        );
      }
      case 'followSession':
        this.following?.abort();
        this.following = new AbortController();
        return this.guard(this.followSession(effect.sessionId, this.following.signal));
      case 'quit':
        return this.quit();
    }
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
      if (item.type === 'open') this.tell({ type: 'connected' });
      else if (item.type === 'lost') this.tell({ type: 'disconnected', error: item.error });
      else this.tell({ type: 'noticed', types: item.item.notice.types });
    }
  }

  private async followSession(sessionId: string, chosen: AbortSignal): Promise<void> {
    const { signal, unlink } = linkAbort(this.stop.signal, chosen);
    try {
      await sleep(CHOICE_SETTLES_MS, undefined, { signal });
      for await (const item of this.client.followSession(sessionId, signal)) {
        if (item.type === 'open') this.tell({ type: 'timelineTrouble', sessionId, text: null });
        else if (item.type === 'lost' && item.error !== null) {
          this.tell({ type: 'timelineTrouble', sessionId, text: item.error.message });
        } else if (item.type === 'item' && item.item.type === 'event') {
          this.tell({ type: 'happened', sessionId, event: item.item.event });
        } else if (item.type === 'item' && item.item.type === 'live') {
          this.tell({ type: 'live', sessionId, body: item.item.body });
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      this.tell({ type: 'timelineTrouble', sessionId, text: asApiError(error).message });
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

import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { healthApi, modelsApi } from '@aish/contracts/endpoints/server';
import { setTimeout as sleep } from 'node:timers/promises';
import { VERSION } from '@aish/contracts/health';
import type { ApiClient } from '@aish/client/api.client';
import { asApiError } from '@aish/client/api.error';
import { KnowledgeApi } from '@aish/client/knowledge.api';
import type { Msg } from '../messages.js';
import { GOALS_MAX } from '../update/goals.update.js';

/** However much happens, lists are asked for this often at most. */
const LIST_GAP_MS = 250;

/** What the terminal UI keeps of the server. A refusal is a message; what is shown may be old then. */
export class Lists {
  readonly goals: Coalesced;
  readonly decisions: Coalesced;
  readonly models: Coalesced;

  constructor(
    private readonly client: ApiClient,
    private readonly dispatch: (msg: Msg) => void,
    private readonly signal: AbortSignal,
  ) {
    const list = (ask: () => Promise<Msg>): Coalesced => new Coalesced(() => this.ask(ask), LIST_GAP_MS);
    this.goals = list(async () => {
      const { items } = await client.call(goalsApi.list, { query: { limit: GOALS_MAX } }, signal);
      return { type: 'goalsListed', goals: items };
    });
    this.decisions = list(async () => {
      const { items } = await client.call(decisionsApi.list, { query: { state: 'pending', limit: 500 } }, signal);
      return { type: 'decisionsListed', decisions: items };
    });
    this.models = list(async () => {
      const { items } = await client.call(modelsApi.list, {}, signal);
      return { type: 'modelsListed', models: items };
    });
  }

  /** Whether this program and the server are of one version. */
  version(): Promise<void> {
    return this.ask(async () => {
      const { version } = await this.client.call(healthApi.check, {}, this.signal);
      const mismatch = version === VERSION ? null : `this is ${VERSION}, the server ${version}: update the older one`;
      return { type: 'versioned', mismatch };
    });
  }

  /** What the server wants people to know when they come. */
  attention(): Promise<void> {
    return this.ask(async () => {
      const status = await new KnowledgeApi(this.client).status(this.signal).catch((error: unknown) => {
        // A token that may not ask, or a server without a knowledge base: then there is nothing to attend to.
        const refused = asApiError(error).status;
        if (refused !== null && refused < 500) return null;
        throw error;
      });
      return { type: 'attentionAsked', attention: status?.notice ?? null };
    });
  }

  private async ask(question: () => Promise<Msg>): Promise<void> {
    let msg: Msg;
    try {
      msg = await question();
    } catch (error) {
      if (this.signal.aborted) return;
      msg = { type: 'listRefused', error: asApiError(error) };
    }
    this.dispatch(msg);
  }
}

/** Work that many ask for at once: done one at a time, once more for all who asked while it was being done. */
class Coalesced {
  private running: Promise<void> | null = null;
  private isWanted = false;

  constructor(
    private readonly work: () => Promise<void>,
    /** Pause after each time, milliseconds. */
    private readonly gapMs: number,
  ) {}

  /** Resolves when the work has been done at least once from its beginning. */
  ask(): Promise<void> {
    this.isWanted = true;
    this.running ??= this.loop().finally(() => (this.running = null));
    return this.running;
  }

  private async loop(): Promise<void> {
    while (this.isWanted) {
      this.isWanted = false;
      await this.work();
      await sleep(this.gapMs, undefined, { ref: false });
    }
  }
}

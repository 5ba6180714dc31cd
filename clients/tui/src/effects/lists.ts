import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { knowledgeApi } from '@aish/contracts/endpoints/knowledge';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { healthApi, modelsApi } from '@aish/contracts/endpoints/server';
import { setTimeout as sleep } from 'node:timers/promises';
import { VERSION } from '@aish/contracts/health';
import type { ApiClient } from '@aish/client/api.client';
import { asApiError } from '@aish/client/api.error';
import type { Msg } from '../messages.js';
import { GOALS_MAX } from '../update/goals.update.js';

/** The minimum time between two reads of a list, however much happens. */
const LIST_GAP_MS = 250;

/**
 * Reads the server's lists that the terminal UI shows. Errors become messages, and the lists may then be out of date.
 */
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

  /** Compares the versions of this program and the server. */
  version(): Promise<void> {
    return this.ask(async () => {
      const { version } = await this.client.call(healthApi.check, {}, this.signal);
      const mismatch =
        version === VERSION ? null : `this is version ${VERSION}, the server has ${version}: update the older one`;
      return { type: 'versioned', mismatch };
    });
  }

  /** Reads the notices that the server has for people who connect. */
  attention(): Promise<void> {
    return this.ask(async () => {
      const status = await this.client.call(knowledgeApi.status, {}, this.signal).catch((error: unknown) => {
        // A token without permission, or a server without a knowledge base, has no notices.
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

/**
 * Runs work that many callers request at once. It runs one at a time, and once more for all requests that arrive during
 * a run.
 */
class Coalesced {
  private running: Promise<void> | null = null;
  private isWanted = false;

  constructor(
    private readonly work: () => Promise<void>,
    /** The pause after each run, in milliseconds. */
    private readonly gapMs: number,
  ) {}

  /** Resolves after a run that began after this call. */
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

import type { ApiClient } from '@aish/client/api.client';
import { ApiError, asApiError } from '@aish/client/api.error';
import type { Effect, Msg } from '../messages.js';
import type { InputHistory } from '../input-history.js';
import type { MetaRunner } from '../meta/meta-runner.js';
import type { FollowedSessions } from './followed-sessions.js';
import type { Lists } from './lists.js';
import type { PaneLoader } from './pane-loader.js';
import { secretsNote } from '@aish/client/secrets-note';

/** What effects need beside the api. */
export interface Surroundings {
  readonly history: InputHistory;
  readonly meta: MetaRunner;
  readonly copy: (text: string) => void;
  readonly redraw: () => void;
  readonly quit: () => void;
  /** Leaves the screen to `aish setup`, and comes back. */
  readonly setUp: () => void;
}

/** All that an effect works on. */
export interface World {
  readonly client: ApiClient;
  readonly surroundings: Surroundings;
  /** Gives the answer to update(). */
  readonly dispatch: (msg: Msg) => void;
  readonly lists: Lists;
  readonly panes: PaneLoader;
  readonly followed: FollowedSessions;
  /** The program ends. */
  readonly signal: AbortSignal;
}

export type EffectOf<T extends Effect['type']> = Extract<Effect, { type: T }>;

/** Functions that carry out effects. An exception in one is a bug of this program. */
export type EffectTable<T extends Effect['type']> = {
  readonly [K in T]: (world: World, effect: EffectOf<K>) => Promise<void> | void;
};

/**
 * An effect that asks the api something: the answer comes back as one message, and so does a refusal.
 * @param ask What is asked. @param answered The message with the answer. @param refused The message that it was refused.
 */
export function asking<E extends Effect, R>(
  ask: (client: ApiClient, effect: E, signal: AbortSignal) => Promise<R>,
  answered: (result: R, effect: E) => Msg,
  refused: (error: ApiError, effect: E) => Msg = (error) => ({ type: 'refused', error }),
): (world: World, effect: E) => Promise<void> {
  return async ({ client, dispatch, signal }, effect) => {
    let msg: Msg;
    try {
      msg = answered(await ask(client, effect, signal), effect);
    } catch (error) {
      if (signal.aborted) return;
      msg = refused(asApiError(error), effect);
    }
    dispatch(msg);
  };
}

/** Says what `secretsNote` says of a text that is being sent, if anything. */
export async function tellOfSecrets(
  { dispatch, signal }: Pick<World, 'dispatch' | 'signal'>,
  what: string,
  text: string,
): Promise<void> {
  const said = await secretsNote(what, text);
  if (said !== null && !signal.aborted) dispatch({ type: 'said', text: said, style: 'warn' });
}

import type { ApiClient } from '@aish/client/api.client';
import { ApiError, asApiError } from '@aish/client/api.error';
import type { Edited } from '../external-editor.js';
import type { Effect, Msg } from '../messages.js';
import type { InputHistory } from '../input-history.js';
import type { MetaRunner } from '../meta/meta-runner.js';
import type { FollowedSessions } from './followed-sessions.js';
import type { Lists } from './lists.js';
import type { PaneLoader } from './pane-loader.js';
import { secretsNote } from '@aish/client/secrets-note';

/** The things that effects need besides the api. */
export interface Environment {
  readonly history: InputHistory;
  readonly meta: MetaRunner;
  readonly copy: (text: string) => void;
  readonly redraw: () => void;
  readonly edit: (text: string) => Promise<Edited>;
  readonly quit: () => void;
  /** Lets `aish setup` use the screen. The terminal UI returns afterwards. */
  readonly setUp: () => void;
}

/** Everything that effects use. */
export interface World {
  readonly client: ApiClient;
  readonly environment: Environment;
  /** Passes the answer to update(). */
  readonly dispatch: (msg: Msg) => void;
  readonly lists: Lists;
  readonly panes: PaneLoader;
  readonly followed: FollowedSessions;
  /** Stops the person's command. */
  readonly own: { stop: AbortController | null };
  /** Aborts when the program ends. */
  readonly signal: AbortSignal;
}

export type EffectOf<T extends Effect['type']> = Extract<Effect, { type: T }>;

/** The functions that carry out effects. An exception in one of them is a bug in this program. */
export type EffectTable<T extends Effect['type']> = {
  readonly [K in T]: (world: World, effect: EffectOf<K>) => Promise<void> | void;
};

/**
 * Returns an effect that sends a request. The response comes back as one message, and so does a refusal. @param ask
 * sends the request. @param answered turns the response into a message. @param refused turns the error into a message.
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

/** Shows the warning of `secretsNote` about a text that is being sent, if there is one. */
export async function warnOfSecrets(
  { dispatch, signal }: Pick<World, 'dispatch' | 'signal'>,
  what: string,
  text: string,
): Promise<void> {
  const said = await secretsNote(what, text);
  if (said !== null && !signal.aborted) dispatch({ type: 'said', text: said, style: 'warn' });
}

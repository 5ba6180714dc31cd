import type { Verdict } from '@aish/contracts/decisions';
import { AishError } from '@aish/contracts/problems';
import { z } from 'zod';

export type MessengerName = 'telegram' | 'matrix';

/** An account in one room or chat of a messenger. */
export interface Place {
  readonly channel: MessengerName;
  readonly account: string;
  readonly room: string;
}

/** A message or a pressed button, as its messenger delivered it. */
export interface Incoming extends Place {
  readonly text: string;
  /** The ticket of the button; null for a message in words. */
  readonly ticket: string | null;
  readonly isForwarded: boolean;
  /** The reference that the answer of the messenger needs, such as the ID of a pressed button. */
  readonly replyTo: string | null;
}

export interface Button {
  readonly verdict: Verdict;
  readonly label: string;
  readonly ticket: string;
}

/** A connection to one messenger. It polls, so aish needs no public address. */
export interface Messenger {
  readonly name: MessengerName;
  /** The maximum length of a message. */
  readonly maxChars: number;
  /** Yields what arrives, until the signal aborts. @throws AishError `messenger_refused` for a wrong token or room */
  receive(signal: AbortSignal): AsyncIterable<Incoming>;
  /** Sends a message. A repeated message keeps its ID. @throws AishError `messenger_refused`, `notification_refused` */
  send(
    place: Place,
    message: { readonly id: string; readonly text: string; readonly buttons: readonly Button[] },
    signal: AbortSignal,
  ): Promise<void>;
  /** Answers what arrived. */
  answer(incoming: Incoming, text: string, signal: AbortSignal): Promise<void>;
}

/** The messengers that are set up, and the key of the tickets in their messages. */
export interface Messengers {
  readonly key: Uint8Array;
  readonly all: readonly Messenger[];
}

const REQUEST_TIMEOUT_MS = 20_000;

/**
 * Asks the messenger's server for JSON. The errors contain no address, because Telegram's addresses contain the token.
 *
 * @param refusals the statuses that mean a wrong token or room, which a retry cannot fix
 * @throws AishError `messenger_refused`; `notification_refused` for every other failure
 */
export async function askServer<T>(
  answer: z.ZodType<T>,
  url: string,
  init: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: unknown },
  { signal, waitMs = 0, refusals }: { signal: AbortSignal; waitMs?: number; refusals: readonly number[] },
): Promise<T> {
  const { body, headers, method = 'POST' } = init;
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS + waitMs)]),
    });
    if (response.ok) return answer.parse(await response.json());
    await response.body?.cancel();
  } catch {
    signal.throwIfAborted();
    throw new AishError('notification_refused', 'The server did not respond, or sent an unexpected response');
  }
  const code = refusals.includes(response.status) ? 'messenger_refused' : 'notification_refused';
  throw new AishError(code, `The server answered with status ${response.status}`, { status: response.status });
}

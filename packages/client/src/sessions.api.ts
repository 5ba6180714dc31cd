import { chatApi } from '@aish/contracts/endpoints/sessions';
import { requestTo, type HttpClient } from './http.client.js';

/**
 * Sends a message to a session and waits until the exchange has ended. `followSession` reports what happens. This
 * stream stays open only because some servers end an exchange without listeners.
 *
 * @throws ApiError, also if the message is refused.
 */
export async function sendMessage(
  client: HttpClient,
  reference: string,
  text: string,
  onTaken: () => void,
  signal: AbortSignal,
): Promise<void> {
  const request = requestTo(chatApi.message, { params: { ref: reference }, body: { text } });
  for await (const item of client.events(request, signal)) if (item === 'open') onTaken();
}

/**
 * Runs a person's command in a session's workspace and waits until it has ended. `followSession` reports what happens.
 * If the request ends early, for example through `signal`, the command stops.
 *
 * @throws ApiError
 */
export async function runCommand(
  client: HttpClient,
  reference: string,
  command: string,
  signal: AbortSignal,
): Promise<void> {
  const request = requestTo(chatApi.command, { params: { ref: reference }, body: { command } });
  for await (const _ of client.events(request, signal)) continue;
}

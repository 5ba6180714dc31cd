import { chatApi } from '@aish/contracts/endpoints/sessions';
import { requestTo, type HttpClient } from './http.client.js';

/**
 * Says something in a session and stays until the exchange has ended. What happens is followed by `followSession`; this
 * stream is only kept open because some servers end an exchange that nobody listens to.
 * @throws ApiError, also when the message is not taken.
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

import type { Preset } from '@aish/contracts/config/presets.settings';
import { Deadline } from './deadline.js';
import { exchange, textOf } from './exchange.js';
import { refusal } from './refusal.js';

const BODY_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Sends one small request to a preset's endpoint. Returns its JSON answer without validation.
 *
 * @throws AishError those of `refusal` for a status other than 200; `model_unreachable`, `model_timeout`, `aborted`.
 */
export async function exchangeJson(
  preset: Preset,
  request: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: unknown },
  timeoutMs: number,
  signal: AbortSignal,
): Promise<unknown> {
  const deadline = new Deadline(signal, timeoutMs);
  try {
    const { apiKey, connectTimeoutMs, baseUrl } = preset;
    const response = await exchange(
      {
        method: request.method,
        url: `${baseUrl}${request.path}`,
        apiKey,
        connectTimeoutMs: Math.min(connectTimeoutMs, timeoutMs),
        ...(request.body === undefined ? {} : { body: request.body }),
      },
      deadline,
    );
    const text = await textOf(response, BODY_MAX_BYTES, timeoutMs, deadline);
    const status = response.statusCode ?? 0;
    if (status !== 200) throw refusal(status, text, apiKey);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return null; // The answer may be a web page. No schema accepts null.
    }
  } finally {
    deadline.close();
  }
}

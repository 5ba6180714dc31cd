import type { IncomingMessage } from 'node:http';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { isAishError } from '@aish/contracts/problems';
import type { AnswerStream } from './broker.port.js';
import { Deadline } from './deadline.js';
import { exchange, textOf } from './exchange.js';
import { exchangeJson } from './json.exchange.js';

/**
 * Returns the header that names an answer for llama-server. The server then continues writing after its reader has
 * disconnected, keeps 4 MiB of the answer for five minutes, and stops only when told to. Another request with the same
 * name stops and replaces the answer.
 */
export function nameOf({ key }: AnswerStream): Readonly<Record<string, string>> {
  return { 'x-conversation-id': key };
}

const STOP_TIMEOUT_MS = 3_000;
const BODY_MAX_BYTES = 1_024;

/** Whether the endpoint supports named answers. */
export async function canResume(preset: Preset, signal: AbortSignal): Promise<boolean> {
  const request = { method: 'POST', path: '/v1/streams/lookup', body: { conversation_ids: [] } } as const;
  try {
    return Array.isArray(await exchangeJson(preset, request, STOP_TIMEOUT_MS, signal));
  } catch (error) {
    if (signal.aborted || !isAishError(error)) throw error;
    return false;
  }
}

/** Returns the answer that an earlier reader has requested, from its beginning; null if there is none. */
export async function openAgain(
  preset: Preset,
  stream: AnswerStream,
  deadline: Deadline,
): Promise<IncomingMessage | null> {
  const { apiKey, connectTimeoutMs, idleTimeoutMs } = preset;
  try {
    const url = `${streamUrl(preset, stream)}&from=0`;
    const response = await exchange({ method: 'GET', url, apiKey, connectTimeoutMs }, deadline);
    const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
    if (response.statusCode === 200 && isStream) return response;
    await textOf(response, BODY_MAX_BYTES, idleTimeoutMs, deadline);
    return null;
  } catch (error) {
    // The next request reports the error.
    if (isAishError(error, 'model_unreachable', 'model_bad_stream')) return null;
    throw error;
  }
}

/** Reasons to leave an answer running for the next reader. */
const LEFT_TO_OTHERS = ['service_stopping', 'lock_lost'] as const;

/** Ends an answer that nobody wants any more. If this fails, the answer ends at the limit of its request. */
export async function stopStream(preset: Preset, stream: AnswerStream, left: AbortSignal): Promise<void> {
  if (left.aborted && isAishError(left.reason, ...LEFT_TO_OTHERS)) return;
  const { apiKey, connectTimeoutMs } = preset;
  const deadline = new Deadline(new AbortController().signal, STOP_TIMEOUT_MS);
  try {
    const url = streamUrl(preset, stream);
    const response = await exchange({ method: 'DELETE', url, apiKey, connectTimeoutMs }, deadline);
    await textOf(response, BODY_MAX_BYTES, STOP_TIMEOUT_MS, deadline);
  } catch (error) {
    if (!isAishError(error)) throw error;
  } finally {
    deadline.close();
  }
}

function streamUrl({ baseUrl }: Preset, { key }: AnswerStream): string {
  return `${baseUrl}/v1/stream?conv_id=${encodeURIComponent(key)}`;
}

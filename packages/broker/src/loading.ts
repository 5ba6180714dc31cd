import type { IncomingMessage } from 'node:http';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { isAishError } from '@aish/contracts/problems';
import { createParser } from 'eventsource-parser';
import { z } from 'zod';
import type { ChatChunk } from './broker.port.js';
import { Deadline } from './deadline.js';
import { bodyOf, exchange } from './exchange.js';

/** The report of a llama-server with several models about a model that it loads. */
const Loading = z.looseObject({
  model: z.string(),
  data: z.looseObject({
    progress: z.looseObject({
      stages: z.array(z.string()).min(1),
      current: z.string(),
      value: z.number().min(0).max(1),
    }),
  }),
});

/** If the head of an answer arrives within this time, the model was already loaded. */
const LOADED_WITHIN_MS = 500;
const FRAME_MAX_CHARS = 64 * 1024;

/**
 * Yields the loaded percentage of a preset's model while `asking` waits for its head. It never fails, because the
 * number is only information.
 */
export async function* loadingUntil(
  asking: Promise<unknown>,
  preset: Preset,
  deadline: Deadline,
): AsyncGenerator<ChatChunk, void> {
  const isOver = asking.then(
    () => true as const,
    () => true as const,
  );
  let timer: NodeJS.Timeout | undefined;
  const soon = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), LOADED_WITHIN_MS)));
  const isLoaded = await Promise.race([isOver, soon]);
  clearTimeout(timer);
  if (isLoaded) return;
  const listening = new Deadline(deadline.signal, preset.totalTimeoutMs);
  try {
    const { apiKey, connectTimeoutMs } = preset;
    const opening = exchange(
      { method: 'GET', url: `${preset.baseUrl}/models/sse`, apiKey, connectTimeoutMs },
      listening,
    );
    opening.catch(() => undefined); // Nobody waits for this connection any more.
    const response = await Promise.race([isOver, opening]);
    if (response === true || response.statusCode !== 200) return;
    yield* percents(response, isOver, preset, listening);
  } catch (error) {
    if (deadline.signal.aborted || !isAishError(error)) throw error;
  } finally {
    listening.close();
  }
}

async function* percents(
  response: IncomingMessage,
  isOver: Promise<true>,
  preset: Preset,
  listening: Deadline,
): AsyncGenerator<ChatChunk, void> {
  const text = new TextDecoder();
  let percent: number | null = null;
  const parser = createParser({
    maxBufferSize: FRAME_MAX_CHARS,
    onEvent: ({ data }) => (percent = percentOf(data, preset.model) ?? percent),
  });
  const body = bodyOf(response, preset.totalTimeoutMs, listening);
  for (;;) {
    const next = body.next();
    next.catch(() => undefined);
    const piece = await Promise.race([isOver, next]);
    if (piece === true || piece.done === true) return;
    parser.feed(text.decode(piece.value, { stream: true }));
    if (percent !== null) yield { type: 'retry', reason: 'loading', delayMs: 0, percent };
  }
}

/** Returns the percentage over all stages; null if the message is about another model or something else. */
export function percentOf(data: string, model: string | null): number | null {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return null;
  }
  const progress = Loading.safeParse(value).data;
  if (progress === undefined || (model !== null && progress.model !== model)) return null;
  const { stages, current, value: share } = progress.data.progress;
  return Math.round((100 * (Math.max(0, stages.indexOf(current)) + share)) / stages.length);
}

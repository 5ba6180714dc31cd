import type { Usage } from '@aish/contracts/goals';
import { z } from 'zod';
import type { ChatChunk, FinishReason } from './broker.port.js';
import { EndpointError } from './refusal.js';

const ToolCallDelta = z.looseObject({
  index: z.int().min(0).default(0),
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
});

const Choice = z.looseObject({
  finish_reason: z.string().nullish(),
  delta: z
    .looseObject({
      content: z.string().nullish(),
      reasoning_content: z.string().nullish(),
      /** The name of this field in vLLM and Ollama. */
      reasoning: z.string().nullish(),
      tool_calls: z.array(ToolCallDelta).nullish(),
    })
    .optional(),
});

const UsageFields = z.looseObject({
  prompt_tokens: z.int().optional(),
  completion_tokens: z.int().optional(),
  prompt_tokens_details: z.looseObject({ cached_tokens: z.int().nullish() }).nullish(),
});

/** llama.cpp's own numbers. `prompt_n` does not include tokens from its cache. */
const Timings = z.looseObject({
  cache_n: z.int().optional(),
  prompt_n: z.int().optional(),
  prompt_ms: z.number().optional(),
  predicted_n: z.int().optional(),
  predicted_ms: z.number().optional(),
});

/** The energy for an answer, from hosts that measure it. */
const Energy = z.looseObject({ energy_joules: z.number().min(0).optional().catch(undefined) });

/** One `data:` document of a stream: an OpenAI chunk with llama.cpp's additions. */
export const Frame = z.looseObject({
  error: EndpointError.nullish(),
  model: z.string().nullish(),
  choices: z.array(Choice).nullish(),
  usage: UsageFields.nullish(),
  timings: Timings.nullish(),
  energy: Energy.nullish().catch(null),
  prompt_progress: z.looseObject({ processed: z.int(), total: z.int() }).nullish(),
});
export type Frame = z.infer<typeof Frame>;

export const NO_USAGE: Usage = {
  promptTokens: null,
  cachedTokens: null,
  completionTokens: null,
  promptMs: null,
  completionMs: null,
};

/** Returns the pieces of the answer in one frame. Only the first choice counts, because aish asks for only one. */
export function chunksOf(frame: Frame): readonly ChatChunk[] {
  const chunks: ChatChunk[] = [];
  const { prompt_progress: progress } = frame;
  if (progress) chunks.push({ type: 'progress', processed: progress.processed, total: progress.total });
  const delta = frame.choices?.[0]?.delta;
  const thought = delta?.reasoning_content ?? delta?.reasoning;
  if (thought) chunks.push({ type: 'reasoning', text: thought });
  if (delta?.content) chunks.push({ type: 'text', text: delta.content });
  for (const call of delta?.tool_calls ?? []) {
    chunks.push({
      type: 'toolCall',
      index: call.index,
      ...(call.id ? { id: call.id } : {}),
      ...(call.function?.name ? { name: call.function.name } : {}),
      argumentsDelta: call.function?.arguments ?? '',
    });
  }
  return chunks;
}

export function finishReasonOf(frame: Frame): FinishReason | undefined {
  const reason = frame.choices?.[0]?.finish_reason;
  if (reason === undefined || reason === null) return undefined;
  return reason === 'stop' || reason === 'length' || reason === 'tool_calls' ? reason : 'other';
}

/** Adds the numbers of this frame to `usage`. Standard fields take precedence over llama.cpp's. */
export function addUsage(usage: Usage, { usage: reported, timings, energy }: Frame): Usage {
  const read = timings?.prompt_n;
  const energyJ = energy?.energy_joules ?? usage.energyJ;
  return {
    ...(energyJ === undefined ? {} : { energyJ }),
    promptTokens: reported?.prompt_tokens ?? (read === undefined ? usage.promptTokens : read + (timings?.cache_n ?? 0)),
    cachedTokens: reported?.prompt_tokens_details?.cached_tokens ?? timings?.cache_n ?? usage.cachedTokens,
    completionTokens: reported?.completion_tokens ?? timings?.predicted_n ?? usage.completionTokens,
    promptMs: timings?.prompt_ms ?? usage.promptMs,
    completionMs: timings?.predicted_ms ?? usage.completionMs,
  };
}

/**
 * Returns the text of a frame that contains nothing else, which is by far the most common case. For any other frame it
 * returns undefined, and the caller uses the slower path through the schema. It checks each field that could mean
 * something else.
 */
export function plainText(value: unknown): string | undefined {
  const {
    choices,
    error,
    model,
    usage,
    timings,
    energy,
    prompt_progress: progress,
  } = (value ?? {}) as Record<string, unknown>;
  if (model !== undefined && typeof model !== 'string') return undefined;
  if (error !== undefined || usage || timings || energy || progress || !Array.isArray(choices) || choices.length !== 1)
    return undefined;
  const { delta, finish_reason: reason } = (choices[0] ?? {}) as Record<string, unknown>;
  if ((reason !== null && reason !== undefined) || typeof delta !== 'object' || delta === null) return undefined;
  const { content, reasoning_content: thought, reasoning, tool_calls: calls } = delta as Record<string, unknown>;
  return typeof content === 'string' && content !== '' && !thought && !reasoning && !calls ? content : undefined;
}

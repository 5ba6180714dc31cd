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
      /** The same as vLLM and Ollama name it. */
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

/** llama.cpp's own account; `prompt_n` counts only what was not in its cache. */
const Timings = z.looseObject({
  cache_n: z.int().optional(),
  prompt_n: z.int().optional(),
  prompt_ms: z.number().optional(),
  predicted_n: z.int().optional(),
  predicted_ms: z.number().optional(),
});

/** What an answer took, as hosts that measure it say. */
const Energy = z.looseObject({ energy_joules: z.number().min(0).optional().catch(undefined) });

/** One `data:` document of a stream: an OpenAI chunk, with what llama.cpp adds to it. */
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

/** The pieces of the answer in one frame. Only the first choice counts: never more than one is asked for. */
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

/** `usage` with what this frame says about it; numbers of the standard go before llama.cpp's own. */
export function addUsage(usage: Usage, { usage: said, timings, energy }: Frame): Usage {
  const read = timings?.prompt_n;
  const energyJ = energy?.energy_joules ?? usage.energyJ;
  return {
    ...(energyJ === undefined ? {} : { energyJ }),
    promptTokens: said?.prompt_tokens ?? (read === undefined ? usage.promptTokens : read + (timings?.cache_n ?? 0)),
    cachedTokens: said?.prompt_tokens_details?.cached_tokens ?? timings?.cache_n ?? usage.cachedTokens,
    completionTokens: said?.completion_tokens ?? timings?.predicted_n ?? usage.completionTokens,
    promptMs: timings?.prompt_ms ?? usage.promptMs,
    completionMs: timings?.predicted_ms ?? usage.completionMs,
  };
}

/**
 * The words of a frame that is nothing but words, by far the most of a stream; undefined for any other, which goes the
 * long way through the schema. Looks at each field that could mean something else.
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

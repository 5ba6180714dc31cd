import { z } from 'zod';
import { PresetName } from '../goals.js';
import { AishError } from '../problems.js';
import { milliseconds } from './setting-types.js';

const presetFields = (preset: 'FAST' | 'DEEP') => ({
  [`${preset}_BASE_URL`]: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(`Model endpoint of preset ${preset.toLowerCase()}, without /v1`),
  [`${preset}_MODEL`]: z.string().min(1).optional().describe('Model name sent to the endpoint'),
  [`${preset}_TEMPERATURE`]: z.coerce
    .number()
    .min(0)
    .max(2)
    .optional()
    .describe('Sampling temperature; unset: as the makers of the model advise'),
  [`${preset}_MAX_TOKENS`]: z.coerce.number().int().min(16).default(2048).describe('Longest answer, tokens'),
  [`${preset}_TOKEN_BUDGET`]: z.coerce
    .number()
    .int()
    .min(256)
    .optional()
    .describe('Tokens of conversation that are sent at most; unset: what the context of the model leaves'),
  [`${preset}_MAX_TURNS`]: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe('Messages, with all that came of them, that are sent at most'),
  [`${preset}_FALLBACK`]: PresetName.optional().describe(
    'Preset that answers when this one cannot be reached; unset: none',
  ),
  [`${preset}_API_KEY`]: z.string().min(1).optional().describe('Sent as a bearer token to the endpoint'),
});

/** Presets beside `fast` and `deep`, as a JSON text. */
const MorePresets = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'is not JSON' });
      return z.NEVER;
    }
  })
  .pipe(
    z.array(
      z.strictObject({
        name: PresetName.refine(
          (name) => name !== 'fast' && name !== 'deep',
          'fast and deep have settings of their own',
        ),
        baseUrl: z.url({ protocol: /^https?$/ }),
        model: z.string().min(1).optional(),
        temperature: z.number().min(0).max(2).optional(),
        maxTokens: z.int().min(16).default(2048),
        tokenBudget: z.int().min(256).optional(),
        maxTurns: z.int().min(1).optional(),
        fallback: PresetName.optional(),
        apiKey: z.string().min(1).optional(),
      }),
    ),
  );

export const Presets = z.object({
  ...presetFields('FAST'),
  ...presetFields('DEEP'),
  PRESETS: MorePresets.optional().describe(
    'More presets: JSON array of {name, baseUrl, model, temperature, maxTokens, tokenBudget, maxTurns, fallback, apiKey}',
  ),
  MODEL_CONNECT_TIMEOUT_MS: milliseconds.default(5_000).describe('Time for the endpoint to take the connection'),
  MODEL_IDLE_TIMEOUT_MS: milliseconds.default(120_000).describe('Longest silence within an answer that has begun'),
  MODEL_TOTAL_TIMEOUT_MS: milliseconds
    .default(1_800_000)
    .describe('Longest time for one whole answer, queueing included'),
});

/** Where a preset's model is and how it is asked. */
export interface Preset {
  readonly name: string;
  readonly baseUrl: string;
  readonly model: string | null;
  /** Null: as the makers of the model advise, where the endpoint leaves that open. */
  readonly temperature: number | null;
  readonly maxTokens: number;
  readonly apiKey: string | null;
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** Tokens that a conversation takes at most; else what the model's context leaves. */
  readonly tokenBudget?: number | null;
  /** Messages of a person, with all that came of them, that are sent at most. */
  readonly maxTurns?: number | null;
  /** The preset that answers when this one cannot. */
  readonly fallback?: string | null;
}

export const DEFAULT_MODEL_URL = 'http://127.0.0.1:8080';

/** The presets of a configuration, `fast` first. `deep` takes what it does not set from `fast`. */
export function presetsOf(config: z.infer<typeof Presets>): readonly Preset[] {
  const value = config as Record<string, unknown>;
  const timeouts = {
    connectTimeoutMs: config.MODEL_CONNECT_TIMEOUT_MS,
    idleTimeoutMs: config.MODEL_IDLE_TIMEOUT_MS,
    totalTimeoutMs: config.MODEL_TOTAL_TIMEOUT_MS,
  };
  const of = (name: string, prefix: string, fallback?: Preset): Preset => ({
    name,
    baseUrl: withoutV1((value[`${prefix}_BASE_URL`] as string | undefined) ?? fallback?.baseUrl ?? DEFAULT_MODEL_URL),
    model: (value[`${prefix}_MODEL`] as string | undefined) ?? fallback?.model ?? null,
    temperature: (value[`${prefix}_TEMPERATURE`] as number | undefined) ?? null,
    maxTokens: value[`${prefix}_MAX_TOKENS`] as number,
    // A key belongs to the endpoint it was given for.
    apiKey:
      (value[`${prefix}_API_KEY`] as string | undefined) ??
      (value[`${prefix}_BASE_URL`] === undefined ? (fallback?.apiKey ?? null) : null),
    tokenBudget: (value[`${prefix}_TOKEN_BUDGET`] as number | undefined) ?? null,
    maxTurns: (value[`${prefix}_MAX_TURNS`] as number | undefined) ?? null,
    fallback: (value[`${prefix}_FALLBACK`] as string | undefined) ?? null,
    ...timeouts,
  });
  const fast = of('fast', 'FAST');
  const more = (config.PRESETS ?? []).map(
    ({ baseUrl, model, temperature, apiKey, tokenBudget, maxTurns, fallback, ...preset }): Preset => ({
      ...preset,
      baseUrl: withoutV1(baseUrl),
      model: model ?? null,
      temperature: temperature ?? null,
      apiKey: apiKey ?? null,
      tokenBudget: tokenBudget ?? null,
      maxTurns: maxTurns ?? null,
      fallback: fallback ?? null,
      ...timeouts,
    }),
  );
  const presets = [fast, of('deep', 'DEEP', fast), ...more];
  for (const { name, fallback } of presets) {
    if (fallback === null || fallback === undefined) continue;
    if (fallback === name) throw new AishError('invalid_config', `Preset ${name} cannot fall back to itself`);
    presetNamed(presets, fallback);
  }
  const double = presets.find((preset, at) => presets.findIndex(({ name }) => name === preset.name) !== at);
  if (double !== undefined) throw new AishError('invalid_config', `There are two presets ${double.name}`);
  return presets;
}

function withoutV1(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/** @throws AishError `invalid_config` naming the presets that there are. */
export function presetNamed(presets: readonly Preset[], name: string): Preset {
  const preset = presets.find((candidate) => candidate.name === name);
  if (preset !== undefined) return preset;
  const names = presets.map((candidate) => candidate.name).join(', ');
  throw new AishError('invalid_config', `There is no preset ${name}; there are ${names}`);
}

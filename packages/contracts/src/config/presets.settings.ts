import * as z from 'zod';
import { PresetName } from '../goals.js';
import { AishError } from '../problems.js';
import { milliseconds } from './setting-types.js';

/** The settings of a preset's endpoint. All other properties of a preset are in PRESETS. */
const presetFields = (preset: 'FAST' | 'DEEP') => ({
  [`${preset}_BASE_URL`]: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(`Model endpoint of preset ${preset.toLowerCase()}, without /v1`),
  [`${preset}_MODEL`]: z.string().min(1).optional().describe('Model name sent to the endpoint'),
  [`${preset}_API_KEY`]: z.string().min(1).optional().describe('Bearer token for the endpoint'),
});

/** More properties of `fast` and `deep`, and further presets, as a JSON text. */
const MorePresets = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' });
      return z.NEVER;
    }
  })
  .pipe(
    z.array(
      z
        .strictObject({
          name: PresetName,
          baseUrl: z.url({ protocol: /^https?$/ }).optional(),
          model: z.string().min(1).optional(),
          temperature: z.number().min(0).max(2).optional(),
          maxTokens: z.int().min(16).optional(),
          tokenBudget: z.int().min(256).optional(),
          maxTurns: z.int().min(1).optional(),
          fallback: PresetName.optional(),
          effort: z.enum(['low', 'medium', 'high']).optional(),
          apiKey: z.string().min(1).optional(),
          connectTimeoutMs: milliseconds.optional(),
          idleTimeoutMs: milliseconds.optional(),
          totalTimeoutMs: milliseconds.optional(),
        })
        .refine(({ name, baseUrl }) => baseUrl !== undefined || name === 'fast' || name === 'deep', {
          path: ['baseUrl'],
          error: 'is missing',
        }),
    ),
  );

export const Presets = z.object({
  ...presetFields('FAST'),
  ...presetFields('DEEP'),
  PRESETS: MorePresets.optional().describe(
    'More settings of fast and deep, and further presets: JSON array of {name, baseUrl, model, temperature, maxTokens, tokenBudget, maxTurns (chats only), fallback, effort, apiKey, connectTimeoutMs, idleTimeoutMs, totalTimeoutMs}',
  ),
});

/** The endpoint of a preset, and how aish asks it. */
export interface Preset {
  readonly name: string;
  readonly baseUrl: string;
  readonly model: string | null;
  /** The sampling temperature. Null: the value that the makers of the model recommend, unless the endpoint sets one. */
  readonly temperature: number | null;
  readonly maxTokens: number;
  readonly apiKey: string | null;
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** Maximum tokens of a session in a request. If absent, the model's context is the limit. */
  readonly tokenBudget?: number | null;
  /** Maximum number of a person's messages that are sent, each with its answers. */
  readonly maxTurns?: number | null;
  /** The preset that answers if this one cannot. */
  readonly fallback?: string | null;
  /** How much the model should think, if its template supports that. */
  readonly effort?: string | null;
}

export const DEFAULT_MODEL_URL = 'http://127.0.0.1:8080';

/** Defaults for all presets. Tokens, milliseconds. */
const PRESET_DEFAULTS = {
  model: null,
  temperature: null,
  maxTokens: 2_048,
  apiKey: null,
  connectTimeoutMs: 5_000,
  idleTimeoutMs: 120_000,
  totalTimeoutMs: 1_800_000,
  tokenBudget: null,
  maxTurns: null,
  fallback: null,
  effort: null,
} as const;

/**
 * The presets of a configuration, `fast` and `deep` first. `deep` takes missing address, model and key from `fast`.
 *
 * @throws AishError `invalid_config` if two presets have the same name, or if a fallback does not exist.
 */
export function presetsOf(config: z.infer<typeof Presets>): readonly Preset[] {
  const entries = config.PRESETS ?? [];
  const double = entries.find(({ name }, at) => entries.findIndex((entry) => entry.name === name) !== at);
  if (double !== undefined)
    throw new AishError('invalid_config', `There are two presets named ${double.name}. Rename one of them`);
  const settingsOf = (name: string, prefix?: 'FAST' | 'DEEP'): Partial<Preset> => ({
    ...(prefix === undefined ? {} : given(placeOf(config, prefix))),
    ...given(entries.find((entry) => entry.name === name) ?? {}),
  });
  const of = (name: string, own: Partial<Preset>): Preset => ({
    ...PRESET_DEFAULTS,
    ...own,
    name,
    baseUrl: withoutV1(own.baseUrl ?? DEFAULT_MODEL_URL),
  });
  const fast = of('fast', settingsOf('fast', 'FAST'));
  const { baseUrl, model, apiKey } = fast;
  const own = settingsOf('deep', 'DEEP');
  // A key is valid only for its own endpoint.
  const deep = of('deep', { baseUrl, model, ...(own.baseUrl === undefined ? { apiKey } : {}), ...own });
  const more = entries
    .filter(({ name }) => name !== 'fast' && name !== 'deep')
    .map(({ name }) => of(name, settingsOf(name)));
  const presets = [fast, deep, ...more];
  for (const { name, fallback } of presets) {
    if (fallback === null || fallback === undefined) continue;
    if (fallback === name) throw new AishError('invalid_config', `Preset ${name} cannot fall back to itself`);
    presetNamed(presets, fallback);
  }
  return presets;
}

function placeOf(config: Readonly<Record<string, unknown>>, prefix: 'FAST' | 'DEEP') {
  return {
    baseUrl: config[`${prefix}_BASE_URL`],
    model: config[`${prefix}_MODEL`],
    apiKey: config[`${prefix}_API_KEY`],
  };
}

/** Removes undefined values, because they would overwrite defaults. */
function given(values: Readonly<Record<string, unknown>>): Partial<Preset> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function withoutV1(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/** @throws AishError `invalid_config` that lists the existing presets. */
export function presetNamed(presets: readonly Preset[], name: string): Preset {
  const preset = presets.find((candidate) => candidate.name === name);
  if (preset !== undefined) return preset;
  const names = presets.map((candidate) => candidate.name).join(', ');
  throw new AishError('invalid_config', `There is no preset ${name}. The presets are ${names}`);
}

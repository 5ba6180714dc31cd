import * as z from 'zod';
import { PresetName } from '../goals.js';
import { AishError } from '../problems.js';
import { milliseconds } from './setting-types.js';

/** The separate settings of a preset: its endpoint. All other properties of a preset are in PRESETS. */
const presetFields = (preset: 'FAST' | 'DEEP') => ({
  [`${preset}_BASE_URL`]: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(`Model endpoint of preset ${preset.toLowerCase()}, without /v1`),
  [`${preset}_MODEL`]: z.string().min(1).optional().describe('Model name sent to the endpoint'),
  [`${preset}_API_KEY`]: z.string().min(1).optional().describe('Sent as a bearer token to the endpoint'),
});

/** More about `fast` and `deep`, and presets beside them, as a JSON text. */
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
    'More about fast and deep, and more presets: JSON array of {name, baseUrl, model, temperature, maxTokens, tokenBudget, maxTurns, fallback, effort, apiKey, connectTimeoutMs, idleTimeoutMs, totalTimeoutMs}',
  ),
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
  /** How much the model is to think, where its template takes that. */
  readonly effort?: string | null;
}

export const DEFAULT_MODEL_URL = 'http://127.0.0.1:8080';

/** What applies to a preset that does not say otherwise. Tokens, milliseconds. */
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
 * The presets of a configuration, `fast` and `deep` first. `deep` takes address, model and key from `fast` where it has none.
 * @throws AishError `invalid_config` for two presets of a name, and for a fallback that is not there.
 */
export function presetsOf(config: z.infer<typeof Presets>): readonly Preset[] {
  const entries = config.PRESETS ?? [];
  const double = entries.find(({ name }, at) => entries.findIndex((entry) => entry.name === name) !== at);
  if (double !== undefined) throw new AishError('invalid_config', `There are two presets ${double.name}`);
  const said = (name: string, prefix?: 'FAST' | 'DEEP'): Partial<Preset> => ({
    ...(prefix === undefined ? {} : given(placeOf(config, prefix))),
    ...given(entries.find((entry) => entry.name === name) ?? {}),
  });
  const of = (name: string, own: Partial<Preset>): Preset => ({
    ...PRESET_DEFAULTS,
    ...own,
    name,
    baseUrl: withoutV1(own.baseUrl ?? DEFAULT_MODEL_URL),
  });
  const fast = of('fast', said('fast', 'FAST'));
  const { baseUrl, model, apiKey } = fast;
  const own = said('deep', 'DEEP');
  // A key belongs to the endpoint it was given for.
  const deep = of('deep', { baseUrl, model, ...(own.baseUrl === undefined ? { apiKey } : {}), ...own });
  const more = entries.filter(({ name }) => name !== 'fast' && name !== 'deep').map(({ name }) => of(name, said(name)));
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

/** Without what is undefined: it would hide a default. */
function given(values: Readonly<Record<string, unknown>>): Partial<Preset> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
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

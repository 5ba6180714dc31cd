/** The parameters by which an endpoint picks the next token, with llama.cpp's names in `/props` and in requests. */
interface Sampling {
  readonly temperature: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly min_p?: number;
  readonly repeat_penalty?: number;
}

interface Family {
  readonly name: string;
  /** Matches the endpoint's name for its model: an alias, or the file name. */
  readonly is: RegExp;
  /** The recommended sampling. If absent, no recommendation of the model's makers is known. */
  readonly sampling?: Sampling;
  /** The page where the makers recommend it. */
  readonly source: string;
  /**
   * The earlier thoughts that the model sees again, if there are any. Taken from the makers' documentation or published
   * figures.
   */
  readonly thoughts?: 'last' | 'all';
  /** The template settings that these thoughts require. */
  readonly template?: Readonly<Record<string, boolean>>;
}

/**
 * Sampling recommendations of model makers, narrower names first. llama.cpp does not read them from the model: unless
 * the owner or the file sets something, it samples every model the same way.
 */
const FAMILIES: readonly Family[] = [
  {
    name: 'Qwen3-Coder',
    is: /qwen[-_ ]?3(\.\d)?[-_ ]?coder/i,
    sampling: { temperature: 0.7, top_p: 0.8, top_k: 20, repeat_penalty: 1.05 },
    source: 'model card of Qwen3-Coder-30B-A3B-Instruct, Best Practices',
  },
  {
    name: 'Qwen3.6',
    is: /qwen[-_ ]?3\.6/i,
    sampling: { temperature: 0.6, top_p: 0.95, top_k: 20, min_p: 0 },
    source: 'model card of Qwen3.6-27B, Best Practices, precise coding; preserve_thinking for agents',
    thoughts: 'all',
    template: { preserve_thinking: true },
  },
  {
    name: 'Qwen3 Instruct',
    is: /qwen[-_ ]?3.*instruct/i,
    sampling: { temperature: 0.7, top_p: 0.8, top_k: 20, min_p: 0 },
    source: 'model card of Qwen3-30B-A3B-Instruct-2507, Best Practices',
  },
  {
    name: 'Qwen3',
    is: /qwen[-_ ]?3|qwq/i,
    sampling: { temperature: 0.6, top_p: 0.95, top_k: 20, min_p: 0 },
    source: 'model card of Qwen3-30B-A3B, Best Practices, thinking mode',
  },
  {
    name: 'Qwen2.5',
    is: /qwen[-_ ]?(2\.5|25)/i,
    sampling: { temperature: 0.7, top_p: 0.8, top_k: 20, repeat_penalty: 1.05 },
    source: 'generation_config.json of Qwen2.5-7B-Instruct',
  },
  {
    name: 'Gemma 3',
    is: /gemma[-_ ]?3/i,
    sampling: { temperature: 1, top_p: 0.95, top_k: 64 },
    source: 'generation_config.json of gemma-3-27b-it',
  },
  {
    name: 'Gemma 4',
    is: /gemma[-_ ]?4/i,
    sampling: { temperature: 1, top_p: 0.95, top_k: 64 },
    source: 'model card of Gemma 4, Best Practices',
  },
  {
    name: 'LFM2',
    // The next version of this model has its own row.
    is: /lfm2(?![._-]?5)/i,
    sampling: { temperature: 0.3, min_p: 0.15, repeat_penalty: 1.05 },
    source: 'model card of LFM2-1.2B, Generation parameters',
  },
  {
    name: 'gpt-oss',
    is: /gpt[-_ ]?oss/i,
    sampling: { temperature: 1, top_p: 1 },
    source: 'README of openai/gpt-oss, Recommended Sampling Parameters',
    // The template shows thoughts before calls, and drops the others.
    thoughts: 'all',
  },
  {
    name: 'Devstral',
    // This does not match the second generation, whose makers recommend other values.
    is: /devstral(?!.*[-_]2[-_])/i,
    sampling: { temperature: 0.15 },
    source: 'model card of Devstral-Small-2507',
  },
  {
    name: 'Magistral',
    is: /magistral/i,
    sampling: { temperature: 0.7, top_p: 0.95 },
    source: 'model card of Magistral-Small-2506, Sampling parameters',
  },
  {
    name: 'DeepSeek-R1',
    is: /deepseek[-_ ]?r1/i,
    sampling: { temperature: 0.6 },
    source: 'model card of DeepSeek-R1, Usage Recommendations',
  },
  {
    name: 'MiniMax-M2',
    is: /minimax[-_ ]?m2/i,
    sampling: { temperature: 1, top_p: 0.95, top_k: 40 },
    source: 'model card of MiniMax-M2, interleaved thinking',
    thoughts: 'all',
  },
  {
    name: 'GLM-4.7',
    is: /glm[-_ ]?4\.7/i,
    source: 'model card of GLM-4.7, preserved thinking',
    thoughts: 'all',
    template: { clear_thinking: false },
  },
  {
    name: 'Llama 3',
    is: /llama[-_ ]?3/i,
    sampling: { temperature: 0.6, top_p: 0.9 },
    source: 'generation_config.json of Llama-3.1-8B-Instruct',
  },
];

/** llama.cpp's defaults. Source: `common_params_sampling` in its common/common.h. */
const BUILT_IN: Readonly<Record<'temperature' | 'top_k' | 'top_p' | 'min_p', number>> = {
  temperature: 0.8,
  top_k: 40,
  top_p: 0.95,
  min_p: 0.05,
};

/** The chosen row, and the reason in words. */
interface ChosenSampling {
  readonly values: Record<string, number> | null;
  readonly why: string;
}

/**
 * Returns the family's row, if the endpoint samples with the built-in defaults. Pure.
 *
 * @param model the endpoint's name for the model.
 * @param settings the endpoint's own settings, from `/props`; null if it does not report them.
 */
export function samplingOf(model: string | null, settings: Readonly<Record<string, unknown>> | null): ChosenSampling {
  const set =
    settings === null ? null : Object.entries(BUILT_IN).find(([name, value]) => differs(settings[name], value));
  if (set === null) return { values: null, why: 'the endpoint’s own, since it does not say what that is' };
  if (set !== undefined) {
    const [name] = set;
    return {
      values: null,
      why: `the endpoint’s own, where ${name} is set to ${rounded(settings?.[name])}`,
    };
  }
  const family = familyOf(model);
  if (family?.sampling === undefined) {
    return {
      values: null,
      why: `the endpoint’s own, since ${model ?? 'its model'} is a model whose sampling aish does not know`,
    };
  }
  const values = Object.entries(family.sampling).map(([name, value]) => `${name} ${value}`);
  return {
    values: { ...family.sampling },
    why: `${values.join(', ')} as the makers of ${family.name} advise (${family.source})`,
  };
}

function familyOf(model: string | null): Family | undefined {
  return model === null ? undefined : FAMILIES.find(({ is }) => is.test(model));
}

/** Returns the earlier thoughts that a model sees again, and the template settings for that. Pure. */
export function thoughtsOf(
  model: string | null,
  template: string | null,
): { readonly thoughts: 'none' | 'last' | 'all'; readonly settings: Readonly<Record<string, boolean>> } {
  const { thoughts = 'none', template: settings = {} } = familyOf(model) ?? {};
  return { thoughts, settings: Object.fromEntries(Object.entries(settings).filter(([name]) => knows(template, name))) };
}

/** Names that templates use for the thinking effort. The first name that a template contains counts. */
const EFFORT_NAMES = ['reasoning_effort', 'reasoning_strength', 'thinking_effort'];

/** Returns the template's name for the effort; null if it has none. Pure. */
export function effortNameOf(template: string | null): string | null {
  return EFFORT_NAMES.find((name) => knows(template, name)) ?? null;
}

function knows(template: string | null, name: string): boolean {
  return template !== null && new RegExp(`\\b${name}\\b`).test(template);
}

function differs(value: unknown, builtIn: number): boolean {
  return typeof value !== 'number' || Math.abs(value - builtIn) > 1e-3;
}

function rounded(value: unknown): string {
  return typeof value === 'number' ? String(Math.round(value * 1_000) / 1_000) : 'something else';
}

/** How an endpoint picks the next token, as llama.cpp names it in `/props` and in requests. */
interface Sampling {
  readonly temperature: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly min_p?: number;
  readonly repeat_penalty?: number;
}

interface Family {
  readonly name: string;
  /** Of the name that the endpoint gives its model: an alias, or the name of its file. */
  readonly is: RegExp;
  /** Absent: its makers give no advice that was found. */
  readonly sampling?: Sampling;
  /** Where the makers say so. */
  readonly source: string;
  /** Which of its thoughts it is shown again, where its makers do not say none; by their own words or published figures. */
  readonly thoughts?: 'last' | 'all';
  /** What its template has to be told for that. */
  readonly template?: Readonly<Record<string, boolean>>;
}

/**
 * What makers of models say of sampling, the narrower name first. llama.cpp does not take it from the model: unless the
 * owner or the file sets something, it samples every model alike.
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
    // Its next version has another row.
    is: /lfm2(?![._-]?5)/i,
    sampling: { temperature: 0.3, min_p: 0.15, repeat_penalty: 1.05 },
    source: 'model card of LFM2-1.2B, Generation parameters',
  },
  {
    name: 'gpt-oss',
    is: /gpt[-_ ]?oss/i,
    sampling: { temperature: 1, top_p: 1 },
    source: 'README of openai/gpt-oss, Recommended Sampling Parameters',
    // Its template shows those of calls, and drops the others.
    thoughts: 'all',
  },
  {
    name: 'Devstral',
    // Not of its second generation, whose makers say otherwise.
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

/** What llama.cpp samples with where nobody has said anything. Source: `common_params_sampling` in its common/common.h. */
const BUILT_IN: Readonly<Record<'temperature' | 'top_k' | 'top_p' | 'min_p', number>> = {
  temperature: 0.8,
  top_k: 40,
  top_p: 0.95,
  min_p: 0.05,
};

/** Which row is used, and why in words. */
interface ChosenSampling {
  readonly values: Record<string, number> | null;
  readonly why: string;
}

/**
 * The family's row, where the endpoint says that it samples with what is built in. Pure.
 * @param model as the endpoint names it.
 * @param settings the endpoint's own, of `/props`; null where it does not say.
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
      why: `the endpoint’s own, since ${model ?? 'its model'} is of no family whose sampling aish knows`,
    };
  }
  const said = Object.entries(family.sampling).map(([name, value]) => `${name} ${value}`);
  return {
    values: { ...family.sampling },
    why: `${said.join(', ')} as the makers of ${family.name} advise (${family.source})`,
  };
}

function familyOf(model: string | null): Family | undefined {
  return model === null ? undefined : FAMILIES.find(({ is }) => is.test(model));
}

/** Which of its thoughts a model is shown again, and what its template is told of that. Pure. */
export function thoughtsOf(
  model: string | null,
  template: string | null,
): { readonly thoughts: 'none' | 'last' | 'all'; readonly settings: Readonly<Record<string, boolean>> } {
  const { thoughts = 'none', template: settings = {} } = familyOf(model) ?? {};
  return { thoughts, settings: Object.fromEntries(Object.entries(settings).filter(([name]) => knows(template, name))) };
}

/** Names under which templates take how much a model is to think, the first one that a template knows counts. */
const EFFORT_NAMES = ['reasoning_effort', 'reasoning_strength', 'thinking_effort'];

/** The name by which a template takes the effort; null where it knows none. Pure. */
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

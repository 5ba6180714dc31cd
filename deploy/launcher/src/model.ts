import { readFileSync } from 'node:fs';
import { parseConfig } from '@aish/contracts/config/parse-config';
import { DEFAULT_MODEL_URL } from '@aish/contracts/config/presets.settings';
import { z } from 'zod';

export type ModelAnswer = 'ready' | 'loading' | 'refused' | 'silent' | 'not-a-model';

export interface ModelFacts {
  /** The FAST_BASE_URL of the user, or null if it is not set. */
  readonly chosenUrl: string | null;
  readonly isDemoWanted: boolean;
  /** The answer of the chosen or default endpoint. */
  readonly answer: ModelAnswer;
}

export interface ModelChoice {
  readonly kind: 'endpoint' | 'demo';
  /** The line for the person. */
  readonly line: string;
}

const PROBE_TIMEOUT_MS = 1_500;
const ANSWERS = {
  ready: (url: string) => `A model is running at ${url}.`,
  loading: (url: string) => `The model at ${url} is loading. Goals wait for it.`,
  refused: (url: string) => `The endpoint at ${url} needs a key: set FAST_API_KEY.`,
};
const DEMO = 'aish uses a demo script (the demo model, not a language model).';

const ModelSettings = z.object({ FAST_BASE_URL: z.string().optional(), FAST_API_KEY: z.string().optional() });

/** Returns the user's settings of the preset `fast`. Each may be in a file, as for the services. */
export function readModelSettings(env: Readonly<Record<string, string | undefined>>): {
  readonly url: string | null;
  readonly apiKey: string | null;
} {
  const settings = parseConfig(ModelSettings, env, (path) => readFileSync(path, 'utf8'));
  return { url: settings.FAST_BASE_URL ?? null, apiKey: settings.FAST_API_KEY ?? null };
}

/** Chooses the model for goals. Only `--demo` replaces the user's choice. */
export function chooseModel(facts: ModelFacts): ModelChoice {
  const url = facts.chosenUrl ?? DEFAULT_MODEL_URL;
  if (facts.isDemoWanted) return { kind: 'demo', line: `As you asked, ${DEMO}` };
  if (facts.answer !== 'silent' && facts.answer !== 'not-a-model') {
    return { kind: 'endpoint', line: ANSWERS[facts.answer](url) };
  }
  const what =
    facts.answer === 'silent' ? `No model responds at ${url}` : `The server at ${url} is not a model endpoint`;
  if (facts.chosenUrl !== null) return { kind: 'endpoint', line: `${what} (FAST_BASE_URL). Goals wait for it.` };
  const advice = 'To use your own, set FAST_BASE_URL and start again.';
  return { kind: 'demo', line: `${what}, so ${DEMO} ${advice}` };
}

/** Asks the endpoint (or the default one) for its models. After `timeoutMs` it counts as silent. */
export async function probeModel(
  chosenUrl: string | null,
  apiKey: string | null,
  signal: AbortSignal,
  timeoutMs = PROBE_TIMEOUT_MS,
): Promise<ModelAnswer> {
  const url = `${(chosenUrl ?? DEFAULT_MODEL_URL).replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/models`;
  try {
    const response = await fetch(url, {
      headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      redirect: 'error',
    });
    if (response.status === 503) return 'loading';
    if (response.status === 401 || response.status === 403) return 'refused';
    const body: unknown = response.ok ? await response.json().catch(() => null) : null;
    return isModelList(body) ? 'ready' : 'not-a-model';
  } catch {
    signal.throwIfAborted();
    return 'silent';
  }
}

function isModelList(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'data' in body && Array.isArray(body.data);
}

import { readFileSync } from 'node:fs';
import { parseConfig } from '@aish/contracts/config/parse-config';
import { visibleText } from '@aish/contracts/visible-text';
import { z } from 'zod';

type ModelAnswer = 'ready' | 'loading' | 'refused' | 'silent' | 'not-a-model';

export interface ModelFacts {
  /** The FAST_BASE_URL of the user, or null if it is not set. */
  readonly chosenUrl: string | null;
  /** The URL that is used without FAST_BASE_URL. */
  readonly defaultUrl: string;
  readonly isDemoWanted: boolean;
  /** The answer of the chosen or default endpoint. */
  readonly answer: ModelAnswer;
  /** The name of the endpoint's first model, if it is ready and names one. */
  readonly name: string | null;
}

export interface ModelChoice {
  readonly kind: 'endpoint' | 'demo';
  /** The line for the person. */
  readonly line: string;
}

const PROBE_TIMEOUT_MS = 1_500;
const MAX_NAME_CHARS = 80;
const ANSWERS = {
  ready: (url: string, name: string | null) => `${name ?? 'A model'} answers at ${url}.`,
  loading: (url: string) => `The model at ${url} is loading. Goals wait for it.`,
  refused: (url: string) => `The endpoint at ${url} needs a key: set FAST_API_KEY.`,
};
const DEMO = 'aish uses a demo script (the demo model, not a language model).';

const ModelList = z.object({ data: z.array(z.unknown()) });
const ModelName = z.object({ id: z.string().min(1).max(MAX_NAME_CHARS) });
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
  const url = facts.chosenUrl ?? facts.defaultUrl;
  if (facts.isDemoWanted) return { kind: 'demo', line: `As you asked, ${DEMO}` };
  if (facts.answer !== 'silent' && facts.answer !== 'not-a-model') {
    return { kind: 'endpoint', line: ANSWERS[facts.answer](url, facts.name) };
  }
  const what =
    facts.answer === 'silent' ? `No model responds at ${url}` : `The server at ${url} is not a model endpoint`;
  if (facts.chosenUrl !== null) return { kind: 'endpoint', line: `${what} (FAST_BASE_URL). Goals wait for it.` };
  const advice = 'To use your own, set FAST_BASE_URL and start again.';
  return { kind: 'demo', line: `${what}, so ${DEMO} ${advice}` };
}

/** Asks an endpoint for its first model. After `timeoutMs` it counts as silent. */
export async function probeModel(
  endpoint: string,
  apiKey: string | null,
  signal: AbortSignal,
  timeoutMs = PROBE_TIMEOUT_MS,
): Promise<Pick<ModelFacts, 'answer' | 'name'>> {
  const url = `${endpoint.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/models`;
  try {
    const response = await fetch(url, {
      headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      redirect: 'error',
    });
    if (response.status === 503) return { answer: 'loading', name: null };
    if (response.status === 401 || response.status === 403) return { answer: 'refused', name: null };
    const body: unknown = response.ok ? await response.json().catch(() => null) : null;
    const list = ModelList.safeParse(body);
    if (!list.success) return { answer: 'not-a-model', name: null };
    const first = ModelName.safeParse(list.data.data[0]);
    return { answer: 'ready', name: first.success ? visibleText(first.data.id) : null };
  } catch {
    signal.throwIfAborted();
    return { answer: 'silent', name: null };
  }
}

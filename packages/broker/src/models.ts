import type { IncomingMessage } from 'node:http';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { DEMO_MODEL, type Model } from '@aish/contracts/models';
import { AishError, isAishError } from '@aish/contracts/problems';
import { z } from 'zod';
import { Deadline } from './deadline.js';
import { exchange, textOf } from './exchange.js';
import { isPage, refusal } from './refusal.js';
import { ModelsBody, listedFor, warningsOf, type Listed } from './servers.js';

const MODELS_TIMEOUT_MS = 3_000;
const MODELS_MAX_BYTES = 1024 * 1024;

const Props = z.looseObject({ build_info: z.string().optional() });

interface Reply {
  readonly status: number;
  readonly text: string;
}

/** Implements `Broker.models`. */
export async function askModels(preset: Preset, signal: AbortSignal): Promise<Model> {
  const deadline = new Deadline(signal, MODELS_TIMEOUT_MS);
  try {
    const [models, health, props] = await Promise.all([
      get('/v1/models', preset, deadline),
      getIfThere('/health', preset, deadline),
      getIfThere('/props', preset, deadline),
    ]);
    return modelFrom(preset, models, health, props);
  } catch (error) {
    if (signal.aborted || !(error instanceof AishError)) throw error;
    const isThere = isAishError(error, 'model_bad_stream');
    return describe(preset, [], isThere ? 'refused' : 'unreachable', error.message);
  } finally {
    deadline.close();
  }
}

/** Combines the answers of /v1/models and, if present, /health about the endpoint. */
function modelFrom(preset: Preset, models: Reply, health: Reply | null, props: Reply | null): Model {
  for (const reply of [models, health]) {
    // Not every endpoint has /health, and its meaning elsewhere is unknown, except for "loading".
    const error = reply && reply.status !== 200 ? refusal(reply.status, reply.text, preset.apiKey) : undefined;
    if (error?.code === 'model_loading') return describe(preset, [], 'loading', error.message);
    if (error !== undefined && reply === models) return describe(preset, [], 'refused', error.message);
  }
  const listed = ModelsBody.safeParse(jsonOf(models.text)).data?.data;
  if (listed === undefined) {
    const why = isPage(models.text) ? 'A web page answers there' : 'The endpoint does not list models as OpenAI does';
    return describe(preset, [], 'refused', why);
  }
  const its = listedFor(preset, listed);
  const build = Props.safeParse(jsonOf(props?.text ?? '')).data?.build_info ?? null;
  const warnings = warningsOf(its, build);
  const isLoading = its?.status?.value === 'loading';
  const model = describe(preset, listed, isLoading ? 'loading' : 'ready', isLoading ? 'The endpoint loads it' : null);
  return warnings.length === 0 ? model : { ...model, warnings: [...warnings] };
}

function describe(preset: Preset, listed: readonly Listed[], state: Model['state'], detail: string | null): Model {
  const ids = listed.map(({ id }) => id);
  return {
    preset: preset.name,
    baseUrl: preset.baseUrl,
    model: preset.model ?? ids[0] ?? null,
    state,
    detail,
    // The endpoint's own name takes precedence, because the demo model accepts any configured name.
    demo: ids.length > 0 ? ids.includes(DEMO_MODEL) : preset.model === DEMO_MODEL,
  };
}

async function get(path: string, preset: Preset, deadline: Deadline): Promise<Reply> {
  const { apiKey, connectTimeoutMs } = preset;
  const url = `${preset.baseUrl}${path}`;
  const response: IncomingMessage = await exchange({ method: 'GET', url, apiKey, connectTimeoutMs }, deadline);
  const text = await textOf(response, MODELS_MAX_BYTES, MODELS_TIMEOUT_MS, deadline);
  return { status: response.statusCode ?? 0, text };
}

/** Returns the answer at a path; null if there is no proper answer. In that case only /v1/models decides. */
async function getIfThere(path: string, preset: Preset, deadline: Deadline): Promise<Reply | null> {
  try {
    return await get(path, preset, deadline);
  } catch (error) {
    if (!isAishError(error, 'model_unreachable', 'model_bad_stream')) throw error;
    return null;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

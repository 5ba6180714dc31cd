import type { Preset } from '@aish/contracts/config/presets.settings';
import type { ModelWarning } from '@aish/contracts/models';
import { z } from 'zod';

/** Recognizes servers by the owner that they name for their models. */
const OWNERS = {
  llamacpp: 'llama.cpp',
  library: 'Ollama',
  organization_owner: 'LM Studio',
  vllm: 'vLLM',
  'llama-swap': 'llama-swap',
} as const;
type ServerName = (typeof OWNERS)[keyof typeof OWNERS];

const Listed = z.looseObject({
  id: z.string(),
  owned_by: z.string().nullish(),
  /** The size of the context in vLLM. */
  max_model_len: z.int().positive().nullish(),
  /** The status that llama.cpp reports when it serves several models. */
  status: z.looseObject({ value: z.string(), args: z.array(z.string()).optional() }).optional(),
});
export type Listed = z.infer<typeof Listed>;
export const ModelsBody = z.looseObject({ data: z.array(Listed) });

/** Returns the listed model that a preset means. */
export function listedFor({ model }: Pick<Preset, 'model'>, models: readonly Listed[]): Listed | undefined {
  return model === null ? models[0] : models.find(({ id }) => id === model);
}

export function serverOf(listed: Listed | undefined): ServerName | null {
  const owner = listed?.owned_by ?? '';
  return Object.entries(OWNERS).find(([name]) => name === owner)?.[1] ?? null;
}

/** The paths where servers report the context size of a loaded model, if it is not in `/props`. */
const CONTEXT_PATHS: Partial<Record<ServerName, string>> = { Ollama: '/api/ps', 'LM Studio': '/api/v0/models' };
const Contexts = z.looseObject({
  models: z.array(z.looseObject({ name: z.string(), context_length: z.int().positive().optional() })).optional(),
  data: z.array(z.looseObject({ id: z.string(), loaded_context_length: z.int().positive().optional() })).optional(),
});

/** Returns the context size of a loaded model according to the server; null if the server does not report it. */
export async function contextAt(
  listed: Listed | undefined,
  ask: (path: string) => Promise<unknown>,
): Promise<number | null> {
  const server = serverOf(listed);
  if (listed === undefined || server === null) return null;
  if (server === 'vLLM') return listed.max_model_len ?? null;
  const path = CONTEXT_PATHS[server];
  const reported = path === undefined ? undefined : Contexts.safeParse(await ask(path)).data;
  // Ollama calls a model without a tag `latest`.
  const loaded = reported?.models?.find(({ name }) => name === listed.id || name === `${listed.id}:latest`);
  const instance = reported?.data?.find(({ id }) => id === listed.id);
  return loaded?.context_length ?? instance?.loaded_context_length ?? null;
}

/** The first build of llama.cpp that should no longer restore the wrong session (its issue 27148). */
const CACHE_FIXED_IN = 11_552;

/** Returns warnings about a server for people. `build` is llama.cpp's, from `/props`. */
export function warningsOf(listed: Listed | undefined, build: string | null): readonly ModelWarning[] {
  if (serverOf(listed) === 'Ollama') {
    return [
      {
        detail: 'Ollama drops the beginning of a conversation that does not fit into its context, without an error',
        advice: 'Give it a larger context: start it with OLLAMA_CONTEXT_LENGTH=16384 or more',
      },
    ];
  }
  const number = Number(/^b(\d+)/.exec(build ?? '')?.[1] ?? NaN);
  if (!(number < CACHE_FIXED_IN) || isCacheOff(listed?.status?.args ?? [])) return [];
  return [
    {
      detail: `build ${number} of llama.cpp can mix another conversation into an answer (--cache-ram, its issue 27148)`,
      advice: `Update llama.cpp to b${CACHE_FIXED_IN} or later, or start it with --cache-ram 0 --no-cache-idle-slots`,
    },
  ];
}

function isCacheOff(args: readonly string[]): boolean {
  return args.some((arg, at) => (arg === '--cache-ram' || arg === '-cram') && args[at + 1] === '0');
}

import { createHash } from 'node:crypto';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { UNKNOWN_CAPABILITIES, type ModelCapabilities } from '@aish/contracts/models';
import { isAishError } from '@aish/contracts/problems';
import { z } from 'zod';
import { collectAnswer } from './answer.js';
import type { Broker, ChatMessage, ToolDefinition } from './broker.port.js';
import { exchangeJson } from './json.exchange.js';
import { readObject } from './repair-json.js';
import { canResume } from './resumed-answer.js';
import { effortNameOf, samplingOf, thoughtsOf } from './sampling.js';
import { ModelsBody, contextAt, listedFor } from './servers.js';
import { shapeMessages } from './shape.js';
import { countTokens } from './token.counter.js';

const SMALL_TIMEOUT_MS = 3_000;
/**
 * The time limit for a call in milliseconds. A model may have to be loaded first, and reading the prompt can be slow.
 */
const CALL_TIMEOUT_MS = 25_000;

const Props = z.looseObject({
  default_generation_settings: z
    .looseObject({ n_ctx: z.int().positive().optional(), params: z.looseObject({}).optional() })
    .optional(),
  model_alias: z.string().optional(),
  model_path: z.string().optional(),
  chat_template: z.string().optional(),
  build_info: z.string().optional(),
  chat_template_caps: z
    .looseObject({
      supports_tools: z.boolean().optional(),
      supports_tool_calls: z.boolean().optional(),
      supports_parallel_tool_calls: z.boolean().optional(),
      supports_system_role: z.boolean().optional(),
    })
    .optional(),
});
type Props = z.infer<typeof Props>;

const SAMPLE =
  'The quick brown fox jumps over the lazy dog.\n{"path": "/workspace/a.txt", "lines": [1, 2, 3]}\n$ ls -la\n';
const ECHO: ToolDefinition = {
  name: 'note_word',
  description: 'Notes one word.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
};
const SYSTEM: ChatMessage = { role: 'system', content: 'You are a shell.' };
const QUESTION: ChatMessage = { role: 'user', content: 'Call note_word with the word "ready".' };
const TOOL_TURNS: readonly ChatMessage[] = [
  QUESTION,
  { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: ECHO.name, arguments: '{"word":"ready"}' }] },
  { role: 'tool', content: 'noted-7613', toolCallId: 'c1', toolName: ECHO.name },
];

/** Implements `Broker.capabilities`. Each question without an answer leaves its field null. */
export async function capabilitiesOf(
  preset: Preset,
  broker: Pick<Broker, 'chat'>,
  signal: AbortSignal,
  asksModel: boolean,
): Promise<ModelCapabilities> {
  const props = await readProps(preset, signal);
  const ask = (path: string) => small(preset, { method: 'GET', path }, signal);
  const model = props?.model_alias ?? preset.model;
  // An alias may be any text. The file name says who made the model.
  const file = props?.model_path?.split(/[/\\]/).at(-1) ?? null;
  const named = model === null || file === null || model.includes(file) ? (model ?? file) : `${model}, ${file}`;
  const sampling = samplingOf(named, props?.default_generation_settings?.params ?? null);
  const listed = listedFor(preset, ModelsBody.safeParse(await ask('/v1/models')).data?.data ?? []);
  const chatTemplate = props?.chat_template ?? null;
  const { thoughts, settings } = thoughtsOf(named, chatTemplate);
  const notes: string[] = [];
  const caps = props?.chat_template_caps;
  const sampleTokens = await countTokens(preset, SAMPLE, signal);
  const takes = (messages: readonly ChatMessage[], marker: string) => templateTakes(preset, messages, marker, signal);
  const systemRole = (await takes([SYSTEM, QUESTION], SYSTEM.content)) ?? caps?.supports_system_role ?? null;
  const withSystem = systemRole === false ? TOOL_TURNS : [SYSTEM, ...TOOL_TURNS];
  const takesToolRole = await takes(withSystem, 'noted-7613');
  // These flags are about tools as a whole. A template may render results without describing tools.
  const isAsked = asksModel && caps?.supports_tools !== false;
  const asked = isAsked ? await callsTools(preset, broker, notes, signal) : null;
  const nativeTools = caps?.supports_tools === false ? false : asked;
  return {
    ...UNKNOWN_CAPABILITIES,
    contextTokens: props?.default_generation_settings?.n_ctx ?? (await contextAt(listed, ask)),
    systemRole,
    toolRole: takesToolRole ?? (nativeTools === false ? false : null),
    parallelCalls: caps?.supports_parallel_tool_calls ?? null,
    nativeTools,
    countsTokens: sampleTokens !== null,
    charsPerToken: sampleTokens === null ? null : Math.max(0.5, SAMPLE.length / Math.max(1, sampleTokens)),
    sampling,
    template: digestOf(props?.chat_template),
    // Only llama-server reports properties and can resume answers.
    resumable: props !== null && (await canResume(preset, signal)),
    ...(asksModel ? {} : { isQuick: true }),
    ...(listed?.status === undefined ? {} : { loads: true }),
    thoughts,
    templateSettings: settings,
    effortName: effortNameOf(chatTemplate),
    identity: props === null ? null : identityIn(props),
    model,
    checkedAt: new Date().toISOString(),
    notes,
  };
}

/**
 * Returns a digest that identifies the model that an endpoint serves, and its settings; null if the endpoint does not
 * report them.
 *
 * @throws AishError `model_unreachable`, `model_loading`
 */
export async function identityOf(preset: Preset, signal: AbortSignal): Promise<string | null> {
  const props = await readProps(preset, signal);
  return props === null ? null : identityIn(props);
}

function identityIn(props: Props): string | null {
  const { model_alias: alias, model_path: path, chat_template: template, build_info: build } = props;
  if (alias === undefined && path === undefined && template === undefined) return null;
  return digestOf(JSON.stringify([alias, path, template, build, props.default_generation_settings?.n_ctx]));
}

function digestOf(text: string | undefined): string | null {
  return text === undefined ? null : createHash('sha256').update(text).digest('base64url');
}

async function readProps(preset: Preset, signal: AbortSignal): Promise<Props | null> {
  const query = preset.model === null ? '' : `?model=${encodeURIComponent(preset.model)}`;
  const answer = await small(preset, { method: 'GET', path: `/props${query}` }, signal);
  return Props.safeParse(answer).data ?? null;
}

/** Whether the template puts `marker` into the prompt for these messages; null if the endpoint does not say. */
async function templateTakes(
  preset: Preset,
  messages: readonly ChatMessage[],
  marker: string,
  signal: AbortSignal,
): Promise<boolean | null> {
  const body = { ...(preset.model === null ? {} : { model: preset.model }), messages: shapeMessages(messages) };
  try {
    const answer = await exchangeJson(
      preset,
      { method: 'POST', path: '/apply-template', body },
      SMALL_TIMEOUT_MS,
      signal,
    );
    const prompt = z.looseObject({ prompt: z.string() }).safeParse(answer).data?.prompt;
    return prompt === undefined ? null : prompt.includes(marker);
  } catch (error) {
    if (signal.aborted) throw error;
    return isAishError(error, 'model_template') ? false : null;
  }
}

/** Asks for one call of one tool. The call need not make sense. */
async function callsTools(
  preset: Preset,
  broker: Pick<Broker, 'chat'>,
  notes: string[],
  signal: AbortSignal,
): Promise<boolean | null> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]);
  const request = { preset, messages: [QUESTION], tools: [ECHO], toolChoice: 'required' as const, maxTokens: 128 };
  try {
    const answer = await collectAnswer(broker.chat({ ...request, temperature: 0 }, limit));
    const call = answer.toolCalls[0];
    if (call === undefined) {
      // The answer was cut before a call because the model thinks aloud, so the result is unknown.
      if (answer.finishReason === 'length') return null;
      notes.push('asked for a tool call, it wrote text');
      return false;
    }
    if (answer.finishReason !== 'length' && readObject(call.arguments) === null)
      notes.push('its tool call was no JSON');
    return true;
  } catch (error) {
    if (signal.aborted) throw error;
    if (!isAishError(error)) throw error;
    if (!isAishError(error, 'model_template', 'model_grammar', 'model_no_tools', 'model_unparsed', 'model_refused')) {
      return null;
    }
    notes.push(error.message);
    return false;
  }
}

async function small(
  preset: Preset,
  request: { readonly method: 'GET' | 'POST'; readonly path: string },
  signal: AbortSignal,
): Promise<unknown> {
  try {
    return await exchangeJson(preset, request, SMALL_TIMEOUT_MS, signal);
  } catch (error) {
    if (signal.aborted || !isAishError(error) || isAishError(error, 'model_unreachable', 'model_loading')) throw error;
    return null;
  }
}

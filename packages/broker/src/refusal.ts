import { AishError } from '@aish/contracts/problems';
import { z } from 'zod';

const MESSAGE_MAX_CHARS = 500;

const ErrorObject = z.looseObject({
  message: z.string().optional(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  n_prompt_tokens: z.number().optional(),
  n_ctx: z.number().optional(),
});

/** The `error` field of endpoints: an object in llama.cpp and OpenAI, a plain text in some others. */
export const EndpointError = z.union([ErrorObject, z.string().transform((message) => ({ message }))]);
export type EndpointError = z.infer<typeof ErrorObject>;

/** Older versions of vLLM have the error at the top level. */
const ErrorBody = z.union([
  z.object({ error: EndpointError }),
  ErrorObject.extend({ object: z.literal('error') }).transform((error) => ({ error })),
]);

/**
 * Makes the error for an answer with a status other than 200.
 *
 * @param retryAfterS the pause that the endpoint asks for.
 * @param secret the API key. It is removed from the endpoint's text, because some endpoints repeat it.
 */
export function refusal(
  status: number,
  body: string,
  secret: string | null,
  retryAfterS: number | null = null,
): AishError {
  const error = parseErrorBody(body);
  const message = readable(error.message ?? body, secret);
  const overflow = contextOverflow(error, message);
  if (overflow) return overflow;
  const known = knownFault(error.message ?? body, message);
  if (known) return known;
  if (status === 503 && (error.type === 'unavailable_error' || /\bloading\b/i.test(message))) {
    return new AishError('model_loading', 'The model endpoint is still loading its model', { message });
  }
  if (isPage(body)) {
    const why = `The address answered ${status} with a web page: no model server listens there, or a proxy stands before it`;
    return new AishError('model_refused', why, { status, message: '' });
  }
  const suffix = message === '' ? '' : `: ${message}`;
  return new AishError('model_refused', `The model endpoint answered ${status}${suffix}`, {
    status,
    message,
    ...(retryAfterS === null ? {} : { retryAfterS }),
  });
}

/** Whether an answer is a web page, from a proxy or from another service. */
export function isPage(body: string): boolean {
  return /^\s*<(!doctype|html)/i.test(body);
}

/** Returns the seconds to wait from a Retry-After header (a number or a date); null if it cannot be parsed. */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - nowMs) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}

/** Makes the error for an `error` frame within a stream. */
export function brokenOff(error: EndpointError, secret: string | null): AishError {
  const message = readable(error.message ?? '', secret);
  return (
    contextOverflow(error, message) ??
    knownFault(error.message ?? '', message) ??
    badStream(message === '' ? 'the endpoint reported an error without a message' : message)
  );
}

export function badStream(message: string, options?: ErrorOptions): AishError {
  return new AishError('model_bad_stream', `The model's answer was interrupted: ${message}`, { message }, options);
}

/** The part of a request that the chat template refused, as far as its message says. */
type TemplateFault = 'system' | 'user' | 'alternation' | 'tool' | 'schema' | 'other';

const TEMPLATE_FAULTS: readonly (readonly [TemplateFault, RegExp])[] = [
  ['schema', /JSON schema|\$ref/i],
  ['system', /system message must be at the beginning|system role not supported|only (?:user|supports? user)/i],
  ['user', /no user query found/i],
  ['alternation', /roles? must alternate|conversation roles|after the optional system message/i],
  ['tool', /tool/i],
];
/** Maximum number of characters that are kept of a model's text that its endpoint could not parse. */
const UNPARSED_MAX_CHARS = 32 * 1024;

/**
 * Known failures of llama.cpp setups that have a workaround. Sources: llama.cpp's issues 24644 and 20761 (the parser of
 * answers), 20733 (templates), 17473 and 25923 (grammars).
 */
function knownFault(raw: string, message: string): AishError | undefined {
  const unparsed = /Failed to parse input at pos \d+:\s*([\s\S]*)$/.exec(raw)?.[1];
  if (unparsed !== undefined || /Failed to parse input/i.test(raw)) {
    const text = (unparsed ?? '').slice(0, UNPARSED_MAX_CHARS);
    return new AishError('model_unparsed', 'The model endpoint could not parse the model’s answer', { message, text });
  }
  if (/repetitions? exceeds|failed to parse grammar|error parsing grammar/i.test(raw)) {
    return new AishError('model_grammar', `The model endpoint cannot build a grammar: ${message}`, { message });
  }
  if (/tools param requires|does not support tools|Failed to parse tools|tools? (?:is|are) not supported/i.test(raw)) {
    return new AishError('model_no_tools', `The model endpoint does not support tools: ${message}`, { message });
  }
  const isTemplate =
    /Unable to generate parser for this template|Jinja Exception|raise_exception|System message must be at the beginning|No user query found in messages|roles must alternate|system role not supported/i.test(
      raw,
    );
  if (!isTemplate) return undefined;
  const reason = TEMPLATE_FAULTS.find(([, pattern]) => pattern.test(raw))?.[0] ?? 'other';
  return new AishError('model_template', `The chat template does not accept this: ${message}`, { message, reason });
}

/** Matches the errors of vLLM and LM Studio for messages that are too long. */
const OVERFLOW = /maximum context length is (\d+) tokens|is greater than the context length/;
const PROMPT_TOKENS = /(\d+) (?:in the messages|input tokens)/;

function numberOf(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits);
}

function contextOverflow(error: EndpointError, message: string): AishError | undefined {
  // The second is the error of OpenAI and compatible servers. It contains no numbers.
  const isKnown = error.type === 'exceed_context_size_error' || error.code === 'context_length_exceeded';
  const match = OVERFLOW.exec(message);
  if (!isKnown && match === null) return undefined;
  return new AishError('model_context_overflow', `The conversation does not fit into the model's context: ${message}`, {
    promptTokens: error.n_prompt_tokens ?? numberOf(PROMPT_TOKENS.exec(message)?.[1]),
    contextTokens: error.n_ctx ?? numberOf(match?.[1]),
  });
}

function parseErrorBody(body: string): EndpointError {
  try {
    return ErrorBody.safeParse(JSON.parse(body)).data?.error ?? {};
  } catch {
    return {}; // The text is not JSON and is shown as plain text.
  }
}

function readable(text: string, secret: string | null): string {
  const safe = secret === null ? text : text.replaceAll(secret, '[key]');
  const line = safe.replaceAll(/\s+/g, ' ').trim();
  return line.length > MESSAGE_MAX_CHARS ? `${line.slice(0, MESSAGE_MAX_CHARS)}…` : line;
}

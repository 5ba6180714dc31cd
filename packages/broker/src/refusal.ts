import { AishError } from '@aish/contracts';
import { z } from 'zod';

const MESSAGE_MAX_CHARS = 500;

const ErrorObject = z.looseObject({
  message: z.string().optional(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  n_prompt_tokens: z.number().optional(),
  n_ctx: z.number().optional(),
});

/** What endpoints put into `error`: llama.cpp and OpenAI an object, some others a plain text. */
export const EndpointError = z.union([ErrorObject, z.string().transform((message) => ({ message }))]);
export type EndpointError = z.infer<typeof ErrorObject>;

const ErrorBody = z.object({ error: EndpointError });

/**
 * The error that an answer with a status other than 200 stands for.
 * @param secret the API key; it is taken out of what the endpoint said, for some repeat it.
 */
export function refusal(status: number, body: string, secret: string | null): AishError {
  const error = parseErrorBody(body);
  const message = readable(error.message ?? body, secret);
  const overflow = contextOverflow(error, message);
  if (overflow) return overflow;
  if (status === 503 && (error.type === 'unavailable_error' || /\bloading\b/i.test(message))) {
    return new AishError('model_loading', 'The model endpoint is still loading its model', { message });
  }
  const said = message === '' ? '' : `: ${message}`;
  return new AishError('model_refused', `The model endpoint answered ${status}${said}`, { status, message });
}

/** The error that an `error` frame within a stream stands for. */
export function brokenOff(error: EndpointError, secret: string | null): AishError {
  const message = readable(error.message ?? '', secret);
  return (
    contextOverflow(error, message) ??
    badStream(message === '' ? 'the endpoint reported an error without a message' : message)
  );
}

export function badStream(message: string, options?: ErrorOptions): AishError {
  return new AishError('model_bad_stream', `The model's answer broke off: ${message}`, { message }, options);
}

function contextOverflow(error: EndpointError, message: string): AishError | undefined {
  // The second is what OpenAI and those that follow it closely say; it comes without numbers.
  if (error.type !== 'exceed_context_size_error' && error.code !== 'context_length_exceeded') return undefined;
  return new AishError('model_context_overflow', `The conversation does not fit into the model's context: ${message}`, {
    promptTokens: error.n_prompt_tokens ?? null,
    contextTokens: error.n_ctx ?? null,
  });
}

function parseErrorBody(body: string): EndpointError {
  try {
    return ErrorBody.safeParse(JSON.parse(body)).data?.error ?? {};
  } catch {
    return {}; // a proxy's HTML page, say: shown as the text that it is
  }
}

function readable(text: string, secret: string | null): string {
  const safe = secret === null ? text : text.replaceAll(secret, '[key]');
  const line = safe.replaceAll(/\s+/g, ' ').trim();
  return line.length > MESSAGE_MAX_CHARS ? `${line.slice(0, MESSAGE_MAX_CHARS)}…` : line;
}

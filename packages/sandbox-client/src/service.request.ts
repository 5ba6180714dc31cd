import { setTimeout as pause } from 'node:timers/promises';
import { AishError, PROBLEMS, type ProblemCode } from '@aish/contracts/problems';
import { Problem } from '@aish/contracts/problem-document';

/** The address of a sandbox service, and its token. */
export interface ServiceAddress {
  readonly baseUrl: string;
  readonly token: string;
}

export interface ServiceRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly signal: AbortSignal;
  /**
   * The time limit until the response begins and, if it is read here, ends. Without it, the response is a long stream.
   */
  readonly timeoutMs?: number;
  readonly mediaType?: string;
  readonly body?: string | AsyncIterable<Uint8Array>;
}

/** Pauses before retries, in milliseconds. The idle connection may have ended, or the service may be restarting. */
const AGAIN_AFTER_MS = [100, 500];

/**
 * Sends a request to a sandbox service. An idempotent request (RFC 9110, 9.2.2) is retried when its connection breaks,
 * unless its body is a stream.
 *
 * @returns the response, with any status.
 * @throws AishError `sandbox_unreachable`: nothing has begun, or repeating it is harmless; `sandbox_interrupted`: it
 *   may have begun; `aborted`.
 */
export async function ask(service: ServiceAddress, request: ServiceRequest): Promise<Response> {
  const { method, path, signal, timeoutMs, mediaType, body } = request;
  const bounded = timeoutMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const init: RequestInit & { duplex?: 'half' } = {
    method,
    signal: bounded,
    headers: {
      authorization: `Bearer ${service.token}`,
      ...(mediaType === undefined ? {} : { 'content-type': mediaType }),
    },
    ...(body === undefined
      ? {}
      : { body: body as NonNullable<RequestInit['body']>, ...(typeof body === 'string' ? {} : { duplex: 'half' }) }),
  };
  const isRepeatable = method !== 'POST' && (body === undefined || typeof body === 'string');
  const pauses = isRepeatable ? [...AGAIN_AFTER_MS] : [];
  for (;;) {
    try {
      return await fetch(service.baseUrl + path, init);
    } catch (error) {
      if (signal.aborted && !isTimeout(signal.reason))
        throw new AishError('aborted', 'Cancelled', {}, { cause: error });
      const pauseMs = bounded.aborted ? undefined : pauses.shift();
      if (pauseMs === undefined) throw failureOf(service, method, error);
      await pause(pauseMs);
    }
  }
}

export function interrupted(cause: unknown): AishError {
  return new AishError('sandbox_interrupted', 'The connection to the sandbox was lost during a run', {}, { cause });
}

/** Returns the error in a response. */
export async function problemOf(response: Response): Promise<AishError> {
  const parsed = Problem.safeParse(await response.json().catch((error: unknown) => ({ unreadable: String(error) })));
  if (!parsed.success)
    return new AishError(
      'sandbox_interrupted',
      `The sandbox answered with status ${response.status} and gave no reason`,
    );
  return errorOf(parsed.data);
}

/** Returns the error of a problem document, with its extra fields. */
export function errorOf({ code, ...rest }: Pick<Problem, 'code' | 'detail'>): AishError {
  const { detail, title, type: _type, status: _status, instance: _instance, ...facts } = rest as Partial<Problem>;
  return new AishError(problemCode(code), detail ?? title ?? code, facts);
}

/**
 * Returns the code of a problem. An unknown code becomes the most cautious one, which means that something may have
 * begun.
 */
function problemCode(code: string): ProblemCode {
  return Object.hasOwn(PROBLEMS, code) ? (code as ProblemCode) : 'sandbox_interrupted';
}

function failureOf({ baseUrl }: ServiceAddress, method: string, error: unknown): AishError {
  const codes = codesOf(error);
  // Only a connection that was never made proves that nothing began.
  if (method === 'POST' && !codes.every((code) => NEVER_CONNECTED.has(code))) return interrupted(error);
  const why = isTimeout(error) ? 'not in time' : codes.filter(Boolean).join(', ');
  const message = `The sandbox service at ${baseUrl} does not respond${why === '' ? '' : ` (${why})`}`;
  return new AishError('sandbox_unreachable', message, {}, { cause: error });
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}

const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Returns the codes of an error. A name with several addresses fails with one error for each. */
function codesOf(error: unknown): readonly string[] {
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  if (typeof cause !== 'object' || cause === null) return [''];
  const each: readonly unknown[] = 'errors' in cause && Array.isArray(cause.errors) ? cause.errors : [cause];
  return each.map((one) => (typeof one === 'object' && one !== null && 'code' in one ? String(one.code) : ''));
}

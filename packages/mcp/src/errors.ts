import { AishError, type ProblemCode } from '@aish/contracts/problems';
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { cleanText } from './clean-text.js';

const MESSAGE_MAX_CHARS = 500;

/**
 * Converts an error between aish and a server to an error in aish's words. The server's text is quoted, cleaned and
 * shortened.
 */
export function toMcpError(error: unknown, alias: string): AishError {
  if (error instanceof AishError) return error;
  const message = oneLine(messageOf(error));
  const make = (code: ProblemCode, text: string) =>
    new AishError(code, `MCP server ${alias}: ${text}`, { alias }, { cause: error });
  if (error instanceof UnauthorizedError) return make('mcp_unauthorized', message === '' ? 'not authorized' : message);
  if (error instanceof SdkHttpError) {
    if (error.status === 401 || error.status === 403) return make('mcp_unauthorized', `HTTP ${error.status}`);
    if (error.status >= 500) return make('mcp_unreachable', `HTTP ${error.status}`);
    return make('mcp_refused', [`HTTP ${error.status}`, rpcMessage(error.data.text)].join(''));
  }
  if (error instanceof ProtocolError) return make('mcp_refused', message);
  // The SDK's handshake error hides the cause of a failed connection.
  if (error instanceof SdkError && !(error.cause instanceof SdkError) && isConnectionError(error.cause))
    return make('mcp_unreachable', reasonOf(error.cause));
  if (error instanceof SdkError) return make(CODES[error.code] ?? 'mcp_refused', message);
  if (error instanceof SyntaxError || nameOf(error) === 'ZodError' || nameOf(error) === '$ZodError') {
    return make('mcp_bad_answer', 'its answer does not follow the protocol');
  }
  if (error instanceof DOMException && error.name === 'TimeoutError') return make('mcp_timeout', 'no answer in time');
  if (isConnectionError(error)) return make('mcp_unreachable', reasonOf(error));
  return make('mcp_bad_answer', message);
}

/** Returns the message in a protocol server's refusal. Any other body is ignored, because anything may have sent it. */
function rpcMessage(body: unknown): string {
  const parsed = Refusal.safeParse(typeof body === 'string' ? jsonOf(body) : null);
  return parsed.success ? `: ${oneLine(parsed.data.error.message)}` : '';
}

const Refusal = z.object({ jsonrpc: z.literal('2.0'), error: z.object({ message: z.string() }) });

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Makes the error for a call that its server may have carried out. */
export function lostCall(cause: unknown, alias: string): AishError {
  const why = toMcpError(cause, alias).message;
  return new AishError('mcp_lost', `${why}. The call may have been carried out`, { alias }, { cause });
}

/** Whether a server refused because it has forgotten the session. The request was then not carried out. */
export function isSessionGone(error: unknown): boolean {
  return error instanceof SdkHttpError && error.status === 404;
}

/** The codes of SDK errors. Codes that are missing here are refusals. */
const CODES: Readonly<Partial<Record<SdkErrorCode, ProblemCode>>> = {
  [SdkErrorCode.RequestTimeout]: 'mcp_timeout',
  [SdkErrorCode.NotConnected]: 'mcp_unreachable',
  [SdkErrorCode.ConnectionClosed]: 'mcp_unreachable',
  [SdkErrorCode.SendFailed]: 'mcp_unreachable',
  [SdkErrorCode.InvalidResult]: 'mcp_bad_answer',
  [SdkErrorCode.UnsupportedResultType]: 'mcp_bad_answer',
  [SdkErrorCode.ListPaginationExceeded]: 'mcp_bad_answer',
};

function oneLine(text: string): string {
  return cleanText(text, MESSAGE_MAX_CHARS).replaceAll(/\s+/g, ' ');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** Whether an error comes from fetch or from the system. */
function isConnectionError(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && 'code' in error && typeof error.code === 'string');
}

/**
 * Returns the reason of an error. undici says "fetch failed" and puts the reason into the cause. With several addresses
 * there is one error for each.
 */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const first = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
  return oneLine(messageOf(first));
}

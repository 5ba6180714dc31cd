import {
  request as httpRequest,
  type Agent,
  type ClientRequestArgs,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { pipeline, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { RunSecret } from '@aish/contracts/secrets';
import { concealHeaders, concealer, revealHeaders, revealPath, revealText } from '../secrets/placeholders.js';
import { bracketed, type Target } from './target.js';

/** These headers belong to one hop and not to the message (RFC 9110, 7.6.1), or the proxy sets them itself. */
const NOT_FORWARDED: ReadonlySet<string> = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade expect host'.split(
    ' ',
  ),
);
/** The maximum size of a body that is searched for placeholders, in bytes. */
const REVEALED_BODY_MAX_BYTES = 2 ** 20;

/** One request that the proxy forwards from a command to a server. */
export interface ForwardedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: Target;
  readonly path: string;
  /** The default port of the protocol. */
  readonly usualPort: number;
  /** Connects through the one socket that was judged. */
  readonly connection: Pick<ClientRequestArgs, 'createConnection'> | { readonly agent: Agent };
  /** The secrets that may go to this target. */
  readonly secrets: readonly RunSecret[];
}

/**
 * Forwards a request and its response. In the request, placeholders become values. In the response, values become
 * placeholders again.
 */
export async function forwardRequest(onward: ForwardedRequest): Promise<void> {
  const { request, response, target, secrets, connection } = onward;
  const body = await bodyToSend(request, secrets);
  if (body === 'too large') {
    return refuse(
      response,
      413,
      `aish: a request body that may contain a secret can have at most ${REVEALED_BODY_MAX_BYTES} bytes`,
    );
  }
  const headers = revealHeaders(forwardedHeaders(onward, body), secrets);
  const asked = httpRequest({
    method: request.method,
    path: revealPath(onward.path, secrets),
    headers,
    setHost: false,
    ...connection,
  });
  response.once('close', () => asked.destroy());
  asked.once('response', (reply) => passBack(reply, response, request.method, secrets));
  asked.on('error', (error) => {
    if (response.headersSent) response.destroy();
    else refuse(response, 502, `aish: ${bracketed(target.host)}:${target.port} closed the connection${whyOf(error)}`);
  });
  // `pipeline` is not used here, because a response that arrives before the request is complete must still get through.
  if (body === null) request.pipe(asked);
  else asked.end(body);
}

function passBack(
  reply: IncomingMessage,
  response: ServerResponse,
  method: string | undefined,
  secrets: readonly RunSecret[],
): void {
  const { statusCode = 502, statusMessage } = reply;
  const headers = endToEnd(reply.headers);
  const hasBody = method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
  if (secrets.length === 0) {
    response.writeHead(statusCode, statusMessage, headers);
    pipeline(reply, response, () => undefined);
    return;
  }
  const concealed = concealHeaders(headers as IncomingMessage['headers'], secrets);
  const decoder = hasBody ? decoderFor(reply.headers['content-encoding']) : null;
  if (hasBody) delete concealed['content-length'];
  if (decoder !== null) delete concealed['content-encoding'];
  response.writeHead(statusCode, statusMessage, concealed);
  const replacer = concealer(secrets);
  const conceal = new Transform({
    transform: (piece: Buffer, _, done) => done(null, replacer.push(piece)),
    flush: (done) => done(null, replacer.end()),
  });
  if (decoder === null) pipeline(reply, conceal, response, () => undefined);
  else pipeline(reply, decoder, conceal, response, () => undefined);
}

/**
 * Returns a decoder for an encoding that the proxy did not request. A body with an unknown encoding cannot be searched,
 * so it is passed on unchanged.
 */
function decoderFor(encoding: string | undefined): Transform | null {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'br') return createBrotliDecompress();
  return encoding === 'deflate' ? createInflate() : null;
}

/** Returns the body with its secrets inserted, or null if the body is streamed unchanged. */
async function bodyToSend(
  request: IncomingMessage,
  secrets: readonly RunSecret[],
): Promise<Buffer | 'too large' | null> {
  const inBody = secrets.filter(({ body }) => body);
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (inBody.length === 0 || (length === undefined && encoding === undefined)) return null;
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > REVEALED_BODY_MAX_BYTES) return 'too large';
    pieces.push(piece);
  }
  return Buffer.from(revealText(Buffer.concat(pieces).toString('latin1'), inBody), 'latin1');
}

/** Drops headers that belong to the client's hop, and sets the destination that was judged. */
function forwardedHeaders(
  { request, target, usualPort, secrets, connection }: ForwardedRequest,
  body: Buffer | null,
): OutgoingHttpHeaders {
  const host = target.port === usualPort ? bracketed(target.host) : `${bracketed(target.host)}:${target.port}`;
  // A body without a length is always sent in chunks, even where Node would not do so. Otherwise a part of the body
  // could be taken for the next request.
  const framing = request.headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' };
  const length = body === null ? framing : { 'content-length': body.length };
  // Compressed responses could not be searched for secrets.
  const plain = secrets.length === 0 ? {} : { 'accept-encoding': 'identity' };
  return {
    ...endToEnd(request.headers),
    ...length,
    ...plain,
    host,
    connection: 'agent' in connection ? 'keep-alive' : 'close',
  };
}

/** Returns the headers that do not belong to a single hop. */
export function endToEnd(headers: IncomingMessage['headers']): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => value !== undefined && !NOT_FORWARDED.has(name) && !named.has(name),
    ),
  );
}

export function refuse(response: ServerResponse, status: number, why: string): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(`${why}\n`);
}

/** Returns a reason only for TLS errors, because a person can fix those. */
function whyOf(error: Error): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (!/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code)) return '';
  return `: its certificate is not trusted (${code}); give it with the secret: aish secret set … --certificate FILE`;
}

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

/** Of one hop, not of the message (RFC 9110, 7.6.1), and what the proxy says itself. */
const NOT_FORWARDED: ReadonlySet<string> = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade expect host'.split(
    ' ',
  ),
);
/** Of a body that placeholders are looked for in. */
const REVEALED_BODY_MAX_BYTES = 2 ** 20;

/** One request on its way from a command to a server. */
export interface Onward {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: Target;
  readonly path: string;
  /** The port that goes without saying. */
  readonly usualPort: number;
  /** Who connects: one socket that was judged, and no other. */
  readonly connection: Pick<ClientRequestArgs, 'createConnection'> | { readonly agent: Agent };
  /** Those that may go to this target. */
  readonly secrets: readonly RunSecret[];
}

/** Passes a request on and its answer back: values out, placeholders in. */
export async function sendOnward(onward: Onward): Promise<void> {
  const { request, response, target, secrets, connection } = onward;
  const body = await bodyToSend(request, secrets);
  if (body === 'too large') {
    return refuse(
      response,
      413,
      `aish: a body that a secret may stand in has at most ${REVEALED_BODY_MAX_BYTES} bytes`,
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
    else refuse(response, 502, `aish: ${bracketed(target.host)}:${target.port} broke off${whyOf(error)}`);
  });
  // No pipeline: an answer that comes before the request is whole must still arrive.
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

/** An encoding that was not asked for is opened; one that nobody here knows hides what it echoes, and is passed on. */
function decoderFor(encoding: string | undefined): Transform | null {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'br') return createBrotliDecompress();
  return encoding === 'deflate' ? createInflate() : null;
}

/** Null: as it comes. */
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

/** What is said to the other side of the hop is not said to this one; the destination is the one that was judged. */
function forwardedHeaders(
  { request, target, usualPort, secrets, connection }: Onward,
  body: Buffer | null,
): OutgoingHttpHeaders {
  const host = target.port === usualPort ? bracketed(target.host) : `${bracketed(target.host)}:${target.port}`;
  // A body without a length is framed, also where Node would not by itself: nothing of it can pass for a request.
  const framing = request.headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' };
  const length = body === null ? framing : { 'content-length': body.length };
  // What is packed cannot be looked through for what it echoes.
  const plain = secrets.length === 0 ? {} : { 'accept-encoding': 'identity' };
  return {
    ...endToEnd(request.headers),
    ...length,
    ...plain,
    host,
    connection: 'agent' in connection ? 'keep-alive' : 'close',
  };
}

/** Without what belongs to one hop alone. */
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

/** Only of TLS: it says what a person can mend. */
function whyOf(error: Error): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (!/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code)) return '';
  return `: its certificate is not trusted (${code}); give it with the secret: aish secret set … --certificate FILE`;
}

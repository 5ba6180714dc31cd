import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { BACKUP_MEDIA_TYPE } from '@aish/contracts/backup';
import { FILE_MEDIA_TYPES } from '@aish/contracts/files';
import { AishError } from '@aish/contracts/problems';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

const TIMERS = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Ends a request that has not arrived completely within this time. Node's own `requestTimeout` applies to a whole
 * server, and must be long enough for uploads.
 */
export function expectWhole(request: IncomingMessage, response: ServerResponse, withinMs: number): void {
  const timer = setTimeout(() => {
    if (request.complete) return;
    // This is the form that Node writes. The rest of the body would be read as the next request, so the connection must
    // close.
    if (!response.headersSent) request.socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
    request.socket.destroySoon();
  }, withinMs);
  timer.unref();
  TIMERS.set(request, timer);
  response.once('close', () => clearTimeout(timer));
}

/** Gives this request the maximum time of the server, because its body is a file. */
function mayTakeLong(request: IncomingMessage): void {
  clearTimeout(TIMERS.get(request));
}

/** Milliseconds that a client may take to send a file. */
export const UPLOAD_TIMEOUT_MS = 10 * 60_000;

/** Passes file bodies on as unread streams. The handler that reads such a stream counts its bytes. */
export function acceptRawBodies(app: NestFastifyApplication): void {
  const types = [...Object.values(FILE_MEDIA_TYPES), BACKUP_MEDIA_TYPE];
  const server = app.getHttpAdapter().getInstance();
  server.addContentTypeParser(types, (_request, payload, done) => done(null, payload));
}

/**
 * Returns the body of a request as a stream. It may take as long as uploads may.
 *
 * @throws AishError `unsupported_media_type` if its type is not `type`.
 */
export function rawBody(request: FastifyRequest, type: string): Readable {
  const given = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (given !== type) throw new AishError('unsupported_media_type', `Send the body as ${type}`);
  mayTakeLong(request.raw);
  return request.body as Readable;
}

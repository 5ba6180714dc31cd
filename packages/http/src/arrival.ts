import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { BACKUP_MEDIA_TYPE } from '@aish/contracts/backup';
import { FILE_MEDIA_TYPES } from '@aish/contracts/files';
import { AishError } from '@aish/contracts/problems';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

const TIMERS = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Ends a request that has not arrived whole in this time. Node's own `requestTimeout` is one for a whole server, and has
 * to be long enough for uploads.
 */
export function expectWhole(request: IncomingMessage, response: ServerResponse, withinMs: number): void {
  const timer = setTimeout(() => {
    if (request.complete) return;
    // As Node says it; the rest of the body would be taken for the next request, so the connection goes.
    if (!response.headersSent) request.socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
    request.socket.destroySoon();
  }, withinMs);
  timer.unref();
  TIMERS.set(request, timer);
  response.once('close', () => clearTimeout(timer));
}

/** Lets this request take as long as the server lets any: its body is a file. */
function mayTakeLong(request: IncomingMessage): void {
  clearTimeout(TIMERS.get(request));
}

/** How long a client may take to send a file, milliseconds. */
export const UPLOAD_TIMEOUT_MS = 10 * 60_000;

/** Passes file bodies through as unread streams. The handler that takes one counts its bytes. */
export function acceptRawBodies(app: NestFastifyApplication): void {
  const types = [...Object.values(FILE_MEDIA_TYPES), BACKUP_MEDIA_TYPE];
  const server = app.getHttpAdapter().getInstance();
  server.addContentTypeParser(types, (_request, payload, done) => done(null, payload));
}

/**
 * The body of a request as a stream; it may take as long as uploads may.
 * @throws AishError `unsupported_media_type` when it came as anything but `type`.
 */
export function rawBody(request: FastifyRequest, type: string): Readable {
  const given = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (given !== type) throw new AishError('unsupported_media_type', `Send the body as ${type}`);
  mayTakeLong(request.raw);
  return request.body as Readable;
}

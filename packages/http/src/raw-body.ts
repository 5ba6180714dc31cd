import type { Readable } from 'node:stream';
import { BACKUP_MEDIA_TYPE } from '@aish/contracts/backup';
import { FILE_MEDIA_TYPES } from '@aish/contracts/files';
import { AishError } from '@aish/contracts/problems';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { mayTakeLong } from './arrival.js';

/** How long a client may take to send a file, milliseconds. */
export const UPLOAD_TIMEOUT_MS = 10 * 60_000;

/** Lets bodies that are files through as streams, unread: whoever takes one counts its bytes. */
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

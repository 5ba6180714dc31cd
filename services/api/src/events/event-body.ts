import { Readable } from 'node:stream';
import { EVENT_MAX_BYTES } from '@aish/contracts/incoming-events';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

/** No known sender nests deeper. Deeper JSON could overflow the parser's stack. */
const DEPTH = 60;

const bodies = new WeakMap<FastifyRequest, Buffer>();

/**
 * Keeps the raw bytes of events beside their parsed body, because signatures cover bytes. Must be called before the
 * routes are created.
 */
export function keepEventBodies(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  server.addHook('onRoute', (route) => {
    if (route.url !== '/v1/events/:name' || route.method !== 'POST') return;
    route.bodyLimit = EVENT_MAX_BYTES;
    route.preParsing = async (request, _reply, payload) => {
      const body = await bytesOf(payload);
      bodies.set(request, body);
      return Readable.from([body]);
    };
  });
}

/** Reads the body. One byte over the limit is enough for the next reader to refuse it. */
async function bytesOf(payload: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of payload as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > EVENT_MAX_BYTES) break;
  }
  return Buffer.concat(chunks);
}

/** Returns the raw bytes of a request. */
export const eventBytes = (request: FastifyRequest): Buffer => bodies.get(request) ?? Buffer.alloc(0);

/** Returns whether JSON is nested too deeply to parse. */
export function isTooDeep(json: Buffer): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (inText) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) inText = false;
    } else if (byte === 0x22) inText = true;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > DEPTH) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return false;
}

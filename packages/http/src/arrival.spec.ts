import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { FILE_MEDIA_TYPES } from '@aish/contracts/files';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Module, Post, Put, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { acceptRawBodies, rawBody } from './arrival.js';
import { createLogger } from './logger.js';
import { startService, type RunningService } from './start-service.js';

const LIMIT_MS = 400;

@Controller()
class ArrivalController {
  @Post('words')
  words(@Body({ schema: z.object({ text: z.string() }) }) body: unknown) {
    return body;
  }

  @Put('file')
  async file(@Req() request: FastifyRequest) {
    let sizeBytes = 0;
    for await (const chunk of rawBody(request, FILE_MEDIA_TYPES.file)) sizeBytes += (chunk as Buffer).length;
    return { sizeBytes };
  }

  @Post('slow')
  async slow() {
    await new Promise((resolve) => setTimeout(resolve, LIMIT_MS * 2));
    return { done: true };
  }
}

@Module({ controllers: [ArrivalController] })
class ArrivalModule {}

let service: RunningService;
beforeAll(async () => {
  service = await startService(ArrivalModule, {
    host: '127.0.0.1',
    port: 0,
    logger: createLogger('error', 'test', { write: () => undefined }),
    handleSignals: false,
    requestTimeoutMs: LIMIT_MS,
    configure: acceptRawBodies,
  });
});
afterAll(() => service.app.close());

/** Sends the head and the first half of a body of ten bytes, and the other half after twice the limit. */
async function inHalves(method: string, path: string, type: string, body: string): Promise<string> {
  const socket: Socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  socket.on('error', () => socket.destroy());
  const closed = once(socket, 'close');
  const length = Buffer.byteLength(body);
  socket.write(
    `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`,
  );
  socket.write(body.slice(0, length / 2));
  const rest = setTimeout(() => socket.write(body.slice(length / 2)), LIMIT_MS * 2);
  await closed;
  clearTimeout(rest);
  return answer;
}

describe('a request that arrives slowly', () => {
  it('a request that arrives too slowly is ended with 408', async () => {
    expect(await inHalves('POST', '/words', 'application/json', '{"text":"words"}')).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('a slow file upload may continue beyond the limit for requests', async () => {
    const answer = await inHalves('PUT', '/file', FILE_MEDIA_TYPES.file, '0123456789');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('{"sizeBytes":10}');
  });

  it('a slow request that claims to be a file is ended if its route takes no file', async () => {
    expect(await inHalves('POST', '/words', FILE_MEDIA_TYPES.file, '0123456789')).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  it('a response that takes long is not ended', async () => {
    const response = await fetch(`${service.url}/slow`, { method: 'POST' });
    expect(await response.json()).toEqual({ done: true });
  });
});

import { AishError } from '@aish/contracts/problems';
import { Problem } from '@aish/contracts/problem-document';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  BadRequestException,
  Body,
  Controller,
  Get,
  HttpCode,
  Module,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { bearerMatches } from './bearer.js';
import { createLogger } from './logger.js';
import { SseStream } from './sse-stream.js';
import { startService, type RunningService } from './start-service.js';

const Thing = z.strictObject({ name: z.string().min(1), count: z.int().default(3) });
const List = z.object({ limit: z.coerce.number().int().max(5).default(2) });

const streams: SseStream[] = [];

@Controller()
class EdgeController {
  @Post('things')
  @HttpCode(201)
  create(@Body({ schema: Thing }) thing: unknown) {
    return thing;
  }

  @Get('things')
  list(@Query({ schema: List }) query: unknown) {
    return query;
  }

  @Get('things/:id')
  one(@Param('id', { schema: z.uuid() }) id: string) {
    return { id };
  }

  @Get('address')
  address(@Req() { ip }: FastifyRequest) {
    return { ip };
  }

  @Get('fails/:how')
  fail(@Param('how') how: string) {
    if (how === 'aish') throw new AishError('too_many', 'Come back later', { retryAfterS: 1.5 });
    if (how === 'unauthorized') throw new AishError('unauthorized', 'Send a token');
    if (how === 'nest') throw new BadRequestException('nest says no');
    if (how === 'foreign')
      throw Object.assign(new Error('secret detail of an engine'), { statusCode: 404, code: 'ENGINE' });
    throw new Error('secret detail');
  }

  @Get('stream/:how')
  async stream(@Param('how') how: string, @Res() reply: FastifyReply) {
    const stream = new SseStream(reply, { heartbeatMs: 50, stallMs: 300 });
    streams.push(stream);
    if (how === 'flood') {
      while (await stream.send({ data: 'x'.repeat(100_000) }));
      return;
    }
    await stream.send({ id: '1', event: 'hello\nworld', data: { text: 'line\nbreak' } });
    await stream.send({ data: 'plain' });
    if (how === 'short') stream.end();
  }
}

@Module({ controllers: [EdgeController] })
class EdgeModule {}

const lines: string[] = [];
let service: RunningService;
beforeAll(async () => {
  const logger = createLogger('warn', 'edge', { write: (line: string) => void lines.push(line) });
  service = await startService(EdgeModule, {
    host: '127.0.0.1',
    port: 0,
    logger,
    bodyLimitBytes: 2000,
    handleSignals: false,
    metrics: {
      prometheus: async () => 'aish_up 1\n',
      mayRead: (authorization) => bearerMatches(authorization, 'sixteen-letters!'),
    },
  });
});
afterAll(async () => {
  await service.app.close();
});

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(`${service.url}${path}`, { ...init, signal: AbortSignal.timeout(5_000) });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

async function problem(path: string, init: RequestInit = {}) {
  const { status, headers, body } = await ask(path, init);
  expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  const parsed = Problem.parse(body);
  expect(parsed.status).toBe(status);
  return { ...parsed, headers };
}

const json = (body: string) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body });

describe('startService', () => {
  it('a service logs its address at every log level', () => {
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ msg: 'listening', url: service.url }),
    );
    expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  });

  it('a service fails to start if its port is taken', async () => {
    const port = Number(new URL(service.url).port);
    const logger = createLogger('fatal', 'edge', { write: () => undefined });
    await expect(
      startService(EdgeModule, { host: '127.0.0.1', port, logger, handleSignals: false }),
    ).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});

describe('the address of a client', () => {
  const asked = async (url: string, forwarded?: string) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    return ((await (await fetch(`${url}/address`, { headers })).json()) as { ip: string }).ip;
  };
  const behind = async (...trustedProxies: string[]) => {
    const logger = createLogger('fatal', 'edge', { write: () => undefined });
    return startService(EdgeModule, { host: '127.0.0.1', port: 0, logger, handleSignals: false, trustedProxies });
  };

  it('without a trusted proxy, the address of a client is that of the connection, despite any header', async () => {
    expect(await asked(service.url, '192.0.2.7')).toBe('127.0.0.1');
    const other = await behind('10.0.0.0/8', '127.0.0.2');
    expect(await asked(other.url, '192.0.2.7')).toBe('127.0.0.1');
    await other.app.close();
  });

  it('the address of a client is the one that a trusted proxy reports, not the one that the client claims', async () => {
    const { url, app } = await behind('127.0.0.0/8');
    expect(await asked(url)).toBe('127.0.0.1');
    expect(await asked(url, '192.0.2.7')).toBe('192.0.2.7');
    expect(await asked(url, '2001:db8::7')).toBe('2001:db8::7');
    expect(await asked(url, '198.51.100.1, 192.0.2.7')).toBe('192.0.2.7');
    await app.close();
  });
});

describe('GET /metrics', () => {
  it('only clients with the metrics token can read metrics', async () => {
    const url = `${service.url}/metrics`;
    const refused = await fetch(url);
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ code: 'unauthorized' });
    const wrong = await fetch(url, { headers: { authorization: 'Bearer something-else!!' } });
    expect(wrong.status).toBe(401);
    const answer = await fetch(url, { headers: { authorization: 'Bearer sixteen-letters!' } });
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await answer.text()).toBe('aish_up 1\n');
  });
});

describe('request IDs', () => {
  it('the response returns a valid request ID of the client, and otherwise a generated one', async () => {
    const id = async (given?: string) => {
      const response = await fetch(
        `${service.url}/things`,
        given === undefined ? {} : { headers: { 'x-request-id': given } },
      );
      return response.headers.get('x-request-id');
    };
    expect(await id('from-my-terminal.1')).toBe('from-my-terminal.1');
    expect(await id()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await id('a b')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await id('x'.repeat(65))).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('SchemaPipe', () => {
  it('the schema pipe returns the parsed value with defaults and coercions', async () => {
    expect((await ask('/things', json('{"name":"a"}'))).body).toEqual({ name: 'a', count: 3 });
    expect((await ask('/things?limit=4')).body).toEqual({ limit: 4 });
  });

  it('the error of the schema pipe lists the wrong fields of the body, the query and the path', async () => {
    expect(await problem('/things', json('{"name":"","count":1.5,"x":1}'))).toMatchObject({
      status: 400,
      code: 'invalid_body',
      instance: '/things',
      detail: expect.stringContaining('In the body: name: '),
      errors: [{ path: 'name' }, { path: 'count' }, { path: '', message: expect.stringContaining('"x"') }],
    });
    expect(await problem('/things?limit=9')).toMatchObject({ code: 'invalid_body', errors: [{ path: 'limit' }] });
    expect(await problem('/things/7')).toMatchObject({ code: 'invalid_body', errors: [{ path: 'id' }] });
  });

  it('the schema pipe reports a missing body', async () => {
    expect(await problem('/things', { method: 'POST' })).toMatchObject({
      code: 'invalid_body',
      detail: 'The request has no body. Send a JSON document',
    });
    expect(await problem('/things', json(''))).toMatchObject({
      code: 'invalid_body',
      detail: 'The request has no body. Send a JSON document',
    });
  });
});

describe('ProblemFilter', () => {
  it('an error of Fastify gets the matching problem code', async () => {
    expect(await problem('/things', json('{"name":'))).toMatchObject({ status: 400, code: 'invalid_body', errors: [] });
    expect(await problem('/things', json(`{"name":"${'x'.repeat(3000)}"}`))).toMatchObject({
      status: 413,
      code: 'payload_too_large',
      detail: 'A request body may have at most 2000 bytes',
    });
    const text = { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'a,b' };
    expect(await problem('/things', text)).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    expect(await problem('/nowhere?token=hidden')).toMatchObject({
      status: 404,
      code: 'not_found',
      instance: '/nowhere',
    });
    expect(await problem('/%zz')).toMatchObject({ status: 400, code: 'invalid_body' });
  });

  it('the response for an AishError contains its facts, and Retry-After if one of them is a delay', async () => {
    const answer = await problem('/fails/aish');
    expect(answer).toMatchObject({ status: 429, code: 'too_many', detail: 'Come back later', retryAfterS: 1.5 });
    expect(answer.headers.get('retry-after')).toBe('2');
    expect((await problem('/fails/unauthorized')).headers.get('www-authenticate')).toBe('Bearer');
    expect(await problem('/fails/nest')).toMatchObject({ status: 400, code: 'invalid_body', detail: 'nest says no' });
  });

  it('the message of an unknown error appears only in the log', async () => {
    for (const how of ['unknown', 'foreign']) {
      const before = lines.length;
      const answer = await problem(`/fails/${how}`);
      expect(answer).toMatchObject({ status: 500, code: 'internal' });
      expect(JSON.stringify(answer)).not.toContain('secret detail');
      expect(lines.slice(before).join('')).toContain('secret detail');
      expect(lines.slice(before).join('')).toContain('edge.spec.ts');
    }
  });
});

describe('SseStream', () => {
  it('SseStream sends events in the form that the client parses', async () => {
    const response = await fetch(`${service.url}/stream/short`, { signal: AbortSignal.timeout(5_000) });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(await response.text()).toBe('id: 1\nevent: hello world\ndata: {"text":"line\\nbreak"}\n\ndata: "plain"\n\n');
  });

  it('SseStream sends heartbeats, and notices when the client disconnects', async () => {
    const gone = new AbortController();
    const response = await fetch(`${service.url}/stream/long`, { signal: gone.signal });
    const stream = streams.at(-1);
    let text = '';
    const reader = response.body?.getReader();
    while (!text.endsWith(':\n\n:\n\n')) text += new TextDecoder().decode((await reader?.read())?.value);
    expect(stream?.closed.aborted).toBe(false);
    gone.abort();
    await new Promise<void>((resolve) => {
      if (stream?.closed.aborted) resolve();
      else stream?.closed.addEventListener('abort', () => resolve());
    });
    expect(await stream?.send({ data: 'too late' })).toBe(false);
    stream?.end();
  });

  it('SseStream disconnects a client that does not read', async () => {
    const response = await fetch(`${service.url}/stream/flood`, { signal: AbortSignal.timeout(10_000) });
    const stream = streams.at(-1);
    await new Promise<void>((resolve) => {
      if (stream?.closed.aborted) resolve();
      else stream?.closed.addEventListener('abort', () => resolve());
    });
    await response.body?.cancel().catch(() => undefined);
    expect(stream?.closed.aborted).toBe(true);
  });
});

import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fastify from 'fastify';
import { sendFile, untilGone } from './sending.js';

const app = fastify({ forceCloseConnections: true });
const gone: string[] = [];
let url = '';
beforeAll(async () => {
  app.get('/file', (_, reply) =>
    sendFile(reply, 'application/x-tar', Promise.resolve({ sizeBytes: 3, body: Readable.from([Buffer.from('abc')]) })),
  );
  app.get('/unknown', (_, reply) =>
    sendFile(reply, 'text/html', Promise.resolve({ sizeBytes: null, body: Readable.from([Buffer.from('<b>')]) })),
  );
  app.get('/slow', async (_, reply) => {
    const signal = untilGone(reply);
    signal.addEventListener('abort', () => gone.push('slow'));
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return 'too late';
  });
  app.get('/quick', async (_, reply) => {
    untilGone(reply).addEventListener('abort', () => gone.push('quick'));
    return 'ok';
  });
  url = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

describe('a file that is sent', () => {
  it('a file is sent with its type, the header nosniff, and its size if known', async () => {
    const file = await fetch(`${url}/file`);
    expect([file.headers.get('content-type'), file.headers.get('content-length')]).toEqual(['application/x-tar', '3']);
    expect([file.headers.get('x-content-type-options'), await file.text()]).toEqual(['nosniff', 'abc']);
    const unknown = await fetch(`${url}/unknown`);
    expect([unknown.headers.get('content-length'), await unknown.text()]).toEqual([null, '<b>']);
  });
});

describe('a client that waits for a response', () => {
  it('a client that disconnects early is noticed, but one that already has its response is not', async () => {
    expect(await (await fetch(`${url}/quick`)).text()).toBe('ok');
    await expect(fetch(`${url}/slow`, { signal: AbortSignal.timeout(100) })).rejects.toThrow('timeout');
    for (let look = 0; gone.length === 0 && look < 100; look += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(gone).toEqual(['slow']);
  });
});

import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Deadline } from './deadline.js';
import { bodyOf, exchange } from './exchange.js';

describe('the body of a response', () => {
  let server: http.Server | null = null;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  async function begin(answer: (response: http.ServerResponse) => void, idleTimeoutMs = 60_000) {
    server = http.createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const deadline = new Deadline(new AbortController().signal, 60_000);
    const response = await exchange({ method: 'GET', url, apiKey: null, connectTimeoutMs: 5_000 }, deadline);
    return { response, deadline, body: bodyOf(response, idleTimeoutMs, deadline) };
  }
  const textOf = ({ value }: IteratorResult<Uint8Array, void>): string => Buffer.from(value ?? []).toString();

  it('the reader of a body gets the text from before the connection was cut, and then an error', async () => {
    const { response, deadline, body } = await begin((each) => {
      each.write('one');
      setTimeout(() => each.write('two'), 50);
      setTimeout(() => each.destroy(), 100);
    });
    expect(textOf(await body.next())).toBe('one');
    while (!response.closed) await sleep(10);
    expect(textOf(await body.next())).toBe('two');
    for (let n = 0; n < 2; n += 1) await expect(body.next()).rejects.toMatchObject({ code: 'ECONNRESET' });
    deadline.close();
  });

  it('a late reader gets the whole body and then its end', async () => {
    const { deadline, body } = await begin((each) => each.end('all'));
    await sleep(50);
    expect(textOf(await body.next())).toBe('all');
    expect((await body.next()).done).toBe(true);
    expect((await body.next()).done).toBe(true);
    deadline.close();
  });

  it('the idle timeout of a body runs only while a reader waits for more', async () => {
    const { deadline, body } = await begin((each) => void each.write('one'), 100);
    expect(textOf(await body.next())).toBe('one');
    await sleep(300);
    expect(deadline.signal.aborted).toBe(false);
    await expect(body.next()).rejects.toMatchObject({ code: 'model_timeout', facts: { timeout: 'idle' } });
    deadline.close();
  });

  it('a reader that leaves closes the body', async () => {
    const left: Promise<unknown>[] = [];
    const { deadline, body } = await begin((each) => {
      left.push(once(each, 'close'));
      each.write('one');
    });
    for await (const piece of body) if (piece.length > 0) break;
    expect(await Promise.all(left)).toHaveLength(1); // The connections end when the readers leave.
    deadline.close();
  });
});

import { createServer, request as ask, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../../requirements.js';
import { ApiClient } from '../../support/api.client.js';
import { closeAll } from '../../support/close-all.js';
import { scriptedStack } from '../../support/scripted-stack.js';
import { plan } from '../../support/plan.js';

const WRONG_PER_MINUTE = 3;

/** Starts a proxy like Caddy, which sets the client's address and drops an address that the client claims. */
async function startProxy(
  api: string,
  clientAddress: string,
): Promise<{ readonly url: string; close(): Promise<unknown> }> {
  const server: Server = createServer((request, response) => {
    const headers = { ...request.headers, 'x-forwarded-for': clientAddress };
    const onward = ask(`${api}${request.url}`, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

describe('the api behind a proxy that it trusts', () => {
  const place = scriptedStack(plan('GOAL: complete'), {
    workers: 0,
    env: { TRUSTED_PROXIES: '127.0.0.1/32', WRONG_TOKENS_PER_MINUTE: String(WRONG_PER_MINUTE) },
  });
  const proxies: Awaited<ReturnType<typeof startProxy>>[] = [];
  beforeAll(async () => {
    const { url } = place.stack.client;
    for (const address of ['192.0.2.1', '2001:db8::2']) proxies.push(await startProxy(url, address));
  });
  afterAll(() => closeAll(...proxies.map((proxy) => () => proxy.close())));

  it(
    verifies('api.proxies'),
    async () => {
      const [one, other] = proxies.map(({ url }) => url);
      const status = async (url: string | undefined, token: string) =>
        (
          await new ApiClient(url ?? '', token).request('GET', '/v1/goals', undefined, {
            'x-forwarded-for': '192.0.2.9',
          })
        ).status;
      const guesses: number[] = [];
      for (let n = 0; n <= WRONG_PER_MINUTE; n += 1) guesses.push(await status(one, 'aish_not-a-token'));
      expect(guesses).toEqual([...Array.from({ length: WRONG_PER_MINUTE }, () => 401), 429]);
      // The client that guessed is blocked, even with a good token. Other clients behind the same proxy are not.
      expect(await status(one, place.stack.client.token ?? '')).toBe(429);
      expect(await status(other, place.stack.client.token ?? '')).toBe(200);
    },
    60_000,
  );
});

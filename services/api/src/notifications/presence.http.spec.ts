import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { insertHalt } from '../testing/decisions.fixture.js';
import { TestApi } from '../testing/test-api.js';

describe('notifications while a person is at a terminal', () => {
  let api: TestApi;
  let phone: Server;
  const received: string[] = [];

  beforeAll(async () => {
    phone = createServer((request, response) => {
      received.push(request.url ?? '');
      request.resume();
      response.end();
    });
    await new Promise<void>((resolve) => phone.listen(0, '127.0.0.1', resolve));
    api = await TestApi.start({ NTFY_URL: `http://127.0.0.1:${(phone.address() as AddressInfo).port}/aish` });
  });
  afterAll(async () => {
    await api?.stop();
    phone?.close();
  });

  it('the notification of a HALT is not sent until the person has left the terminal', async () => {
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${api.token}` };
    const notices = await fetch(`${api.url}/v1/notices`, { headers, signal: leaving.signal });
    await api.ask('POST', '/v1/sessions', { body: {} });
    await insertHalt(api.db);
    await sleep(20_000); // longer than the notifier's pause
    expect(received).toEqual([]);
    // Node closes the stream of a response that nothing refers to any more.
    expect(notices.body?.locked).toBe(false);
    leaving.abort();
    for (let tries = 0; received.length === 0 && tries < 300; tries += 1) await sleep(100);
    expect(received).toHaveLength(1);
  }, 60_000);
});

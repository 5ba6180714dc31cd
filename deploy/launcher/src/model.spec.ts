import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { chooseModel, probeModel } from './model.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function endpoint(status: number, body: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const never = new AbortController().signal;

describe('probeModel', () => {
  it.each([
    [200, '{"object":"list","data":[{"id":"m"}]}', 'ready'],
    [503, '{"error":{"message":"Loading model"}}', 'loading'],
    [401, '{"error":{}}', 'refused'],
    [200, '<html>hello</html>', 'not-a-model'],
    [404, 'nothing here', 'not-a-model'],
  ])('probeModel treats status %i with %s as %s', async (status, body, expected) => {
    expect((await probeModel(await endpoint(status, body), null, never)).answer).toBe(expected);
    expect((await probeModel(`${await endpoint(status, body)}/v1/`, null, never)).answer).toBe(expected);
  });

  it.each([
    ['{"data":[{"id":"qwen3-8b.gguf"},{"id":"b"}]}', 'qwen3-8b.gguf'],
    ['{"data":[]}', null],
    ['{"data":[{"id":7}]}', null],
  ])('probeModel reads the name of the first model in %s', async (body, name) => {
    expect(await probeModel(await endpoint(200, body), null, never)).toEqual({ answer: 'ready', name });
  });

  it('an endpoint that does not answer in time counts as silent', async () => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => server.close().closeAllConnections());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect((await probeModel(url, null, never, 200)).answer).toBe('silent');
    expect((await probeModel('http://127.0.0.1:1', null, never)).answer).toBe('silent');
  });
});

describe('chooseModel', () => {
  const facts = { chosenUrl: null, defaultUrl: 'http://127.0.0.1:8080', isDemoWanted: false, name: null } as const;

  it('the launcher uses the default endpoint if it answers, and the demo model if nothing does', () => {
    expect(chooseModel({ ...facts, answer: 'ready', name: 'qwen3-8b' })).toEqual({
      kind: 'endpoint',
      line: 'qwen3-8b answers at http://127.0.0.1:8080.',
    });
    expect(chooseModel({ ...facts, answer: 'loading' }).kind).toBe('endpoint');
    const silent = chooseModel({ ...facts, answer: 'silent' });
    expect(silent.kind).toBe('demo');
    expect(silent.line).toMatch(/No model responds at http:\/\/127\.0\.0\.1:8080, so .* not a language model/);
    expect(chooseModel({ ...facts, answer: 'not-a-model' }).kind).toBe('demo');
  });

  it("the launcher never replaces the user's choice of a model, unless requested", () => {
    const chosen = { ...facts, chosenUrl: 'http://gpu:8080' };
    expect(chooseModel({ ...chosen, answer: 'silent' })).toEqual({
      kind: 'endpoint',
      line: 'No model responds at http://gpu:8080 (FAST_BASE_URL). Goals wait for it.',
    });
    expect(chooseModel({ ...chosen, answer: 'ready', isDemoWanted: true }).kind).toBe('demo');
  });
});

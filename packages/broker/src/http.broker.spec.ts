import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { UNKNOWN_CAPABILITIES, type ModelCapabilities } from '@aish/contracts/models';
import { collectAnswer, type Answer } from './answer.js';
import type { ChatChunk } from './broker.port.js';
import { HttpBroker } from './http.broker.js';

const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
const quick = new HttpBroker({ retry: { attempts: 4, minDelayMs: 20, maxDelayMs: 40 } });
const HANG_MS = 20_000;

const servers: http.Server[] = [];
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Handler = (request: http.IncomingMessage, response: http.ServerResponse, body: string, n: number) => void;

/** Starts a real server that sends what a test tells it to send. */
async function endpoint(handler: Handler, port = 0): Promise<string> {
  let n = 0;
  const server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => handler(request, response, body, (n += 1)));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const preset = (baseUrl: string, more: Partial<Preset> = {}): Preset => ({
  name: 'fast',
  baseUrl,
  model: null,
  temperature: 0.2,
  maxTokens: 64,
  apiKey: null,
  connectTimeoutMs: 5_000,
  idleTimeoutMs: 5_000,
  totalTimeoutMs: HANG_MS,
  ...more,
});

const messages = [{ role: 'user', content: 'hi' }] as const;

function chat(to: Preset, signal = new AbortController().signal, broker = quick): AsyncIterable<ChatChunk> {
  return broker.chat({ preset: to, messages }, signal);
}
const answerOf = (to: Preset, signal?: AbortSignal): Promise<Answer> => collectAnswer(chat(to, signal));

const sse = (response: http.ServerResponse): http.ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });
const json = (response: http.ServerResponse, status: number, body: string): unknown =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);

describe('HttpBroker.chat', () => {
  it('the broker requests a stream with the values of the preset, and returns the answer', async () => {
    const seen: unknown[] = [];
    const url = await endpoint((request, response, body) => {
      seen.push(request.url, request.headers.authorization, JSON.parse(body));
      sse(response).end(fixture('chat-stream-cmd.sse'));
    });
    const to = preset(url, { model: 'm', apiKey: 'k3y' });
    const request = { preset: to, messages, maxTokens: 7, stop: ['\n'] };
    const answer = await collectAnswer(quick.chat(request, new AbortController().signal));
    expect(answer).toMatchObject({ text: 'CMD: ls -la\n', finishReason: 'stop', model: 'tiny' });
    expect(seen).toEqual([
      '/v1/chat/completions',
      'Bearer k3y',
      {
        model: 'm',
        messages,
        temperature: 0.2,
        max_tokens: 7,
        stop: ['\n'],
        stream: true,
        return_progress: true,
        stream_options: { include_usage: true },
        cache_prompt: true,
      },
    ]);
  });

  it('sampling values come from the preset, or from the makers of the model, or are not sent', async () => {
    const sent: unknown[] = [];
    const url = await endpoint((_, response, body) => {
      const { temperature, top_k: topK } = JSON.parse(body) as Record<string, unknown>;
      sent.push([temperature, topK]);
      sse(response).end(fixture('chat-stream-cmd.sse'));
    });
    const known = { ...UNKNOWN_CAPABILITIES, sampling: { values: { temperature: 1, top_k: 64 }, why: 'so they say' } };
    const ask = (to: Preset, capabilities: ModelCapabilities) =>
      collectAnswer(quick.chat({ preset: to, messages, capabilities }, new AbortController().signal));
    await ask(preset(url), known);
    await ask(preset(url, { temperature: null }), known);
    await ask(preset(url, { temperature: null }), UNKNOWN_CAPABILITIES);
    expect(sent).toEqual([
      [0.2, undefined],
      [1, 64],
      [undefined, undefined],
    ]);
  });

  it('the broker reads an answer that arrives byte by byte', async () => {
    const url = await endpoint((_, response) => {
      void (async () => {
        sse(response);
        for (const byte of Buffer.from(fixture('chat-stream-utf8.sse'))) {
          response.write(Buffer.of(byte));
          await new Promise(setImmediate);
        }
        response.end();
      })();
    });
    expect(await answerOf(preset(url))).toMatchObject({ text: 'é✓😀\n', finishReason: 'stop' });
  });

  it('an abort closes the connection of an answer, before headers and in mid-stream', async () => {
    for (const when of ['beforeHeaders', 'midStream']) {
      let closed: Promise<unknown> = Promise.resolve();
      const url = await endpoint((_, response) => {
        closed = new Promise((resolve) => response.once('close', resolve));
        if (when === 'midStream') sse(response).write(fixture('chat-stream-usage.sse').slice(0, 700));
        else setTimeout(() => abort.abort(), 50);
      });
      const abort = new AbortController();
      const chunks: ChatChunk[] = [];
      const run = async (): Promise<void> => {
        for await (const chunk of chat(preset(url), abort.signal)) {
          chunks.push(chunk);
          abort.abort();
        }
      };
      await expect(run()).rejects.toMatchObject({ code: 'aborted' });
      expect(chunks.length).toBe(when === 'midStream' ? 1 : 0);
      await closed;
    }
  });

  it('the broker sends no request with a signal that is already aborted', async () => {
    let asked = false;
    const url = await endpoint(() => (asked = true));
    await expect(answerOf(preset(url), AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' });
    expect(asked).toBe(false);
  });

  it('a reader that leaves early closes the connection of an answer', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const url = await endpoint((_, response) => {
      closed = new Promise((resolve) => response.once('close', resolve));
      sse(response).write(fixture('chat-stream-usage.sse').slice(0, 700));
    });
    for await (const chunk of chat(preset(url))) {
      expect(chunk).toEqual({ type: 'text', text: 'u' });
      break;
    }
    await closed;
  });

  it('the error says which timeout ended a request, and after how long', async () => {
    const silent = await endpoint(() => undefined);
    await expect(answerOf(preset(silent, { totalTimeoutMs: 150, idleTimeoutMs: 20 }))).rejects.toMatchObject({
      code: 'model_timeout',
      facts: { timeout: 'total', afterMs: 150 },
    });
    const stuck = await endpoint((_, response) => sse(response).write(fixture('chat-stream-usage.sse').slice(0, 700)));
    await expect(answerOf(preset(stuck, { idleTimeoutMs: 100 }))).rejects.toMatchObject({
      code: 'model_timeout',
      facts: { timeout: 'idle', afterMs: 100 },
    });
    const to = preset(`http://127.0.0.1:${await deafPort()}`, { connectTimeoutMs: 300 });
    await expect(answerOf(to)).rejects.toMatchObject({
      code: 'model_timeout',
      facts: { timeout: 'connect', afterMs: 300 },
    });
  });

  it('pings reset the idle timeout of an answer', async () => {
    const url = await endpoint((_, response) => {
      void (async () => {
        sse(response);
        for (let i = 0; i < 8; i += 1) {
          response.write(':\n\n');
          await sleep(150);
        }
        response.end(fixture('chat-stream-cmd.sse'));
      })();
    });
    expect(await answerOf(preset(url, { idleTimeoutMs: 1_000 }))).toMatchObject({ text: 'CMD: ls -la\n' });
  });

  it('time that the reader of an answer takes does not count as silence', async () => {
    const url = await endpoint((_, response) => sse(response).end(fixture('chat-stream-usage.sse')));
    const texts: string[] = [];
    for await (const chunk of chat(preset(url, { idleTimeoutMs: 100 }))) {
      if (chunk.type === 'text') texts.push(chunk.text);
      await sleep(150);
    }
    expect(texts.join('')).toBe('ue');
  });

  it('the broker retries while the model is loading', async () => {
    const url = await endpoint((_, response, __, n) => {
      if (n <= 2) json(response, 503, fixture('error-loading-chat.json'));
      else sse(response).end(fixture('chat-stream-cmd.sse'));
    });
    const chunks: ChatChunk[] = [];
    for await (const chunk of chat(preset(url))) chunks.push(chunk);
    expect(chunks.slice(0, 2)).toMatchObject([
      { type: 'retry', reason: 'loading' },
      { type: 'retry', reason: 'loading' },
    ]);
    expect(await collectAnswer(chunks)).toMatchObject({ text: 'CMD: ls -la\n' });
  });

  it('the broker retries while nothing listens', async () => {
    const port = await freePort();
    const broker = new HttpBroker({ retry: { attempts: 100, minDelayMs: 20, maxDelayMs: 50 } });
    const chunks: ChatChunk[] = [];
    for await (const chunk of chat(preset(`http://127.0.0.1:${port}`), undefined, broker)) {
      chunks.push(chunk);
      if (chunks.length === 2) await endpoint((_, r) => sse(r).end(fixture('chat-stream-cmd.sse')), port);
    }
    expect(chunks[0]).toMatchObject({ type: 'retry', reason: 'unreachable' });
    expect(await collectAnswer(chunks)).toMatchObject({ text: 'CMD: ls -la\n' });
  });

  it('a connection that was opened ahead is used once, and replaced if it has ended', async () => {
    const sockets: net.Socket[] = [];
    const asked: number[] = [];
    const url = await endpoint((request, response) => {
      asked.push(sockets.indexOf(request.socket));
      sse(response).end(fixture('chat-stream-cmd.sse'));
    });
    servers.at(-1)?.on('connection', (socket) => sockets.push(socket));
    const broker = new HttpBroker();
    const connected = async (n: number): Promise<void> => {
      while (sockets.length < n) await sleep(5);
    };
    broker.connectAhead(preset(url));
    await connected(1);
    await collectAnswer(chat(preset(url), undefined, broker));
    await collectAnswer(chat(preset(url), undefined, broker));
    expect(asked).toEqual([0, 1]);
    broker.connectAhead(preset(url));
    await connected(3);
    sockets[2]?.destroy();
    await sleep(50);
    await collectAnswer(chat(preset(url), undefined, broker));
    expect(asked).toEqual([0, 1, 3]);
    // This connection is not used, and the endpoint gets its thread back soon.
    broker.connectAhead(preset(url));
    await connected(5);
    await once(sockets[4] as net.Socket, 'close');
    broker.connectAhead(preset(`http://127.0.0.1:${await freePort()}`));
    await sleep(50);
  });

  it('a request that is aborted before it is sent closes the connection that was opened ahead', async () => {
    const sockets: net.Socket[] = [];
    const url = await endpoint((_, response) => response.end());
    servers.at(-1)?.on('connection', (socket) => sockets.push(socket));
    const broker = new HttpBroker();
    broker.connectAhead(preset(url));
    while (sockets.length === 0) await sleep(5);
    const closed = Promise.all(sockets.map((socket) => once(socket, 'close')));
    await expect(collectAnswer(chat(preset(url), AbortSignal.abort(), broker))).rejects.toThrow('cancelled');
    await closed;
  });

  it('a total timeout between two attempts is reported as unreachable, not as a timeout', async () => {
    const nowhere = preset(`http://127.0.0.1:${await freePort()}`, { totalTimeoutMs: 2_000 });
    const patient = new HttpBroker({ retry: { attempts: 1000, minDelayMs: 10_000, maxDelayMs: 10_000 } });
    await expect(collectAnswer(chat(nowhere, undefined, patient))).rejects.toMatchObject({ code: 'model_unreachable' });
  });

  it('the broker gives up after its attempts, and at once if aborted between two', async () => {
    const nowhere = preset(`http://127.0.0.1:${await freePort()}`);
    const run = async (broker: HttpBroker, signal?: AbortSignal, onChunk?: () => void): Promise<number> => {
      let retries = 0;
      try {
        for await (const chunk of chat(nowhere, signal, broker)) {
          if (chunk.type === 'retry') retries += 1;
          onChunk?.();
        }
      } catch (error) {
        throw Object.assign(error as Error, { retries });
      }
      return retries;
    };
    await expect(run(quick)).rejects.toMatchObject({ code: 'model_unreachable', retries: 3 });
    const loading = await endpoint((_, response) => json(response, 503, fixture('error-loading-chat.json')));
    await expect(answerOf(preset(loading))).rejects.toMatchObject({ code: 'model_loading' });
    const abort = new AbortController();
    const patient = new HttpBroker({ retry: { attempts: 3, minDelayMs: 3_600_000, maxDelayMs: 3_600_000 } });
    const aborted = run(patient, abort.signal, () => setTimeout(() => abort.abort(), 20));
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' });
  });

  it('the broker never retries once something was received', async () => {
    let asked = 0;
    const url = await endpoint((_, response) => {
      asked += 1;
      sse(response).write(fixture('chat-stream-usage.sse').slice(0, 700), () => response.destroy());
    });
    await expect(answerOf(preset(url))).rejects.toMatchObject({ code: 'model_bad_stream' });
    expect(asked).toBe(1);
  });

  it('an answer that was cut after its finish reason is complete', async () => {
    const bytes = fixture('chat-stream-cmd.sse');
    const url = await endpoint((_, response) => {
      sse(response).write(bytes.slice(0, bytes.indexOf('data: [DONE]')), () => response.destroy());
    });
    expect(await answerOf(preset(url))).toMatchObject({ text: 'CMD: ls -la\n', finishReason: 'stop' });
  });

  it('a context overflow, a refusal, a broken stream and a missing stream have different errors', async () => {
    const errorOf = async (handler: Handler, more: Partial<Preset> = {}): Promise<unknown> =>
      answerOf(preset(await endpoint(handler), more)).catch((error: unknown) => error);
    expect(await errorOf((_, r) => json(r, 400, fixture('error-context-overflow.json')))).toMatchObject({
      code: 'model_context_overflow',
      facts: { promptTokens: 16_419, contextTokens: 16_384 },
    });
    expect(await errorOf((_, r) => json(r, 401, fixture('error-api-key.json')))).toMatchObject({
      code: 'model_refused',
      facts: { status: 401, message: 'Invalid API Key' },
    });
    expect(await errorOf((_, r) => json(r, 503, '{"error":"overloaded"}'))).toMatchObject({
      code: 'model_refused',
      facts: { status: 503, message: 'overloaded' },
    });
    expect(await errorOf((_, r) => sse(r).end(fixture('error-midway.sse')))).toMatchObject({
      code: 'model_bad_stream',
      facts: { message: 'Context size has been exceeded.' },
    });
    expect(await errorOf((_, r) => json(r, 200, '{"choices":[]}'))).toMatchObject({
      code: 'model_bad_stream',
      message: expect.stringContaining('application/json'),
    });
    expect(await errorOf((_, r) => r.socket?.end('hello\r\n\r\n'))).toMatchObject({ code: 'model_bad_stream' });
  });

  it('the broker never repeats the key in an error, and reads no more of an error than needed', async () => {
    const url = await endpoint((request, response) => {
      const echo = `Incorrect API key: ${request.headers.authorization?.slice(7)} `;
      response.writeHead(418, { 'content-type': 'text/plain' });
      const more = (): void => {
        while (response.write(echo.repeat(1000)));
      };
      response.on('drain', more);
      more();
    });
    const error = await answerOf(preset(url, { apiKey: 'k3y-of-mine' })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'model_refused', facts: { status: 418 } });
    expect(`${JSON.stringify(error)}${String(error)}`).not.toContain('k3y-of-mine');
    expect(JSON.stringify(error).length).toBeLessThan(2_000);
  });
});

describe('HttpBroker.models', () => {
  const models = (to: Preset) => quick.models(to, new AbortController().signal);
  const serve = (replies: Readonly<Record<string, readonly [number, string]>>) =>
    endpoint((request, response) => json(response, ...(replies[request.url ?? ''] ?? ([404, '{}'] as const))));

  it('the broker names the loaded model of a ready endpoint', async () => {
    const url = await serve({ '/v1/models': [200, fixture('models.json')], '/health': [200, '{"status":"ok"}'] });
    expect(await models(preset(url))).toEqual({
      preset: 'fast',
      baseUrl: url,
      model: 'tiny',
      state: 'ready',
      detail: null,
      demo: false,
    });
  });

  it('an endpoint without /health counts as ready under the configured name', async () => {
    const url = await serve({ '/v1/models': [200, fixture('models.json')] });
    expect(await models(preset(url, { model: 'mine' }))).toMatchObject({ model: 'mine', state: 'ready' });
  });

  it('the demo model is recognized under any configured name', async () => {
    const url = await serve({ '/v1/models': [200, '{"data":[{"id":"demo"}]}'] });
    expect(await models(preset(url))).toMatchObject({ model: 'demo', demo: true });
    expect(await models(preset(url, { model: 'mine' }))).toMatchObject({ demo: true });
  });

  it('an endpoint that is loading, refusing, unreachable or silent gets the right state', async () => {
    const loading = [503, fixture('error-loading-chat.json')] as const;
    const early = await serve({ '/v1/models': loading, '/health': loading });
    expect(await models(preset(early))).toMatchObject({ state: 'loading' });
    const listed = await serve({ '/v1/models': [200, fixture('models.json')], '/health': loading });
    expect(await models(preset(listed))).toMatchObject({ state: 'loading' });
    const keyed = await serve({ '/v1/models': [401, fixture('error-api-key.json')], '/health': [200, '{}'] });
    expect(await models(preset(keyed))).toMatchObject({
      state: 'refused',
      detail: expect.stringContaining('Invalid API Key'),
    });
    const foreign = await serve({ '/v1/models': [200, '<html>'] });
    expect(await models(preset(foreign))).toMatchObject({ state: 'refused', detail: 'A web page answers there' });
    const nowhere = preset(`http://127.0.0.1:${await freePort()}`);
    expect(await models(nowhere)).toMatchObject({
      state: 'unreachable',
      detail: expect.stringContaining('ECONNREFUSED'),
    });
    const silent = await endpoint(() => undefined);
    expect(await models(preset(silent))).toMatchObject({
      state: 'unreachable',
      detail: expect.stringMatching(/3000 ms/),
    });
  });

  it('a request for the list of models can be cancelled', async () => {
    const silent = await endpoint(() => undefined);
    await expect(quick.models(preset(silent), AbortSignal.timeout(50))).rejects.toMatchObject({ code: 'aborted' });
  });
});

/** Returns a port that accepts no connection: its process never accepts one, and the kernel's queue for it is full. */
async function deafPort(): Promise<number> {
  const program = `require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {
    require('fs').writeSync(1, String(this.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  })`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<number>((resolve) => child.stdout.once('data', (text) => resolve(Number(text))));
  const fillers = Array.from({ length: 8 }, () => net.connect(port, '127.0.0.1').on('error', () => undefined));
  closers.push(async () => {
    for (const socket of fillers) socket.destroy();
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
  });
  await sleep(100);
  return port;
}

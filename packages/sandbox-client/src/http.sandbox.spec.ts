import { randomUUID } from 'node:crypto';
import { OUTCOME } from '@aish/contracts/testing/outcome';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HttpSandbox } from './http.sandbox.js';

const outcome = { ...OUTCOME, output: 'a' };
const output = `event: output\ndata: ${JSON.stringify({ type: 'output', stream: 'stdout', text: 'a' })}\n\n`;
const exit = `event: exit\ndata: ${JSON.stringify({ type: 'exit', outcome })}\n\n`;
const request = { runId: randomUUID(), workspaceId: randomUUID(), command: 'true' };
const never = new AbortController().signal;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Starts a server that simulates protocol faults, which the real service does not produce on demand. */
async function sandbox(
  answer: (response: http.ServerResponse, request: http.IncomingMessage) => void,
  silenceMs?: number,
): Promise<HttpSandbox> {
  const server = http.createServer((request, response) => answer(response, request));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return new HttpSandbox(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token', silenceMs);
}

const stream = (response: http.ServerResponse): http.ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

async function framesOf(client: HttpSandbox, signal = never): Promise<string[]> {
  const types: string[] = [];
  for await (const frame of client.run(request, signal)) types.push(frame.type);
  return types;
}

describe('a run over HTTP', () => {
  it('a run ends with its exit frame and ignores everything after it', async () => {
    expect(await framesOf(await sandbox((response) => stream(response).end(output + exit + output)))).toEqual([
      'output',
      'exit',
    ]);
  });

  it('a run counts as interrupted if its stream ends or breaks before the exit, because it may have begun', async () => {
    const broken = [
      (response: http.ServerResponse) => stream(response).end(output),
      (response: http.ServerResponse) => stream(response).write(output, () => response.destroy()),
      (response: http.ServerResponse) => stream(response).end('data: {"type":\n\n'),
      (response: http.ServerResponse) => stream(response).end('data: {"type":"exit"}\n\n'),
      (response: http.ServerResponse) => response.destroy(),
      (response: http.ServerResponse) => response.writeHead(502).end('<html>'),
    ];
    for (const answer of broken) {
      await expect(framesOf(await sandbox(answer))).rejects.toMatchObject({ code: 'sandbox_interrupted' });
    }
  });

  it('a run counts as interrupted if neither output nor heartbeats arrive', async () => {
    const beats = await sandbox((response) => {
      stream(response).write(output);
      const beating = setInterval(() => response.write(':\n\n'), 50);
      setTimeout(() => {
        clearInterval(beating);
        response.end(exit);
      }, 1_000);
    }, 500);
    expect(await framesOf(beats)).toEqual(['output', 'exit']);
    const gone = await sandbox((response) => void stream(response).write(output), 500);
    await expect(framesOf(gone)).rejects.toMatchObject({ code: 'sandbox_interrupted' });
  });

  it('a run fails with sandbox_unreachable if no service listens', async () => {
    const server = http.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const nowhere = new HttpSandbox(`http://127.0.0.1:${port}`, 'token');
    await expect(framesOf(nowhere)).rejects.toMatchObject({ code: 'sandbox_unreachable' });
  });

  it('a refused run fails with the code of the service, or as interrupted if the code is unknown', async () => {
    const problem = (code: string) => JSON.stringify({ type: 't', title: 't', status: 503, code, detail: 'd' });
    const refused = await sandbox((response) => response.writeHead(503).end(problem('engine_unavailable')));
    await expect(framesOf(refused)).rejects.toMatchObject({ code: 'engine_unavailable', message: 'd' });
    const lost = await sandbox((response) =>
      stream(response).end(`data: {"type":"error","problem":${problem('run_lost')}}\n\n`),
    );
    await expect(framesOf(lost)).rejects.toMatchObject({ code: 'run_lost' });
    const newer = await sandbox((response) => response.writeHead(503).end(problem('from_the_future')));
    await expect(framesOf(newer)).rejects.toMatchObject({ code: 'sandbox_interrupted' });
  });

  it('an aborted signal closes the connection to a run, before or after the first frame', async () => {
    for (const begin of ['', output]) {
      const leave = new AbortController();
      let closed: Promise<unknown> = Promise.resolve();
      const client = await sandbox((response, incoming) => {
        closed = once(incoming.socket, 'close');
        stream(response).write(`${begin}: here\n\n`);
        setTimeout(() => leave.abort(), 50);
      });
      await expect(framesOf(client, leave.signal)).rejects.toMatchObject({ code: 'aborted' });
      await closed;
    }
  });
});

describe('a connection that breaks before the answer', () => {
  const policy = { mode: 'none' } as const;

  /** Breaks the first `broken` connections and counts the requests. */
  async function breaking(broken: number): Promise<{ client: HttpSandbox; asked: string[] }> {
    const asked: string[] = [];
    const client = await sandbox((response, request) => {
      asked.push(request.method ?? '');
      if (asked.length <= broken) request.socket.destroy();
      else response.end(JSON.stringify(policy));
    });
    return { client, asked };
  }

  it('an idempotent request is retried a few times when its connection breaks', async () => {
    const first = await breaking(1);
    await first.client.networkPolicy('w', never);
    expect(first.asked).toEqual(['GET', 'GET']);
    const twice = await breaking(2);
    await twice.client.setNetworkPolicy('w', policy, never);
    expect(twice.asked).toEqual(['PUT', 'PUT', 'PUT']);
    const always = await breaking(99);
    await expect(always.client.networkConnections('w', never)).rejects.toMatchObject({
      code: 'sandbox_unreachable',
      message: expect.stringMatching(/does not respond \(\w+\)$/),
    });
    expect(always.asked).toHaveLength(3);
  });

  it('a run is never retried when its connection breaks', async () => {
    const { client, asked } = await breaking(99);
    await expect(framesOf(client)).rejects.toMatchObject({ code: 'sandbox_interrupted' });
    expect(asked).toEqual(['POST']);
  });
});

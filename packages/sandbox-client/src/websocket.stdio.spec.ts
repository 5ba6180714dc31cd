import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { StdioRequest } from '@aish/contracts/stdio';
import { WebSocketServer, type WebSocket } from 'ws';
import { WebSocketStdio } from './websocket.stdio.js';

const never = new AbortController().signal;
const request = StdioRequest.parse({
  id: randomUUID(),
  name: 'files',
  image: null,
  command: ['mcp'],
  env: {},
  limits: {},
  network: { mode: 'none' },
  secrets: [],
});
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Plays the sandbox's end of the connection, for events that real programs do not produce on demand. */
async function programs(play: (socket: WebSocket, say: (text: string) => void) => void) {
  const received: unknown[] = [];
  const server = http.createServer();
  const sockets = new WebSocketServer({ server, path: '/v1/stdio' });
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => received.push(JSON.parse((data as Buffer).toString())));
    play(socket, (text) => socket.send(text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    for (const socket of sockets.clients) socket.terminate();
    await new Promise((resolve) => server.close(resolve));
  });
  const lines: string[] = [];
  const errors: string[] = [];
  const stdio = new WebSocketStdio(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token');
  const handlers = {
    onLine: (line: string) => void lines.push(line),
    onStderr: (text: string) => void errors.push(text),
  };
  return { received, lines, errors, start: (signal = never) => stdio.start(request, handlers, signal) };
}

const frame = (value: unknown) => JSON.stringify(value);

describe('a program over stdin and stdout', () => {
  it('a program is started, used line by line, and ends with its exit code', async () => {
    const { received, lines, errors, start } = await programs((socket, say) => {
      socket.once('message', () => {
        say(frame({ type: 'started' }));
        say('no json');
        say(frame({ type: 'from-the-future' }));
        socket.once('message', () => {
          say(frame({ type: 'stderr', text: 'warm' }));
          say(frame({ type: 'line', text: 'pong' }));
          say(frame({ type: 'exit', exitCode: 3, outOfMemory: false }));
          socket.close(1000);
        });
      });
    });
    const program = await start();
    program.send('ping');
    expect(await program.ended).toEqual({ exitCode: 3, outOfMemory: false, detail: 'exit code 3' });
    expect([received, lines, errors]).toEqual([[request, { type: 'line', text: 'ping' }], ['pong'], ['warm']]);
    program.send('too late');
    await program.close();
  });

  it('a refused program fails with the code of the service, or as interrupted if the code is unknown', async () => {
    for (const [code, known] of [
      ['image_missing', 'image_missing'],
      ['from_the_future', 'sandbox_interrupted'],
    ]) {
      const { start } = await programs((socket, say) =>
        socket.once('message', () => say(frame({ type: 'error', problem: { code, detail: 'because' } }))),
      );
      await expect(start()).rejects.toMatchObject({ code: known, message: 'because' });
    }
  });

  it('a program is lost if its connection breaks, before its start or afterwards', async () => {
    const early = await programs((socket) => socket.once('message', () => socket.terminate()));
    await expect(early.start()).rejects.toMatchObject({ code: 'sandbox_interrupted' });
    const late = await programs((socket, say) =>
      socket.once('message', () => {
        say(frame({ type: 'started' }));
        setTimeout(() => socket.terminate(), 20);
      }),
    );
    const program = await late.start();
    expect(await program.ended).toMatchObject({ exitCode: null, detail: 'the connection to the sandbox was lost' });
  });

  it('starting a program fails if its signal aborts', async () => {
    const { start } = await programs(() => undefined);
    await expect(start(AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' });
    const leave = new AbortController();
    const starting = start(leave.signal);
    setTimeout(() => leave.abort(), 50);
    await expect(starting).rejects.toMatchObject({ code: 'aborted' });
  });

  it('starting a program fails if no service listens', async () => {
    const nowhere = new WebSocketStdio('http://127.0.0.1:9', 'token');
    const handlers = { onLine: () => undefined, onStderr: () => undefined };
    await expect(nowhere.start(request, handlers, never)).rejects.toMatchObject({ code: 'sandbox_unreachable' });
  });
});

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { StdioFrame, StdioRequest } from '@aish/contracts/stdio';
import { createLogger, type RunningService } from '@aish/http';
import { WebSocket } from 'ws';
import { cleanUp, newTestSettings, until, type TestSettings } from '../../testing/sandbox.fixture.js';
import { startSandbox } from '../start-sandbox.js';

jest.setTimeout(60_000);

const VALUE = 'tmdb_S3cr3t/With+Signs==';
const CLEAR = 'restic-password-in-clear';
/** This program executes the commands that it receives, one line at a time. */
const OBEYS = ['bash', '-c', 'while read -r line; do eval "$line" 2>&1; echo "<end>"; done'];

let ground: TestSettings;
let service: RunningService;
let web: Server;
let port: number;
let closedToIt: Server;
const requests: { readonly at: 'home' | 'elsewhere'; readonly authorization: string }[] = [];
const open: WebSocket[] = [];

async function listening(at: 'home' | 'elsewhere'): Promise<Server> {
  const server = createServer(({ headers }, response) => {
    const { authorization = '' } = headers;
    requests.push({ at, authorization });
    response.setHeader('connection', 'close').end(`you sent ${authorization}\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
const portOf = (server: Server) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  ground = await newTestSettings();
  const logger = createLogger('warn', 'sandbox', { write: () => undefined });
  service = await startSandbox(ground.config, logger, { version: '0.0.0', handleSignals: false });
  web = await listening('home');
  closedToIt = await listening('elsewhere');
  port = portOf(web);
});
afterEach(() => {
  requests.length = 0;
  for (const socket of open.splice(0)) socket.terminate();
});
afterAll(async () => {
  await service?.app.close();
  web?.close();
  closedToIt?.close();
  if (ground !== undefined) await cleanUp(ground);
});

/** Starts the program as the api would, for a space with access. */
async function program(over: Partial<StdioRequest> = {}) {
  const request: StdioRequest = StdioRequest.parse({
    id: randomUUID(),
    name: 'obeys',
    command: OBEYS,
    image: null,
    env: { GREETING: 'hello' },
    limits: { memoryMb: 96 },
    network: { mode: 'allow', rules: [{ host: '127.0.0.1', ports: [port], private: true }] },
    secrets: [
      {
        name: 'HOME_TOKEN',
        value: VALUE,
        placeholder: 'aish-secret-0123456789abcdefghij',
        targets: [{ host: '127.0.0.1', port, tls: false }],
        body: false,
        certificate: null,
      },
      {
        name: 'RESTIC_PASSWORD',
        value: CLEAR,
        placeholder: 'aish-secret-abcdefghij0123456789',
        targets: [],
        body: false,
        certificate: null,
        exposed: true,
      },
    ],
    ...over,
  });
  const socket = new WebSocket(`${service.url.replace(/^http/, 'ws')}/v1/stdio`, {
    headers: { authorization: `Bearer ${ground.config.SANDBOX_TOKEN}` },
  });
  open.push(socket);
  const frames: StdioFrame[] = [];
  socket.on('message', (data: Buffer) => frames.push(StdioFrame.parse(JSON.parse(data.toString()))));
  await once(socket, 'open');
  socket.send(JSON.stringify(request));
  await until(() => Promise.resolve(frames.length > 0), 'it says something');
  const [begin] = frames;
  const stderr = () => frames.flatMap((frame) => (frame.type === 'stderr' ? [frame.text] : [])).join('');
  const tell = async (line: string): Promise<string> => {
    const from = frames.length;
    socket.send(JSON.stringify({ type: 'line', text: line }));
    const linesSince = () => frames.slice(from).flatMap((frame) => (frame.type === 'line' ? [frame.text] : []));
    await until(() => Promise.resolve(linesSince().includes('<end>')), `an answer to ${line}`);
    return linesSince().slice(0, -1).join('\n');
  };
  return { id: request.id, socket, tell, stderr, begin };
}

const CALL = `curl -sS --noproxy '' -H "Authorization: Bearer $HOME_TOKEN"`;

describe('a stdio program with the access of a space', () => {
  it('a stdio program uses a secret without seeing it: its host gets the value, and an echo has the placeholder', async () => {
    const { tell } = await program();
    expect(await tell(`${CALL} http://127.0.0.1:${port}/`)).toBe('you sent Bearer aish-secret-0123456789abcdefghij');
    expect(requests).toEqual([{ at: 'home', authorization: `Bearer ${VALUE}` }]);
    const everything = await tell('env; cat /proc/*/environ | tr "\\0" "\\n"; set; ls -R /run/aish /workspace');
    expect(everything).toContain('GREETING=hello');
    expect(everything).toContain('NODE_USE_ENV_PROXY=1');
    expect(everything).toContain('HOME_TOKEN=aish-secret-');
    expect(everything).not.toContain(VALUE);
    expect(await tell('cat /sys/fs/cgroup/memory.max 2> /dev/null || cat /sys/fs/cgroup/memory/memory.limit_in_bytes')).toBe(String(96 * 2 ** 20)); // prettier-ignore
  });

  it('a stdio program cannot reach another host, even with the secret, and its log says what was refused', async () => {
    const { tell, stderr } = await program();
    const other = portOf(closedToIt);
    expect(await tell(`${CALL} http://127.0.0.1:${other}/`)).toMatch(/is refused: no rule allows it/);
    expect(await tell(`curl -sS -m 2 --noproxy '*' http://127.0.0.1:${other}/`)).toMatch(/Could not connect|refused/i);
    expect(requests).toEqual([]);
    await until(() => Promise.resolve(stderr().includes(`127.0.0.1:${other} is refused`)), 'stderr reports it');
  });

  it('a stdio program gets an exposed secret if a person allowed it, and its output has the placeholder', async () => {
    const { tell } = await program();
    expect(await tell('printf %s "$RESTIC_PASSWORD" | sha256sum | cut -c1-8; echo "<$RESTIC_PASSWORD>"')).toBe(
      `30ae0211\n<aish-secret-abcdefghij0123456789>`,
    );
    expect(await tell('printf %s "$RESTIC_PASSWORD" | base64; printf %s "$RESTIC_PASSWORD" | od -An -tx1 | tr -d " \\n"; echo')).not.toMatch(new RegExp(`${Buffer.from(CLEAR).toString('base64').slice(4, -4)}|${Buffer.from(CLEAR).toString('hex')}`)); // prettier-ignore
  });

  it('a host name that contains an exposed secret is not reported', async () => {
    const { tell, stderr } = await program();
    const answer = await tell('curl -sS --noproxy "" "http://$RESTIC_PASSWORD.example.org/"');
    expect(answer).toContain('is refused: its name holds a secret');
    await until(() => Promise.resolve(stderr().includes('a-name-that-holds-a-secret')), 'stderr reports it');
    expect(answer + stderr()).not.toContain(CLEAR);
  });

  it('a stdio program without a space has no network access', async () => {
    const { tell } = await program({ network: { mode: 'none' }, secrets: [] });
    expect(await tell(`env | grep -ci proxy; ls /run/aish; curl -sS -m 2 http://127.0.0.1:${port}/`)).toMatch(
      /^0\n.*No such file.*\n.*Could not connect/s,
    );
    expect(requests).toEqual([]);
  });

  it('a stdio program whose space has a GPU does not start if the sandbox offers none', async () => {
    const { begin } = await program({ limits: { gpus: true } });
    expect(begin).toMatchObject({ type: 'error', problem: { code: 'invalid_config' } });
  });

  it('the network access of a stdio program ends with the program', async () => {
    const { id, socket } = await program();
    const folder = join(ground.config.SANDBOX_STATE_DIR, 'network', id);
    expect(existsSync(folder)).toBe(true);
    socket.close();
    await until(() => Promise.resolve(!existsSync(folder)), 'its socket is gone');
  });
});

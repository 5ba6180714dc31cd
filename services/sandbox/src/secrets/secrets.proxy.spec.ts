import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NetworkPolicy, type NetworkConnection } from '@aish/contracts/network';
import type { RunSecret } from '@aish/contracts/secrets';
import { EgressProxy } from '../network/egress.proxy.js';
import { Authority } from './authority.js';

jest.setTimeout(60_000);
const run = promisify(execFile);

const VALUE = 'glsa_S3cr3t/With+Signs==';
const PLACEHOLDER = 'aish-secret-0123456789abcdefghij';

interface Seen {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let folder: string;
let proxy: EgressProxy;
let relay: TcpServer;
let relayPort: number;
let secure: Server;
let other: Server;
let plain: Server;
let secret: RunSecret;
let secrets: RunSecret[];
let serverPem: string;
let authorityFile: string;
const seen: Seen[] = [];
const relayed = new Set<Socket>();
const admitted: NetworkConnection[] = [];
const failures: unknown[] = [];
const portOf = (server: Server | TcpServer) => (server.address() as AddressInfo).port;

/** Counts the bytes that were sent to `/sink`, and records the peak memory of this process during that time, in MiB. */
const sunk = { bytes: 0, peakMb: 0 };

function serve(request: IncomingMessage, response: ServerResponse): void {
  if (request.url === '/sink') return void sink(request, response);
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const body = Buffer.concat(pieces).toString();
    const { url = '', headers } = request;
    seen.push({ url, headers, body });
    if (url === '/away')
      return void response.writeHead(302, { location: `https://127.0.0.2:${portOf(other)}/there` }).end();
    if (url === '/gzip') {
      response.setHeader('content-encoding', 'gzip');
      return void response.end(gzipSync(`zipped ${headers.authorization}`));
    }
    if (url === '/big') return void response.end(Buffer.alloc(32 * 2 ** 20, 'x'));
    response.setHeader('x-echo', headers.authorization ?? 'none');
    // The response is cut inside the value, so that no piece contains the whole value.
    const text = `you sent ${headers.authorization} and ${url} and ${body}`;
    response.write(text.slice(0, 20));
    setTimeout(() => response.end(text.slice(20)), 30);
  });
}

async function sink(request: IncomingMessage, response: ServerResponse): Promise<void> {
  for await (const piece of request) {
    sunk.bytes += (piece as Buffer).length;
    sunk.peakMb = Math.max(sunk.peakMb, process.memoryUsage().rss / 2 ** 20);
  }
  response.end(request.headers['transfer-encoding'] ?? request.headers['content-length']);
}

/** Begins a WebSocket through the proxy, as a command would. Returns the response up to `until`. */
async function upgraded(target: Server, send: string, until: string): Promise<string> {
  const socket = connect(relayPort, '127.0.0.1');
  const place = `127.0.0.1:${portOf(target)}`;
  socket.write(`CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n\r\n`);
  await once(socket, 'data');
  const secured = connectTls({ socket, host: '127.0.0.1', ca: await readFile(authorityFile) });
  const head = ['GET /socket HTTP/1.1', `Host: ${place}`, 'Connection: Upgrade', 'Upgrade: websocket', `Authorization: Bearer ${PLACEHOLDER}`]; // prettier-ignore
  secured.write(`${head.join('\r\n')}\r\n\r\n`);
  let received = '';
  let isSent = false;
  for await (const piece of secured) {
    received += String(piece);
    if (!isSent && received.includes('\r\n\r\n')) {
      secured.write(send);
      isSent = true;
    }
    if (received.includes(until)) break;
  }
  return received;
}

/** Runs curl as a command would, through the relay's port and with the container's bundle of authorities. */
async function curl(...args: string[]): Promise<{ readonly out: string; readonly code: number }> {
  const proxied = ['-sS', '-i', '--max-time', '20', '-x', `http://127.0.0.1:${relayPort}`, '--cacert', authorityFile];
  try {
    const { stdout } = await run('curl', [...proxied, ...args], { maxBuffer: 2 ** 27 });
    return { out: stdout, code: 0 };
  } catch (error) {
    const { stdout, stderr, code } = error as { stdout: string; stderr: string; code: number };
    return { out: stdout + stderr, code };
  }
}
const at = (server: Server, path: string, host = '127.0.0.1') => `https://${host}:${portOf(server)}${path}`;
const BEARER = ['-H', `Authorization: Bearer ${PLACEHOLDER}`];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aish-secrets-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=grafana.lan', '-addext', 'subjectAltName=DNS:grafana.lan'];
  await run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    cert,
    ...subject,
  ]);
  serverPem = await readFile(cert, 'utf8');
  const identity = { key: await readFile(key), cert: serverPem };
  secure = createSecureServer(identity, serve);
  other = createSecureServer(identity, serve);
  plain = createServer(serve);
  for (const [server, host] of [
    [secure, '127.0.0.1'],
    [other, '127.0.0.2'],
    [plain, '127.0.0.1'],
  ] as const) {
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
  }
  const authority = new Authority(join(folder, 'authority'));
  authorityFile = join(folder, 'bundle.pem');
  await writeFile(authorityFile, `${await authority.certificate()}\n${serverPem}`);
  const path = join(folder, 'proxy.sock');
  const ports = [secure, other, plain].map(portOf);
  const rules = NetworkPolicy.parse({
    mode: 'allow',
    rules: ['127.0.0.1', '127.0.0.2'].map((host) => ({ host, ports, private: true })),
  });
  proxy = new EgressProxy({
    policy: () => rules,
    admit: (connection) => {
      admitted.push(connection);
      return connection;
    },
    resolve: () => Promise.resolve([]),
    failed: (error) => failures.push(error),
    secrets: () => secrets,
    authority,
  });
  await proxy.listen(path);
  relay = createTcpServer((socket) => {
    relayed.add(socket);
    const onward = connect(path);
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  relayPort = portOf(relay);
});
afterAll(async () => {
  for (const server of [secure, other, plain]) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  await proxy.close();
  for (const socket of relayed) socket.destroy();
  await new Promise((resolve) => relay.close(resolve));
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  for (const list of [seen, admitted, failures]) list.length = 0;
  secret = {
    name: 'GRAFANA_TOKEN',
    value: VALUE,
    placeholder: PLACEHOLDER,
    targets: [{ host: '127.0.0.1', port: portOf(secure), tls: true }],
    exposed: false,
    body: false,
    certificate: serverPem,
  };
  secrets = [secret];
});

describe('a secret that a command does not see', () => {
  it('a secret reaches its server in headers, inside Basic credentials, and in the query', async () => {
    await curl(...BEARER, at(secure, `/api?key=${PLACEHOLDER}`));
    await curl('-u', `me:${PLACEHOLDER}`, at(secure, '/basic'));
    expect(seen[0]).toMatchObject({
      url: `/api?key=${encodeURIComponent(VALUE)}`,
      headers: { authorization: `Bearer ${VALUE}`, host: `127.0.0.1:${portOf(secure)}` },
    });
    expect(seen[1]?.headers.authorization).toBe(`Basic ${Buffer.from(`me:${VALUE}`).toString('base64')}`);
    expect(failures).toEqual([]);
  });

  it('an echoed secret becomes a placeholder again, in headers, split bodies and compressed bodies', async () => {
    const { out } = await curl(...BEARER, at(secure, `/api?key=${PLACEHOLDER}`));
    const zipped = await curl(...BEARER, '--compressed', at(secure, '/gzip'));
    expect(out).toContain(`x-echo: Bearer ${PLACEHOLDER}`);
    expect(out).toContain(`you sent Bearer ${PLACEHOLDER} and /api?key=${PLACEHOLDER}`);
    expect(zipped.out).toContain(`zipped Bearer ${PLACEHOLDER}`);
    for (const text of [out, zipped.out]) {
      for (const form of [VALUE, encodeURIComponent(VALUE)]) expect(text).not.toContain(form);
    }
  });

  it('a secret is inserted into a body only if that is allowed', async () => {
    const body = ['--data-binary', `token=${PLACEHOLDER}`];
    await curl(...body, at(secure, '/post'));
    secrets = [{ ...secret, body: true }];
    await curl(...body, at(secure, '/post'));
    expect(seen.map(({ body: sent }) => sent)).toEqual([`token=${PLACEHOLDER}`, `token=${VALUE}`]);
    const file = join(folder, 'large');
    await writeFile(file, 'x'.repeat(2 ** 20 + 1));
    const tooLarge = await curl('--data-binary', `@${file}`, at(secure, '/post'));
    expect(tooLarge.out).toContain('413');
  });

  it('every other host gets the placeholder of a secret, even after a redirect or without TLS', async () => {
    secrets = [{ ...secret, certificate: serverPem }];
    await curl(...BEARER, at(other, '/elsewhere', '127.0.0.2'), '-k');
    await curl('-L', '--location-trusted', '-k', ...BEARER, at(secure, '/away'));
    await curl(...BEARER, `http://127.0.0.1:${portOf(plain)}/plain`);
    const headersSeen = seen.map(({ url, headers }) => [url, headers.authorization]);
    expect(headersSeen).toEqual([
      ['/elsewhere', `Bearer ${PLACEHOLDER}`],
      ['/away', `Bearer ${VALUE}`],
      ['/there', `Bearer ${PLACEHOLDER}`],
      ['/plain', `Bearer ${PLACEHOLDER}`],
    ]);
  });

  it('an upload to a pastebin never contains a secret, in any encoding, but only its placeholder', async () => {
    const pastebin = at(other, '/paste', '127.0.0.2');
    const file = join(folder, 'paste');
    await writeFile(file, `token: ${PLACEHOLDER}\n`);
    for (const allowed of [false, true]) {
      secrets = [{ ...secret, body: allowed }];
      await curl('-k', '-T', file, pastebin);
      await curl('-k', '-F', `file=@${file}`, pastebin);
      await curl('-k', '-u', `me:${PLACEHOLDER}`, '--data-urlencode', `text@${file}`, `${pastebin}?t=${PLACEHOLDER}`);
      await curl('-T', file, `http://127.0.0.1:${portOf(plain)}/paste`);
    }
    expect(seen).toHaveLength(8);
    for (const request of seen) {
      const requestText =
        JSON.stringify(request) + Buffer.from(String(request.headers.authorization)).toString('latin1');
      expect(requestText).not.toContain(VALUE);
      expect(requestText).not.toContain(encodeURIComponent(VALUE));
      expect(requestText).not.toContain(Buffer.from(`me:${VALUE}`).toString('base64'));
    }
    expect(seen.map(({ body }) => body).join()).toContain(PLACEHOLDER);
  });

  it('a secret is sent without TLS only if a person allowed it', async () => {
    secrets = [{ ...secret, targets: [{ host: '127.0.0.1', port: portOf(plain), tls: false }] }];
    const { out } = await curl(...BEARER, `http://127.0.0.1:${portOf(plain)}/plain`);
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${VALUE}`);
    expect(out).not.toContain(VALUE);
  });

  it('a secret is not sent to a server with an untrusted certificate, and the error says what to do', async () => {
    secrets = [{ ...secret, certificate: null }];
    const { out } = await curl(...BEARER, at(secure, '/api'));
    expect(out).toContain('502');
    expect(out).toContain('--certificate');
    expect(seen).toEqual([]);
  });

  it('a secret is not sent to an impostor, even with a certificate from a trusted authority', async () => {
    const authority = new Authority(join(folder, 'stranger'));
    secrets = [{ ...secret, certificate: await authority.certificate() }];
    await curl(...BEARER, at(secure, '/api'));
    expect(seen).toEqual([]);
  });

  it('a request with a secret has the Host header of its target, even if the command sent another one', async () => {
    await curl(...BEARER, '-H', 'Host: evil.example', at(secure, '/api'));
    expect(seen[0]?.headers.host).toBe(`127.0.0.1:${portOf(secure)}`);
  });
});

describe('connections with terminated TLS', () => {
  it('a connection with terminated TLS carries several requests, large responses and large uploads', async () => {
    const big = await curl(...BEARER, at(secure, '/big'), at(secure, '/api'));
    expect(big.out.length).toBeGreaterThan(32 * 2 ** 20);
    expect(seen.map(({ url }) => url)).toEqual(['/big', '/api']);
    const file = join(folder, 'upload');
    await writeFile(file, Buffer.alloc(16 * 2 ** 20, 'y'));
    await curl('-T', file, at(secure, '/up'));
    expect(seen.at(-1)?.body.length).toBe(16 * 2 ** 20);
    expect(failures).toEqual([]);
  });

  it('a large upload is streamed with or without a length, and only little of it is in memory at a time', async () => {
    const file = join(folder, 'huge');
    await run('truncate', ['-s', '120M', file]);
    const before = process.memoryUsage().rss / 2 ** 20;
    const whole = await curl(...BEARER, '-T', file, at(secure, '/sink'));
    const chunked = await curl(...BEARER, '-H', 'Transfer-Encoding: chunked', '-T', file, at(secure, '/sink'));
    expect([whole.out.split('\r\n').at(-1), chunked.out.split('\r\n').at(-1)]).toEqual([
      String(120 * 2 ** 20),
      'chunked',
    ]);
    expect(sunk.bytes).toBe(240 * 2 ** 20);
    expect(sunk.peakMb - before).toBeLessThan(120);
  });

  it('a WebSocket request carries the secret, and its bytes pass in both directions', async () => {
    secure.once('upgrade', (request: IncomingMessage, socket: Socket) => {
      seen.push({ url: request.url ?? '', headers: request.headers, body: '' });
      const echo = `X-Echo: ${request.headers.authorization}`;
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${echo}\r\n\r\n`);
      socket.on('data', (piece: Buffer) => socket.end(`back: ${piece.toString()}`));
    });
    const answered = await upgraded(secure, 'a frame', 'back: a frame');
    expect(seen[0]?.headers).toMatchObject({ authorization: `Bearer ${VALUE}`, upgrade: 'websocket' });
    expect(answered).toMatch(/^HTTP\/1\.1 101 /);
    expect(answered).toContain(`Bearer ${PLACEHOLDER}`);
    expect(answered).not.toContain(VALUE);
  });

  it('the proxy offers HTTP/1.1 to a client that asks for HTTP/2', async () => {
    const { out } = await curl('--http2', ...BEARER, at(secure, '/api'));
    expect(out).toMatch(/^HTTP\/1\.1 200/m);
  });

  it('a connection whose client does not trust our certificate is reported with that reason', async () => {
    const { code } = (await run('curl', ['-sS', '-x', `http://127.0.0.1:${relayPort}`, at(secure, '/api')]).catch(
      (error: { code: number }) => error,
    )) as { code: number };
    expect(code).toBe(60);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(admitted.at(-1)).toMatchObject({ allowed: false, reason: expect.stringContaining('does not trust') });
  });

  it('a connection without a secret passes through the tunnel unchanged', async () => {
    secrets = [];
    await curl(...BEARER, '-k', at(secure, '/api'));
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${PLACEHOLDER}`);
  });
});

it('the key of the authority is readable only by this service, and stays the same after a restart', async () => {
  const path = join(folder, 'authority', 'authority.pem');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const again = new Authority(join(folder, 'authority'));
  const first = new Authority(join(folder, 'authority'));
  expect(await again.certificate()).toBe(await first.certificate());
  expect(await again.certificate()).not.toContain('PRIVATE');
});

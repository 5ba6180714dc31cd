import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NetworkPolicy, type NetworkConnection, type NetworkPolicyInput } from '@aish/contracts/network';
import { Authority } from '../secrets/authority.js';
import { EgressProxy, PROXY_LIMITS } from './egress.proxy.js';

jest.setTimeout(20_000);

/** These are the answers of the name server. They may be false. */
const names: Record<string, string[]> = {};
const asked: string[] = [];
const seen: NetworkConnection[] = [];
const failures: unknown[] = [];
let rules: NetworkPolicy;
let folder: string;
let path: string;
let proxy: EgressProxy;
let web: Server;
let port: number;
const served: { readonly request: IncomingMessage; readonly body: string }[] = [];

const allow = (...list: Extract<NetworkPolicyInput, { mode: 'allow' }>['rules']) => {
  rules = NetworkPolicy.parse({ mode: 'allow', rules: list });
};
const startProxy = async (limits = PROXY_LIMITS) => {
  const parts = {
    policy: () => rules,
    admit: (connection: NetworkConnection) => {
      seen.push(connection);
      return connection;
    },
    resolve: async (name: string) => {
      asked.push(name);
      return names[name] ?? [];
    },
    failed: (error: unknown) => failures.push(error),
    secrets: () => [],
    authority: new Authority(folder),
  };
  proxy = new EgressProxy(parts, limits);
  await proxy.listen(path);
};

/** Sends bytes to the proxy unchanged, and returns everything that the proxy sends until it closes the connection. */
async function raw(text: string): Promise<string> {
  const socket = connect(path);
  socket.setTimeout(5_000, () => socket.destroy());
  socket.write(text);
  let answer = '';
  try {
    for await (const chunk of socket) answer += String(chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
  }
  return answer;
}
const ask = (line: string, headers = 'Host: x\r\n') => raw(`${line} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
const through = (host: string) =>
  raw(
    `CONNECT ${host}:${port} HTTP/1.1\r\nHost: x\r\n\r\nGET /inside HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n`,
  );

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aish-proxy-'));
  path = join(folder, 'proxy.sock');
  web = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      served.push({ request, body });
      response.end(`served ${request.url}`);
    });
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  port = (web.address() as AddressInfo).port;
});
afterAll(async () => {
  web.closeAllConnections();
  await new Promise((resolve) => web.close(resolve));
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  for (const list of [asked, seen, failures, served]) list.length = 0;
  for (const name of Object.keys(names)) delete names[name];
  rules = { mode: 'none' };
  await startProxy();
});
afterEach(async () => {
  await proxy.close();
  if (failures.length > 0) throw new Error(`the proxy failed: ${failures.map(String).join(', ')}`);
});

describe('destinations without a rule', () => {
  it('the proxy refuses an unlisted name without a lookup', async () => {
    names['example.org'] = ['127.0.0.1'];
    for (const policy of [{ mode: 'none' } as const, { mode: 'allow', rules: [] } as const]) {
      rules = policy as NetworkPolicy;
      expect(statusOf(await through('example.org'))).toBe(403);
      expect(statusOf(await ask(`GET http://example.org:${port}/`))).toBe(403);
    }
    allow({ host: 'example.org', ports: [443], private: true });
    expect(statusOf(await through('example.org'))).toBe(403);
    expect([asked, served]).toEqual([[], []]);
    expect(seen).toHaveLength(5);
    expect(seen[0]).toEqual({ host: 'example.org', port, allowed: false, reason: 'no rule allows it' });
  });

  it('a wildcard rule allows only names below its domain', async () => {
    allow({ host: '*.example.org', ports: [port] });
    for (const host of [
      'example.org',
      'evilexample.org',
      'example.org.evil.net',
      'x.example.org.',
      'X.EXAMPLE.ORG',
      'a.b.example.org',
    ]) {
      await through(host);
    }
    expect(asked).toEqual(['x.example.org', 'x.example.org', 'a.b.example.org']);
  });
});

describe('names', () => {
  it('a listed name is reached at the address that it resolves to', async () => {
    names['nas.lan'] = ['127.0.0.1'];
    allow({ host: 'nas.lan', ports: [port], private: true }, { host: '127.0.0.1', ports: [port], private: true });
    expect(await through('nas.lan')).toContain('served /inside');
    expect(await ask(`GET http://nas.lan:${port}/plain?x=1`)).toContain('served /plain?x=1');
    expect(asked).toEqual(['nas.lan', 'nas.lan']);
    expect(seen[0]).toEqual({ host: 'nas.lan', port, allowed: true, reason: 'rule nas.lan' });
  });

  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  it.each([
    '127.0.0.1',
    '127.8.8.8',
    '::1',
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '100.100.100.200',
    '192.0.0.192',
    '224.0.0.1',
    '255.255.255.255',
    '198.18.0.1',
    '240.0.0.1',
    'fd00:ec2::254',
    'fd12:3456::1',
    'fe80::1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::1',
    '::7f00:1',
    'fec0::1',
    ...own,
  ])('a name that resolves to %s is refused without a connection', async (address) => {
    names['innocent.example'] = [address];
    allow({ host: 'innocent.example', ports: [port] });
    expect(statusOf(await through('innocent.example'))).toBe(403);
    names['innocent.example'] = ['93.184.215.14', address];
    expect(statusOf(await through('innocent.example'))).toBe(403);
    expect([seen.map(({ allowed }) => allowed), served]).toEqual([[false, false], []]);
  });

  it.each(['127.0.0.1', '::1', '169.254.169.254', '0.0.0.0', 'fe80::1', 'fd00:ec2::254', ...own])(
    'a rule that allows private addresses does not allow a name that resolves to %s',
    async (address) => {
      names['nas.lan'] = [address];
      allow({ host: 'nas.lan', ports: [port], private: true });
      expect(statusOf(await through('nas.lan'))).toBe(403);
      expect(served).toEqual([]);
    },
  );

  it('the proxy looks a name up once per connection, so a second answer of the name server changes nothing', async () => {
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    Object.defineProperty(names, 'rebind.example', {
      configurable: true,
      enumerable: true,
      get: () => answers.shift(),
    });
    allow({ host: 'rebind.example', ports: [port] }, { host: '127.0.0.1', ports: [port], private: true });
    expect(await through('rebind.example')).toContain('served /inside');
    expect(asked).toHaveLength(1);
    expect(statusOf(await through('rebind.example'))).toBe(403);
  });

  it('the proxy refuses a name without an address', async () => {
    allow({ host: 'nobody.example', ports: [port] });
    expect(statusOf(await through('nobody.example'))).toBe(502);
    expect(seen).toMatchObject([{ allowed: false, reason: 'the name has no address' }]);
  });
});

describe('addresses', () => {
  const WRITTEN = [
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '017700000001',
    '0177.0.0.1',
    '127.1',
    '127.0.0.1.',
    '127%2e0%2e0%2e1',
    '１２７.0.0.1',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:0001]',
  ];

  it.each(WRITTEN)('an address written as %s is refused unless a rule lists it', async (host) => {
    allow({ host: 'example.org', ports: [port] });
    expect([400, 403]).toContain(statusOf(await through(host)));
    expect([400, 403]).toContain(
      statusOf(
        await ask(
          `GET http://${encodeURI(host).replaceAll('%25', '%').replaceAll('%5B', '[').replaceAll('%5D', ']')}:${port}/`,
        ),
      ),
    );
    expect([served, asked]).toEqual([[], []]);
  });

  it('a private address needs a rule that says private, however the address is written', async () => {
    allow({ host: '127.0.0.1', ports: [port] });
    for (const host of WRITTEN) expect([400, 403]).toContain(statusOf(await through(host)));
    expect(served).toEqual([]);
    allow({ host: '127.0.0.1', ports: [port], private: true });
    expect(await through('127.0.0.1')).toContain('served /inside');
    expect(await through('[::ffff:127.0.0.1]')).toContain('served /inside');
  });
});

describe('malicious requests', () => {
  beforeEach(() => allow({ host: '127.0.0.1', ports: [port], private: true }));

  it('a request goes to its target, not to the host in its Host header', async () => {
    await ask(`GET http://127.0.0.1:${port}/a`, 'Host: evil.example:1\r\n');
    expect(served[0]?.request.headers.host).toBe(`127.0.0.1:${port}`);
    await ask(`GET http://evil.example/a`, `Host: 127.0.0.1:${port}\r\n`);
    expect(seen.at(-1)).toMatchObject({ host: 'evil.example', allowed: false });
    expect(served).toHaveLength(1);
  });

  it.each([
    'GET /',
    'GET *',
    'GET https://127.0.0.1/',
    'GET ftp://127.0.0.1/',
    'GET file:///etc/passwd',
    'GET http://',
    'CONNECT 127.0.0.1',
    'CONNECT /etc/passwd:80',
    'CONNECT user@127.0.0.1:80',
    'CONNECT 127.0.0.1:0',
    'CONNECT 127.0.0.1:99999',
    'CONNECT 127.0.0.1:80:80',
    'CONNECT :80',
  ])('the proxy rejects %s, which is not a proxy request', async (line) => {
    expect(statusOf(await ask(line))).toBe(400);
    expect(served).toEqual([]);
  });

  it('a request cannot hide its host behind a user name, a backslash or an escape', async () => {
    for (const url of [
      `http://127.0.0.1:${port}@evil.example/`,
      `http://evil.example\\@127.0.0.1:${port}/`,
      `http://evil.example%23@127.0.0.1.evil.example:${port}/`,
      `http://evil.example#@127.0.0.1:${port}/`,
    ]) {
      expect([400, 403]).toContain(statusOf(await ask(`GET ${url}`)));
    }
    expect(served).toEqual([]);
  });

  it('the proxy does not forward its own credentials, or headers that are meant only for the proxy', async () => {
    await raw(
      `GET http://u:p@127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic c2VjcmV0\r\nX-Hop: 1\r\n` +
        'Connection: close, X-Hop\r\nX-Stays: 1\r\nUpgrade: websocket\r\n\r\n',
    );
    const { headers } = served[0]?.request ?? { headers: {} };
    expect(headers).toEqual({ host: `127.0.0.1:${port}`, connection: 'close', 'x-stays': '1' });
  });

  it.each([
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 40\r\n'],
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'],
    ['chunks that are none', 'Transfer-Encoding: xchunked\r\n'],
    ['a bare line feed', 'X: y\nZ: z\r\n'],
    ['a folded line', 'X: y\r\n Content-Length: 5\r\n'],
    ['a blank before the colon', 'Content-Length : 5\r\n'],
    ['a header without end', `X: ${'y'.repeat(20_000)}\r\n`],
  ])('a request with %s cannot smuggle a second request', async (_, headers) => {
    const answer = await raw(
      `POST http://127.0.0.1:${port}/a HTTP/1.1\r\nHost: x\r\n${headers}\r\n0\r\n\r\nGET http://127.0.0.1:${port}/smuggled HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(statusOf(answer)).not.toBe(0);
    expect(served.map(({ request }) => request.url)).not.toContain('/smuggled');
  });

  it('the proxy frames the body of a request, so that the server does not mistake the body for another request', async () => {
    const inner = `GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`;
    await raw(
      `GET http://127.0.0.1:${port}/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n` +
        `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
    );
    expect(served.map(({ request, body }) => [request.url, body])).toEqual([['/a', inner]]);
  });
});

describe('limits of the proxy', () => {
  let silent: TcpServer;
  let silentPort: number;
  beforeAll(async () => {
    silent = createTcpServer((socket) => socket.on('error', () => socket.destroy()));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    silentPort = (silent.address() as AddressInfo).port;
  });
  afterAll(() => void silent.close());

  it('the proxy refuses connections beyond the limit, and a closed connection makes room for another', async () => {
    await proxy.close();
    await startProxy({ ...PROXY_LIMITS, connectionsMax: 2 });
    allow({ host: '127.0.0.1', ports: [silentPort, port], private: true });
    const held = [0, 1].map(() => connect(path));
    for (const socket of held) {
      socket.write(`CONNECT 127.0.0.1:${silentPort} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await new Promise((resolve) => socket.once('data', resolve));
    }
    expect(statusOf(await through('127.0.0.1'))).toBe(503);
    expect(seen.at(-1)).toMatchObject({ allowed: false, reason: 'more than 2 connections at once' });
    for (const socket of held) {
      socket.destroy();
      await new Promise((resolve) => socket.once('close', resolve));
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await through('127.0.0.1')).toContain('served /inside');
  });

  it('the proxy closes a silent tunnel', async () => {
    await proxy.close();
    await startProxy({ ...PROXY_LIMITS, idleTimeoutMs: 200 });
    allow({ host: '127.0.0.1', ports: [silentPort], private: true });
    const answer = await ask(`CONNECT 127.0.0.1:${silentPort}`);
    expect(answer).toBe('HTTP/1.1 200 Connection established\r\n\r\n');
  });

  it('a tunnel carries large amounts of data, and passes on the end of one direction', async () => {
    const size = 8 * 2 ** 20;
    const echo = createTcpServer({ allowHalfOpen: true }, (socket) => {
      let received = 0;
      socket.on('data', (chunk: Buffer) => (received += chunk.length));
      socket.on('end', () => socket.end(`${received} ${'x'.repeat(size)}`));
    });
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
    const echoPort = (echo.address() as AddressInfo).port;
    allow({ host: '127.0.0.1', ports: [echoPort], private: true });
    const socket = connect({ path, allowHalfOpen: true });
    socket.end(`CONNECT 127.0.0.1:${echoPort} HTTP/1.1\r\nHost: x\r\n\r\n${'y'.repeat(size)}`);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    echo.close();
    expect(text.length).toBe('HTTP/1.1 200 Connection established\r\n\r\n'.length + `${size} `.length + size);
    expect(text).toContain(`${size} xxx`);
  });
});

import { createSocket, type Socket } from 'node:dgram';
import { randomUUID } from 'node:crypto';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { NetworkPolicyInput } from '@aish/contracts/network';
import { createLogger, type RunningService } from '@aish/http';
import { Caller, cleanUp, docker, newTestSettings, until, type TestSettings } from '../testing/sandbox.fixture.js';
import { startSandbox } from './start-sandbox.js';

jest.setTimeout(120_000);

/** A server on this machine that commands must not reach. It listens on all addresses, and records each connection. */
let door: Server;
let letterBox: Socket;
let visitors: string[] = [];
let doorPort: number;
let letterPort: number;
let ground: TestSettings;
let service: RunningService;
let sandbox: Caller;
let addresses: readonly string[];

beforeAll(async () => {
  ground = await newTestSettings();
  const logger = createLogger('warn', 'sandbox', { write: () => undefined });
  service = await startSandbox(ground.config, logger, { version: '0.0.0', handleSignals: false });
  sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
  door = createServer((socket) => {
    visitors.push(`tcp ${socket.remoteAddress} at ${socket.localAddress}`);
    socket.on('error', () => socket.destroy()).resume();
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nreached');
  });
  await new Promise<void>((resolve) => door.listen({ port: 0, host: '::', ipv6Only: false }, resolve));
  doorPort = (door.address() as AddressInfo).port;
  letterBox = createSocket('udp6', (message) => visitors.push(`udp ${String(message)}`));
  await new Promise<void>((resolve) => letterBox.bind(0, '::', resolve));
  letterPort = letterBox.address().port;
  const bridge = (await docker.getNetwork('bridge').inspect()) as { IPAM?: { Config?: { Gateway?: string }[] } };
  const gateways = (bridge.IPAM?.Config ?? []).flatMap(({ Gateway }) => Gateway ?? []);
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  addresses = [...new Set([...own, ...gateways, '127.0.0.1', '172.17.0.1', '0.0.0.0', '::1', '::ffff:127.0.0.1'])];
});
afterAll(async () => {
  await service.app.close();
  await new Promise((resolve) => door.close(resolve));
  letterBox.close();
  await cleanUp(ground);
});

const POLICIES: Record<'none' | 'allow', NetworkPolicyInput> = {
  none: { mode: 'none' },
  allow: { mode: 'allow', rules: [{ host: '*.example.org', ports: [80, 443] }, { host: 'example.org' }] },
};

/** Tries every address, directly and through the proxy, and prints which ones answered. */
const PROBE = `
import itertools, json, socket, sys
want = json.loads(sys.argv[1])
def straight(host, port):
    with socket.create_connection((host, port), timeout=1) as s:
        s.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n'); return s.recv(100)
def ask(host, port, text):
    with socket.create_connection(('127.0.0.1', 3128), timeout=5) as s:
        s.sendall(text.encode()); return s.recv(1000)
def bracket(host): return '[' + host + ']' if ':' in host else host
def tunnel(host, port):
    answer = ask(host, port, f'CONNECT {bracket(host)}:{port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')
    return answer if b' 200 ' in answer else b''
def plain(host, port):
    answer = ask(host, port, f'GET http://{bracket(host)}:{port}/ HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n')
    return answer if b' 200 ' in answer else b''
tried = 0
for (host, port), way in itertools.product(want, [straight, tunnel, plain]):
    tried += 1
    try: answer = way(host, port)
    except OSError: continue
    if answer and not (host in ('127.0.0.1', '0.0.0.0', '::ffff:127.0.0.1') and port == 3128 and way is straight):
        print('REACHED', way.__name__, host, port, answer[:60])
print('tried', tried)
`;

async function probe(want: readonly (readonly [string, number])[], workspaceId = sandbox.workspaceId) {
  const command = `cat > probe.py <<'PY'\n${PROBE}\nPY\nexec python3 probe.py '${JSON.stringify(want)}'`;
  return sandbox.run(command, { workspaceId, timeoutMs: 100_000 });
}

describe.each(['none', 'allow'] as const)('commands of a workspace with network policy %s', (mode) => {
  beforeAll(async () => {
    visitors = [];
    const { status } = await sandbox.ask('PUT', `/v1/workspaces/${sandbox.workspaceId}/network`, POLICIES[mode]);
    if (status !== 200) throw new Error(`the policy was not taken: ${status}`);
  });

  it('a command has only the loopback interface', async () => {
    const { stdout } = await sandbox.run(
      'ls /sys/class/net; cat /proc/net/route /proc/net/ipv6_route | grep -v -e Iface -e " lo$"',
    );
    expect(stdout).toBe('lo\n');
  });

  it('a command cannot reach a service of this machine at any of its addresses', async () => {
    const ports = [doorPort, Number(new URL(service.url).port), 22, 2375, 5432, 6379, 7717, 7718, 7719];
    const want = addresses.flatMap((address) => ports.map((port) => [address, port] as const));
    const { stdout } = await probe(want);
    expect(stdout).toBe(`tried ${want.length * 3}\n`);
    expect(visitors).toEqual([]);
  });

  it('a command cannot reach this machine by name', async () => {
    const names = [
      'localhost',
      'host.docker.internal',
      'gateway.docker.internal',
      'api',
      'postgres',
      'redis',
      'sandbox',
    ];
    const want = names.flatMap((name) => [doorPort, 5432, 6379, 7719].map((port) => [name, port] as const));
    expect((await probe(want)).stdout).toBe(`tried ${want.length * 3}\n`);
    expect(visitors).toEqual([]);
  });

  it('a command cannot reach the metadata addresses of cloud providers', async () => {
    const want = [
      '169.254.169.254',
      '169.254.170.2',
      'fd00:ec2::254',
      '100.100.100.200',
      'metadata.google.internal',
    ].map((host) => [host, 80] as const);
    expect((await probe(want)).stdout).toBe(`tried ${want.length * 3}\n`);
  });

  it('a command cannot reach another workspace', async () => {
    const other = randomUUID();
    await sandbox.ask('PUT', `/v1/workspaces/${other}/network`, POLICIES[mode]);
    const request = sandbox.request(
      `python3 -c "
import socket,threading
s=socket.create_server(('',8000)); print('listens', flush=True)
while True: c,_=s.accept(); print('VISITED', flush=True); c.close()"`,
      { workspaceId: other },
    );
    const ending = sandbox.toEnd(request);
    for await (const frame of sandbox.frames(request)) if (frame.type === 'output') break;
    const want = [...addresses, 'aish', '172.17.0.2', '172.17.0.3', '172.18.0.2'].map((host) => [host, 8000] as const);
    expect((await probe(want)).stdout).toBe(`tried ${want.length * 3}\n`);
    await sandbox.cancel(request.runId);
    expect((await ending).outcome.output).toBe('listens\n');
  });

  it('a command cannot send data out in DNS lookups or datagrams', async () => {
    const { stdout } = await sandbox.run(
      `getent hosts secret.example.org && echo RESOLVED; cat /etc/resolv.conf | grep -c . > /dev/null
python3 - '${JSON.stringify([...addresses, '8.8.8.8', '127.0.0.11'])}' ${letterPort} <<'PY'
import json, socket, sys
for host in json.loads(sys.argv[1]):
    for port in (53, int(sys.argv[2])):
        s = socket.socket(socket.AF_INET6 if ':' in host else socket.AF_INET, socket.SOCK_DGRAM)
        s.settimeout(0.2)
        try:
            s.sendto(b'secret.example.org', (host, port)); who = s.recvfrom(100)[1]
            # Its own port may happen to be the one that it sends to.
            if who[1] != s.getsockname()[1]: print('ANSWERED', host, port)
        except OSError: pass
for family, kind, name in ((socket.AF_INET, socket.SOCK_RAW, 'raw'), (17, socket.SOCK_RAW, 'packet'), (socket.AF_INET, socket.SOCK_DGRAM, 'ping')):
    try: socket.socket(family, kind, socket.IPPROTO_ICMP).sendto(b'x' * 8, ('8.8.8.8', 0)); print('SENT', name)
    except OSError: pass
PY
echo done`,
    );
    expect(stdout).toBe('done\n');
    expect(visitors).toEqual([]);
  });

  it('a command sees only the socket of its own workspace', async () => {
    const { stdout } = await sandbox.run(
      'find / -type s -not -path "/proc/*" 2>/dev/null; ls -a /run/aish/.. /run/aish/../../run 2>/dev/null | grep -E "[0-9a-f]{8}-"; ' +
        'touch /run/aish/x 2>/dev/null && echo WROTE; rm -f /run/aish/proxy.sock 2>/dev/null; ls /run/aish 2>/dev/null; ' +
        'cut -d" " -f2 /proc/mounts | grep -i -e docker -e containerd | grep -v docker-init; grep -a @ /proc/net/unix',
    );
    expect(stdout).toBe(mode === 'none' ? '' : '/run/aish/proxy.sock\nauthority.pem\nproxy.sock\n');
  });
});

describe('a workspace with more network access', () => {
  it('a command cannot use the network access of another workspace', async () => {
    visitors = [];
    const rich = randomUUID();
    const rules = [{ host: '127.0.0.1', ports: [doorPort], private: true }];
    await sandbox.ask('PUT', `/v1/workspaces/${rich}/network`, { mode: 'allow', rules });
    await sandbox.ask('PUT', `/v1/workspaces/${sandbox.workspaceId}/network`, POLICIES.allow);
    const request = sandbox.request('echo begun; sleep 60', { workspaceId: rich });
    const ending = sandbox.toEnd(request);
    for await (const frame of sandbox.frames(request)) if (frame.type === 'output') break;
    // Only a running container of the other workspace has a socket that could be stolen.
    const at = `${ground.config.SANDBOX_STATE_DIR}/network/${rich}/proxy.sock`;
    const { stdout } = await sandbox.run(
      `for path in ${at} /run/aish/../${rich}/proxy.sock /proc/1/root/run/aish/../${rich}/proxy.sock; do ` +
        `curl -sS -m 3 --unix-socket $path http://127.0.0.1:${doorPort}/ 2>/dev/null; done; ` +
        `curl -s -m 3 --noproxy '' -H 'X-Aish-Workspace: ${rich}' http://127.0.0.1:${doorPort}/`,
    );
    expect(stdout).toBe(`aish: 127.0.0.1:${doorPort} is refused: no rule allows it\n`);
    expect(visitors).toEqual([]);
    const own = await sandbox.run(`curl -s --noproxy '' http://127.0.0.1:${doorPort}/`, { workspaceId: rich });
    expect([own.stdout, visitors.length]).toEqual(['reached', 1]);
    await sandbox.cancel(request.runId);
    await ending;
  });

  it('the proxy and the service still work after a command opens 160 connections', async () => {
    const { stdout } = await sandbox.run(`python3 - <<'PY'
import socket
held = []
for n in range(160):
    s = socket.socket(); s.settimeout(0.1)
    try:
        s.connect(('127.0.0.1', 3128)); s.sendall(b'CONNECT a%d.evil.test:443 HTTP/1.1\\r\\nHost: x\\r\\n' % n); held.append(s)
    except OSError: pass
print('held', len(held) > 0)
PY
sleep 0.2; curl -s -m 10 http://evil.test/`);
    expect(stdout).toMatch(/^held True\n/);
    expect((await sandbox.run('curl -s -m 10 http://evil.test/')).stdout).toContain('evil.test:80 is refused');
    await until(async () => (await sandbox.ask('GET', '/v1/status')).status === 200, 'the service answers');
  });
});

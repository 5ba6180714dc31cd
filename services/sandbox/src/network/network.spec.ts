import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { readdir, symlink } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { NetworkConnectionList, type NetworkPolicyInput } from '@aish/contracts/network';
import type { RunFrame } from '@aish/contracts/runs';
import { createLogger, type RunningService } from '@aish/http';
import {
  Caller,
  cleanUp,
  containersOf,
  docker,
  newTestSettings,
  until,
  type Ended,
  type TestSettings,
} from '../../testing/sandbox.fixture.js';
import { startSandbox } from '../start-sandbox.js';

jest.setTimeout(60_000);

let ground: TestSettings;
let service: RunningService;
let sandbox: Caller;
let web: Server;
let port: number;
let closedPort: number;

const start = () => {
  const logger = createLogger('warn', 'sandbox', { write: () => undefined });
  return startSandbox(ground.config, logger, { version: '0.0.0', handleSignals: false });
};
const setPolicy = (policy: NetworkPolicyInput, workspaceId: string = sandbox.workspaceId) =>
  sandbox.ask('PUT', `/v1/workspaces/${workspaceId}/network`, policy);
const connections = ({ frames }: Pick<Ended, 'frames'>) =>
  frames.flatMap((frame: RunFrame) => (frame.type === 'network' ? [frame] : []));
const home = (over: object = {}) => ({ host: '127.0.0.1', ports: [port], private: true, ...over });

beforeAll(async () => {
  ground = await newTestSettings();
  service = await start();
  sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
  web = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
    });
  });
  await new Promise<void>((resolve) => web.listen(0, '0.0.0.0', resolve));
  port = (web.address() as AddressInfo).port;
  const gone = createTcpServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  closedPort = (gone.address() as AddressInfo).port;
  await new Promise((resolve) => gone.close(resolve));
});
afterAll(async () => {
  await service.app.close();
  web.closeAllConnections();
  await new Promise((resolve) => web.close(resolve));
  await cleanUp(ground);
});

describe('the network policy of a workspace', () => {
  it('the network policy of a workspace is `none` until someone sets it', async () => {
    const path = `/v1/workspaces/${randomUUID()}/network`;
    expect(await sandbox.ask('GET', path)).toMatchObject({ status: 200, body: { mode: 'none' } });
    const policy = {
      mode: 'allow',
      rules: [{ host: '*.Example.org' }, { host: 'nas.lan', ports: [80], private: true }],
    };
    const stored = {
      mode: 'allow',
      rules: [
        { host: '*.example.org', ports: [443], private: false },
        { host: 'nas.lan', ports: [80], private: true },
      ],
    };
    expect(await sandbox.ask('PUT', path, policy)).toMatchObject({ status: 200, body: stored });
    expect((await sandbox.ask('GET', path)).body).toEqual(stored);
    await sandbox.ask('PUT', path, { mode: 'none' });
    expect((await sandbox.ask('GET', path)).body).toEqual({ mode: 'none' });
  });

  it('an initial network policy applies, but never replaces one that an admin has set', async () => {
    const path = `/v1/workspaces/${randomUUID()}/network`;
    const begin = { mode: 'allow', rules: [{ host: 'nas.lan', ports: [80], private: true }] };
    expect(await sandbox.ask('POST', path, begin)).toMatchObject({ status: 200, body: begin });
    await sandbox.ask('PUT', path, { mode: 'none' });
    expect((await sandbox.ask('POST', path, begin)).body).toEqual({ mode: 'none' });
    // The calls run in parallel, as a starting worker and an admin may act at the same time.
    for (let n = 0; n < 20; n += 1) {
      const other = `/v1/workspaces/${randomUUID()}/network`;
      await Promise.all([sandbox.ask('PUT', other, { mode: 'none' }), sandbox.ask('POST', other, begin)]);
      expect((await sandbox.ask('GET', other)).body).toEqual({ mode: 'none' });
    }
  });

  it.each([
    ['no rules', { mode: 'allow', rules: [] }],
    ['a URL', { mode: 'allow', rules: [{ host: 'http://example.org' }] }],
    ['everything', { mode: 'allow', rules: [{ host: '*' }] }],
    ['a star within', { mode: 'allow', rules: [{ host: 'a.*.org' }] }],
    ['a number that is an address', { mode: 'allow', rules: [{ host: '2130706433' }] }],
    ['a number in hex', { mode: 'allow', rules: [{ host: '0x7f.1' }] }],
    ['a private wildcard', { mode: 'allow', rules: [{ host: '*.lan', private: true }] }],
    ['port 0', { mode: 'allow', rules: [{ host: 'example.org', ports: [0] }] }],
    ['a word of its own', { mode: 'all' }],
  ])('%s is refused as a network policy', async (_, policy) => {
    expect(await sandbox.ask('PUT', `/v1/workspaces/${randomUUID()}/network`, policy)).toMatchObject({
      status: 400,
      body: { code: 'invalid_body' },
    });
  });

  it('a command reaches listed destinations, and only through the proxy', async () => {
    await setPolicy({ mode: 'allow', rules: [home()] });
    const ended = await sandbox.run(
      `curl -sS -d hello http://127.0.0.1:${port}/a?b --noproxy ''; echo; curl -sS -p --noproxy '' http://127.0.0.1:${port}/tunnel; echo; ` +
        `ls /sys/class/net; env | grep -i proxy | sort`,
    );
    const [direct, tunnel, ...rest] = ended.stdout.trim().split('\n');
    expect(JSON.parse(direct ?? '')).toMatchObject({ method: 'POST', url: '/a?b', body: 'hello' });
    expect(JSON.parse(tunnel ?? '')).toMatchObject({ method: 'GET', url: '/tunnel' });
    expect(rest).toEqual([
      'lo',
      'HTTPS_PROXY=http://127.0.0.1:3128',
      'HTTP_PROXY=http://127.0.0.1:3128',
      'NODE_USE_ENV_PROXY=1',
      'NO_PROXY=localhost,127.0.0.1,::1',
      'http_proxy=http://127.0.0.1:3128',
      'https_proxy=http://127.0.0.1:3128',
      'no_proxy=localhost,127.0.0.1,::1',
    ]);
    const seen = { type: 'network', host: '127.0.0.1', port, allowed: true, reason: 'rule 127.0.0.1' };
    expect(connections(ended)).toEqual([
      { ...seen, count: 1 },
      { ...seen, count: 2 },
    ]);
  });

  it('refused connections are reported with the reason, during the run and afterwards', async () => {
    await setPolicy({ mode: 'allow', rules: [home()] });
    const request = sandbox.request(
      `curl -sS http://example.org/; curl -sS --noproxy '' http://127.0.0.1:22/; curl -sS --noproxy '' https://localhost:${port}/`,
    );
    const ended = await sandbox.toEnd(request);
    const refused = { type: 'network', allowed: false, reason: 'no rule allows it', count: 1 };
    const all = [
      { ...refused, host: 'example.org', port: 80 },
      { ...refused, host: '127.0.0.1', port: 22 },
      { ...refused, host: 'localhost', port },
    ];
    expect(connections(ended)).toEqual(all);
    expect(ended.stdout).toContain('example.org:80 is refused: no rule allows it');
    expect(connections(await sandbox.toEnd(request))).toEqual(all);
    const list = await sandbox.ask('GET', `/v1/workspaces/${sandbox.workspaceId}/network/connections`);
    expect(NetworkConnectionList.parse(list.body).items.slice(-3)).toMatchObject(
      all.map(({ host, port, allowed, reason }) => ({ host, port, allowed, reason })),
    );
  });

  it('the error for an allowed destination that does not respond names the destination', async () => {
    await setPolicy({ mode: 'allow', rules: [home({ ports: [closedPort] })] });
    const { stdout } = await sandbox.run(`curl -sS --noproxy '' http://127.0.0.1:${closedPort}/`);
    expect(stdout).toBe(`127.0.0.1:${closedPort} does not respond\n`);
  });

  it('a new network policy applies at once: open connections are closed, and later ones are refused', async () => {
    const silent = createTcpServer((socket) => socket.on('error', () => socket.destroy()));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const silentPort = (silent.address() as AddressInfo).port;
    const connected = new Promise<void>((resolve) => silent.once('connection', () => resolve()));
    await setPolicy({ mode: 'allow', rules: [home({ ports: [silentPort] })] });
    const running = sandbox.run(
      `curl -sS -p --noproxy '' http://127.0.0.1:${silentPort}/ || echo "cut $?"; curl -sS --noproxy '' http://127.0.0.1:${silentPort}/`,
    );
    await connected;
    await setPolicy({ mode: 'none' });
    const ended = await running;
    silent.close();
    expect(ended.stdout).toMatch(/^cut \d+\n.*refused: no rule allows it\n$/);
    expect(connections(ended).map(({ allowed }) => allowed)).toEqual([true, false]);
  });

  it('the network policy survives a restart of the service, and commands that run under it continue', async () => {
    await setPolicy({ mode: 'allow', rules: [home()] });
    // The pause is needed because the connections of parallel commands are attributed to the newer one.
    const request = sandbox.request(
      `curl -sS http://before.example/; echo begun; until [ -e go ]; do sleep 0.1; done; sleep 1; curl -sS --noproxy '' http://127.0.0.1:${port}/after`,
    );
    const gone = new AbortController();
    for await (const frame of sandbox.frames(request, gone.signal)) {
      if (frame.type === 'output' && frame.text.includes('begun')) break;
    }
    gone.abort();
    await service.app.close();
    service = await start();
    sandbox = Object.assign(new Caller(service.url, ground.config.SANDBOX_TOKEN), { workspaceId: sandbox.workspaceId });
    await until(async () => (await sandbox.status(request.runId)).state === 'running', 'the run is taken over');
    await sandbox.run('touch go');
    const ended = await sandbox.toEnd(request);
    expect(ended.outcome.output).toContain('"url":"/after"');
    // Connections from before the restart are still known.
    expect(connections(ended)).toMatchObject([
      { host: 'before.example', port: 80, allowed: false },
      { host: '127.0.0.1', port, allowed: true },
    ]);
    expect((await readdir(ground.config.SANDBOX_STATE_DIR)).filter((name) => name.includes(request.runId))).toEqual([
      `${request.runId}.json`,
    ]);
  });

  it('the connections of a cancelled run are reported', async () => {
    await setPolicy({ mode: 'allow', rules: [home()] });
    const request = sandbox.request('curl -sS http://example.org/; echo waiting; sleep 60');
    const ending = sandbox.toEnd(request);
    const of = async () => (await sandbox.status(request.runId)).connections;
    await until(async () => (await of()).length === 1, 'it is known while the command runs');
    const cancelled = await sandbox.cancel(request.runId);
    await ending;
    const refused = { host: 'example.org', port: 80, allowed: false, reason: 'no rule allows it', count: 1 };
    expect(cancelled).toMatchObject({ state: 'ended', outcome: { cancelled: true }, connections: [refused] });
    expect(await of()).toEqual([refused]);
  });

  // Only root can see the folder of a volume as a service that mounts the volume does.
  if (process.getuid?.() === 0)
    it('network access works if the sockets are in a volume, as in compose', async () => {
      const volume = `aish-spec-${randomUUID()}`;
      await docker.createVolume({ Name: volume });
      const { Mountpoint } = await docker.getVolume(volume).inspect();
      const other = await newTestSettings({ SANDBOX_NETWORK_VOLUME: volume, SANDBOX_NETWORK_DIR: '/tmp' });
      // A link simulates the mount: the service sees the volume under another path than the engine.
      const seen = `${other.config.SANDBOX_STATE_DIR}/seen`;
      await symlink(Mountpoint, seen);
      const logger = createLogger('warn', 'sandbox', { write: () => undefined });
      const config = { ...other.config, SANDBOX_NETWORK_DIR: seen };
      const inCompose = await startSandbox(config, logger, { version: '0.0.0', handleSignals: false });
      try {
        const caller = new Caller(inCompose.url, config.SANDBOX_TOKEN);
        await caller.ask('PUT', `/v1/workspaces/${caller.workspaceId}/network`, { mode: 'allow', rules: [home()] });
        const { stdout } = await caller.run(`curl -sS --noproxy '' http://127.0.0.1:${port}/volume; ls /run/aish`);
        expect(stdout).toMatch(/"url":"\/volume".*proxy.sock\n$/s);
      } finally {
        await inCompose.app.close();
        await cleanUp(other);
        await docker.getVolume(volume).remove();
      }
    });

  it('the network policy is removed with its workspace', async () => {
    const workspaceId = randomUUID();
    await setPolicy({ mode: 'allow', rules: [home()] }, workspaceId);
    const request = sandbox.request('ls /run/aish', { workspaceId });
    expect((await sandbox.toEnd(request)).stdout).toBe('authority.pem\nproxy.sock\n');
    await until(async () => (await containersOf(request.runId)).length === 0, 'the container is gone');
    expect(await sandbox.ask('DELETE', `/v1/workspaces/${workspaceId}`)).toMatchObject({ status: 204 });
    expect((await sandbox.ask('GET', `/v1/workspaces/${workspaceId}/network`)).body).toEqual({ mode: 'none' });
    expect((await sandbox.run('ls /run/aish 2>&1', { workspaceId })).stdout).toContain('No such file');
  });
});

import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { RunOutcome } from '@aish/contracts/actions';
import { NetworkPolicy } from '@aish/contracts/network';
import { SandboxStatus } from '@aish/contracts/runs';
import { OUTCOME } from '@aish/contracts/testing/outcome';
import { openSandboxes } from './open-sandboxes.js';
import type { Place, Places } from './places.port.js';

const never = new AbortController().signal;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Stores the places of workspaces like the database. */
class PlacesInMemory implements Places {
  readonly sessions = new Map<string, Place>();
  readonly runs = new Map<string, string>();

  async find(workspaceId: string): Promise<Place | null> {
    return this.sessions.get(workspaceId) ?? null;
  }

  async place(workspaceId: string, sandbox: string): Promise<string> {
    const session = this.sessions.get(workspaceId) ?? {
      sandbox: null,
      carryOver: true,
      network: null,
      networkMore: [],
      image: null,
    };
    const placed = session.sandbox ?? sandbox;
    this.sessions.set(workspaceId, { ...session, sandbox: placed });
    return placed;
  }

  async ofRun(runId: string): Promise<string | null> {
    return this.runs.get(runId) ?? null;
  }

  async networkBegun(workspaceId: string): Promise<void> {
    const session = this.sessions.get(workspaceId);
    if (session !== undefined) this.sessions.set(workspaceId, { ...session, network: null });
  }

  async networkWidened(workspaceId: string): Promise<void> {
    const session = this.sessions.get(workspaceId);
    if (session !== undefined) this.sessions.set(workspaceId, { ...session, networkMore: [] });
  }

  session(workspaceId: string, carryOver = true, network: NetworkPolicy | null = null): void {
    this.sessions.set(workspaceId, { sandbox: null, carryOver, network, networkMore: [], image: null });
  }
}

const outcome: RunOutcome = { ...OUTCOME };

/** A service that records its requests, over real HTTP but without Docker. */
class Service {
  readonly asked: { readonly line: string; readonly body: unknown }[] = [];
  readonly runs = new Set<string>();
  status: Partial<SandboxStatus> = {};
  network: NetworkPolicy = { mode: 'none' };
  url = '';

  async listen(): Promise<this> {
    const server = http.createServer((request, response) => void this.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    closers.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return this;
  }

  get lines(): string[] {
    return this.asked.map(({ line }) => line).filter((line) => !line.endsWith('/v1/status'));
  }

  private async answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const isJson = request.headers['content-type'] === 'application/json';
    const line = `${request.method} ${request.url}`;
    this.asked.push({ line, body: isJson ? (JSON.parse(text) as unknown) : text });
    const json = (value: unknown, status = 200) => response.writeHead(status).end(JSON.stringify(value));
    const path = request.url ?? '';
    if (line === 'POST /v1/runs') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.end(`data: ${JSON.stringify({ type: 'exit', outcome })}\n\n`);
    }
    if (path === '/v1/status') return void json({ ...READY, ...this.status });
    if (path.startsWith('/v1/runs/')) {
      const runId = path.slice('/v1/runs/'.length);
      if (!this.runs.has(runId)) return void json({ type: 't', title: 't', status: 404, code: 'not_found' }, 404);
      return void json({ runId, state: 'ended', outcome, connections: [] });
    }
    if (path.endsWith('/prepare') || path.includes('/prepare?')) return void json({ ready: true });
    if (path.includes('/execution-context'))
      return void json({ folder: '/workspace', variables: [], digest: 'a'.repeat(64) });
    if (path.endsWith('/network/connections')) return void json({ items: [] });
    if (path.endsWith('/network')) return void json(this.network);
    if (path.endsWith('/preview')) return void json(PREVIEW);
    if (path.includes('/snapshots')) return void json(request.method === 'GET' ? { items: [SNAPSHOT] } : SNAPSHOT);
    if (path.includes('/files?')) return void json({ path: '/workspace', items: [], isCut: false });
    if (request.method === 'GET') return void response.writeHead(200, { 'content-length': '3' }).end('abc');
    response.writeHead(204).end();
  }
}

const READY: SandboxStatus = {
  ready: true,
  detail: null,
  engine: { kind: 'docker', version: '1', runtime: 'runc', rootless: false, address: '/docker.sock', capabilities: [] },
  image: 'i',
  running: 0,
  warm: 0,
  workspaces: { count: 1, sizeBytes: 10 },
  hostFolders: [],
  whyNoLayers: null,
};
const NO_DIFFERENCE = { count: 0, sizeBytes: 0, names: [] };
const PREVIEW = {
  removed: NO_DIFFERENCE,
  changed: NO_DIFFERENCE,
  added: NO_DIFFERENCE,
  exitCode: 0,
  timedOut: false,
  output: '',
  isOutputCut: false,
  durationMs: 1,
};
const SNAPSHOT = { actionId: randomUUID(), sizeBytes: 1, createdAt: new Date(0).toISOString() };

async function twoServices() {
  const [first, second] = [await new Service().listen(), await new Service().listen()];
  const places = new PlacesInMemory();
  const settings = { SANDBOX_URL: first.url, SANDBOX_TOKEN: 'token', SANDBOXES: [{ name: 'attic', url: second.url }] };
  return { first, second, places, ...openSandboxes(settings, places) };
}

async function toEnd(frames: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of frames);
}

describe('several sandbox services', () => {
  it('a new workspace is placed at the least busy service, and later requests go to the same one', async () => {
    const { first, second, places, sandbox, workspaces } = await twoServices();
    first.status = { running: 2, warm: 1 };
    second.status = { running: 1, warm: 0 };
    const workspaceId = randomUUID();
    places.session(workspaceId);
    await toEnd(sandbox.run({ runId: randomUUID(), workspaceId, command: 'true' }, never));
    expect(places.sessions.get(workspaceId)?.sandbox).toBe('attic');
    // The workspace stays on this service, even if the load of the service rises.
    second.status = { running: 60 };
    await sandbox.prepare({ workspaceId, hostFolders: ['media', 'docs'], background: false }, never);
    await sandbox.setNetworkPolicy(workspaceId, { mode: 'none' }, never);
    expect(await sandbox.networkPolicy(workspaceId, never)).toEqual(NetworkPolicy.parse({ mode: 'none' }));
    await sandbox.networkConnections(workspaceId, never);
    await sandbox.executionContext(workspaceId, never);
    await workspaces.list(workspaceId, 'a b', never);
    await workspaces.preview(workspaceId, { command: 'rm x' }, never);
    expect(await workspaces.snapshot(workspaceId, SNAPSHOT.actionId, never)).toEqual(SNAPSHOT);
    expect(await workspaces.snapshots(workspaceId, never)).toEqual([SNAPSHOT]);
    await workspaces.restore(workspaceId, SNAPSHOT.actionId, { only: true }, never);
    await workspaces.remove(workspaceId, never);
    const at = `/v1/workspaces/${workspaceId}`;
    expect(second.lines).toEqual([
      'POST /v1/runs',
      `POST ${at}/prepare?background=false&hostFolders=media%2Cdocs`,
      `PUT ${at}/network`,
      `GET ${at}/network`,
      `GET ${at}/network/connections`,
      `GET ${at}/execution-context?carryOver=true`,
      `GET ${at}/files?path=a%20b`,
      `POST ${at}/preview`,
      `POST ${at}/snapshots`,
      `GET ${at}/snapshots`,
      `POST ${at}/snapshots/${SNAPSHOT.actionId}/restore?only=true`,
      `DELETE ${at}`,
    ]);
    expect(first.lines).toEqual([]);
  });

  it('among equally busy services the one with less disk use is chosen, and unready ones are skipped', async () => {
    const { first, second, places, sandbox } = await twoServices();
    first.status = { workspaces: { count: 1, sizeBytes: 99 } };
    const [light, ready] = [randomUUID(), randomUUID()];
    for (const id of [light, ready]) places.session(id);
    await sandbox.prepare({ workspaceId: light, hostFolders: [], background: false }, never);
    second.status = { ready: false, detail: 'no image' };
    await sandbox.prepare({ workspaceId: ready, hostFolders: [], background: false }, never);
    expect([light, ready].map((id) => places.sessions.get(id)?.sandbox)).toEqual(['attic', 'default']);
    first.status = { ready: false, detail: 'no engine' };
    const nowhere = randomUUID();
    places.session(nowhere);
    await expect(
      sandbox.prepare({ workspaceId: nowhere, hostFolders: [], background: false }, never),
    ).rejects.toMatchObject({
      code: 'sandbox_unreachable',
      message: expect.stringContaining('default, attic'),
    });
    expect(places.sessions.get(nowhere)?.sandbox).toBeNull();
  });

  it('the initial network policy is set once, before the first command', async () => {
    const { second, places, sandbox } = await twoServices();
    const workspaceId = randomUUID();
    const policy = NetworkPolicy.parse({ mode: 'allow', rules: [{ host: 'nas.lan', private: true }] });
    places.sessions.set(workspaceId, {
      sandbox: 'attic',
      carryOver: true,
      network: policy,
      networkMore: [],
      image: null,
    });
    expect(await sandbox.networkPolicy(workspaceId, never)).toEqual(policy);
    expect(second.lines).toEqual([]);
    for (const command of ['ls', 'pwd']) await toEnd(sandbox.run({ runId: randomUUID(), workspaceId, command }, never));
    const begin = `POST /v1/workspaces/${workspaceId}/network`;
    expect(second.lines).toEqual([begin, 'POST /v1/runs', 'POST /v1/runs']);
    expect(second.asked[0]?.body).toEqual(policy);
  });

  it('later additions to the network policy are sent only once', async () => {
    const { second, places, sandbox } = await twoServices();
    const workspaceId = randomUUID();
    const networkMore = [
      { host: 'a.lan', port: 80, private: true },
      { host: 'a.lan', port: 443, private: true },
      { host: 'b.lan', port: 443, private: false },
    ];
    places.sessions.set(workspaceId, { sandbox: 'attic', carryOver: true, network: null, networkMore, image: null });
    const rules = [
      { host: 'a.lan', ports: [80, 443], private: true },
      { host: 'b.lan', ports: [443], private: false },
    ];
    expect(await sandbox.networkPolicy(workspaceId, never)).toEqual({ mode: 'allow', rules });
    for (const command of ['ls', 'pwd']) await toEnd(sandbox.run({ runId: randomUUID(), workspaceId, command }, never));
    const put = second.asked.filter(({ line }) => line === `PUT /v1/workspaces/${workspaceId}/network`);
    expect(put.map(({ body }) => body)).toEqual([{ mode: 'allow', rules }]);
  });

  it('additions that exceed the limit of the network policy make one command fail; the others are sent', async () => {
    const { second, places, sandbox } = await twoServices();
    const workspaceId = randomUUID();
    const rules = Array.from({ length: 199 }, (_, n) => ({ host: `h${n}.lan`, ports: [443], private: true }));
    second.network = { mode: 'allow', rules };
    const networkMore = ['a.lan', 'b.lan'].map((host) => ({ host, port: 443, private: true }));
    places.sessions.set(workspaceId, { sandbox: 'attic', carryOver: true, network: null, networkMore, image: null });
    const run = () => toEnd(sandbox.run({ runId: randomUUID(), workspaceId, command: 'ls' }, never));
    await sandbox.prepare({ workspaceId, hostFolders: [], background: false }, never);
    await expect(run()).rejects.toMatchObject({ code: 'network_full', message: expect.stringContaining('b.lan:443') });
    expect(second.lines).not.toContain('POST /v1/runs');
    await run();
    expect(second.lines.at(-1)).toBe('POST /v1/runs');
    const put = second.asked.findLast(({ line }) => line.startsWith('PUT '));
    expect(put?.body).toMatchObject({ rules: [...rules, { host: 'a.lan', ports: [443], private: true }] });
  });

  it('requests for a workspace whose service is no longer configured fail', async () => {
    const { places, sandbox, workspaces } = await twoServices();
    const workspaceId = randomUUID();
    places.sessions.set(workspaceId, {
      sandbox: 'garage',
      carryOver: true,
      network: null,
      networkMore: [],
      image: null,
    });
    const gone = { code: 'sandbox_unreachable', message: expect.stringContaining('garage') };
    await expect(sandbox.executionContext(workspaceId, never)).rejects.toMatchObject(gone);
    await expect(workspaces.list(workspaceId, '', never)).rejects.toMatchObject(gone);
    await expect(toEnd(sandbox.run({ runId: randomUUID(), workspaceId, command: 'x' }, never))).rejects.toMatchObject(
      gone,
    );
  });

  it('reading a new workspace asks the default service, but does not assign the workspace to it', async () => {
    const { first, second, places, sandbox, workspaces } = await twoServices();
    const workspaceId = randomUUID();
    places.session(workspaceId, false);
    await workspaces.list(workspaceId, '', never);
    await sandbox.executionContext(workspaceId, never);
    await sandbox.executionContext(workspaceId, never, [], true);
    // The session's setting applies, unless the caller sets another one.
    expect(first.lines.slice(1)).toEqual([
      `GET /v1/workspaces/${workspaceId}/execution-context?carryOver=false`,
      `GET /v1/workspaces/${workspaceId}/execution-context?carryOver=true`,
    ]);
    expect([second.lines, places.sessions.get(workspaceId)?.sandbox]).toEqual([[], null]);
  });

  it('a run is looked up at its own service, or at all services if its service is unknown', async () => {
    const { first, second, places, sandbox } = await twoServices();
    const runId = randomUUID();
    second.runs.add(runId);
    expect(await sandbox.status(runId, never)).toMatchObject({ runId, state: 'ended' });
    expect(await sandbox.cancel(runId, never)).toEqual(outcome);
    expect(first.lines).toEqual([`GET /v1/runs/${runId}`, `DELETE /v1/runs/${runId}`]);
    places.runs.set(runId, 'attic');
    await sandbox.status(runId, never);
    expect([first.lines.length, second.lines.length]).toEqual([2, 3]);
    expect(await sandbox.status(randomUUID(), never)).toBeNull();
  });

  it('a run is not reported as unknown while one service does not answer', async () => {
    const { sandbox } = await twoServices();
    for (const close of closers.splice(1)) await close();
    await expect(sandbox.status(randomUUID(), never)).rejects.toMatchObject({ code: 'sandbox_unreachable' });
  });

  it('several services report one status: ready if any is ready, with the problems of the others', async () => {
    const { first, second, sandbox } = await twoServices();
    first.status = { ready: false, detail: 'no image', running: 1 };
    const folder = {
      name: 'media',
      containerPath: '/mnt/media',
      readOnly: true,
      mode: 'read-only' as const,
      whyNotHeld: null,
    };
    second.status = { running: 2, warm: 3, workspaces: { count: 4, sizeBytes: 5 }, hostFolders: [folder] };
    expect(await sandbox.describe(never)).toMatchObject({
      ready: true,
      detail: 'default: no image',
      running: 3,
      warm: 3,
      workspaces: { count: 5, sizeBytes: 15 },
      hostFolders: [folder],
    });
  });
});

describe('a run', () => {
  it('the session decides whether a run carries over its state, unless the request decides it', async () => {
    const { first, places, sandbox } = await twoServices();
    const workspaceId = randomUUID();
    places.sessions.set(workspaceId, {
      sandbox: 'default',
      carryOver: false,
      network: null,
      networkMore: [],
      image: null,
    });
    const request = { runId: randomUUID(), workspaceId, command: 'true' };
    const approved = { ...request, expectedContextDigest: 'b'.repeat(64), pinned: true };
    await toEnd(sandbox.run(request, never));
    await toEnd(sandbox.run({ ...approved, carryOver: true }, never));
    expect(first.asked.map(({ body }) => body)).toEqual([
      { ...request, carryOver: false },
      { ...approved, carryOver: true },
    ]);
  });
});

describe('files', () => {
  it('files of a workspace are sent and fetched completely, with their size if it is known', async () => {
    const { first, workspaces } = await twoServices();
    const workspaceId = randomUUID();
    const { sizeBytes, body } = await workspaces.read(workspaceId, '/workspace/é', 'file', never);
    expect([sizeBytes, await new Response(body).text()]).toEqual([3, 'abc']);
    const bytes = (async function* () {
      yield Buffer.from('one ');
      yield Buffer.from('two');
    })();
    await workspaces.write(workspaceId, 'a', 'archive', bytes, never);
    expect(first.asked.at(-1)).toEqual({ line: `PUT /v1/workspaces/${workspaceId}/archive?path=a`, body: 'one two' });
  });
});

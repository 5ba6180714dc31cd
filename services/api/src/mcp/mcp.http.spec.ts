import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestApi } from '../testing/test-api.js';

const SECRET = 'what only this machine may read';

describe('MCP servers over HTTP', () => {
  let api: TestApi;
  let operator: string;
  let inside: Server;
  let port: number;
  let asked: string[] = [];

  beforeAll(async () => {
    inside = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      if (request.url === '/moved') response.writeHead(307, { location: `http://127.0.0.2:${port}/mcp` }).end();
      else response.writeHead(404, { 'content-type': 'text/plain' }).end(SECRET);
    });
    await new Promise<void>((resolve) => void inside.listen(0, resolve));
    ({ port } = inside.address() as AddressInfo);
    api = await TestApi.start();
    operator = await api.tokenWith('observe', 'operate');
  });
  afterAll(async () => {
    await api?.stop();
    await new Promise((resolve) => inside?.close(resolve));
  });

  const connect = (alias: string, url: string, token: string) =>
    api.ask('POST', '/v1/mcp/servers', { body: { alias, url, headers: { 'Metadata-Flavor': 'Google' } }, token });

  it.each([
    ['this machine', () => `http://127.0.0.1:${port}/mcp`],
    ['this machine in another spelling', () => `http://0x7f.1:${port}/mcp`],
    ['this machine as IPv6', () => `http://[::ffff:127.0.0.1]:${port}/mcp`],
    ['this machine by a name', () => `http://localhost:${port}/mcp`],
    ['the metadata of a cloud', () => 'http://169.254.169.254/computeMetadata/v1/'],
    ['a private network', () => 'http://192.168.1.1/mcp'],
  ])('an operator cannot connect to %s as an MCP server', async (_, url) => {
    asked = [];
    const answer = await connect('inside', url(), operator);
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden', needed: 'admin' } });
    expect(asked).toEqual([]);
    expect((await api.ask('GET', '/v1/mcp/servers')).body.items).toEqual([]);
  });

  it('the list of MCP servers counts the tools that TOOL_SHARE hides from the model', async () => {
    const [tight, wide] = await Promise.all(['0.01', '0.5'].map((share) => TestApi.start({ TOOL_SHARE: share })));
    try {
      // Memory tools are not offered while the memory is empty, so they do not count as hidden either.
      const body = { content: 'the NAS is called odin' };
      for (const each of [tight, wide]) await each?.ask('POST', '/v1/memory/items', { body });
      const [less, all] = await Promise.all([
        tight?.ask('GET', '/v1/mcp/servers'),
        wide?.ask('GET', '/v1/mcp/servers'),
      ]);
      const { hidden, tools, share } = less?.body.hiddenTools ?? {};
      expect([hidden > 0, hidden <= tools, share]).toEqual([true, true, 0.01]);
      expect(all?.body.hiddenTools).toMatchObject({ hidden: 0, tools, share: 0.5 });
    } finally {
      await Promise.all([tight?.stop(), wide?.stop()]);
    }
  }, 60_000);

  it('a tool that AUTO_APPROVE allows is marked in the list, and can be called without the scope decide', async () => {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        if (request.method !== 'POST') return void response.writeHead(405).end();
        const { id, method } = JSON.parse(body) as { id?: number; method: string };
        if (id === undefined) return void response.writeHead(202).end();
        const result = {
          initialize: {
            protocolVersion: '2025-06-18',
            capabilities: { tools: {} },
            serverInfo: { name: 'house', version: '1' },
          },
          'tools/list': { tools: ['frob', 'twiddle'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
          'tools/call': { content: [{ type: 'text', text: 'done' }] },
        }[method];
        const error = { code: -32_601, message: 'no such method' };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }));
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, resolve));
    const other = await TestApi.start({ AUTO_APPROVE: 'house.frob' });
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
      const { body: connected } = await other.ask('POST', '/v1/mcp/servers', { body: { alias: 'house', url } });
      expect(connected).toMatchObject({ state: 'connected', tools: 2 });
      const { body } = await other.ask('GET', '/v1/mcp/tools');
      const shown = body.items.map(({ label, autoApproved }: Record<string, unknown>) => [label, autoApproved]);
      expect(shown).toEqual([
        ['house.frob', true],
        ['house.twiddle', false],
      ]);
      const token = await other.tokenWith('observe', 'operate');
      const call = (label: string) =>
        other.ask('POST', `/v1/mcp/tools/${label}/call`, { body: { arguments: {} }, token });
      expect([(await call('house.frob')).status, (await call('house.twiddle')).status]).toEqual([200, 403]);
    } finally {
      await other.stop();
      server.close();
      server.closeAllConnections();
    }
  }, 60_000);

  it('an admin can connect to an internal address, but cannot see a response that is not MCP', async () => {
    asked = [];
    const { status, body } = await connect('home', `http://127.0.0.1:${port}/mcp`, api.token);
    expect([status, body.state]).toEqual([201, 'waiting']);
    expect(asked).toContain('POST /mcp');
    expect(JSON.stringify(body)).not.toContain(SECRET);
  });

  it('aish does not follow a redirect from an MCP server', async () => {
    asked = [];
    const { body } = await connect('moved', `http://127.0.0.1:${port}/moved`, api.token);
    expect(asked).not.toContain('POST /mcp');
    expect(body.detail).toContain('HTTP 307');
  });

  it('an operator cannot replace an MCP server that an admin connected', async () => {
    expect(await connect('home', 'https://mcp.example/mcp', operator)).toMatchObject({
      status: 409,
      body: { code: 'mcp_alias_taken' },
    });
  });

  it('an observer cannot connect an MCP server, and an invalid body is refused', async () => {
    const observer = await api.tokenWith('observe');
    expect((await connect('x', 'https://mcp.example', observer)).body).toMatchObject({
      code: 'forbidden',
      needed: 'operate',
    });
    const wrong = await api.ask('POST', '/v1/mcp/servers', { body: { url: 'file:///etc/passwd', what: 1 } });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    expect(wrong.body.errors.map(({ path }: { path: string }) => path)).toContain('url');
  });

  it('a disconnected MCP server is removed, and a second disconnect fails', async () => {
    expect(await api.ask('DELETE', '/v1/mcp/servers/home')).toMatchObject({ status: 200, body: { state: 'closed' } });
    expect((await api.ask('DELETE', '/v1/mcp/servers/home')).body.code).toBe('not_found');
    const audit = await api.ask('GET', '/v1/audit?limit=50');
    expect(audit.body.items.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['mcp.connected', 'mcp.disconnected']),
    );
  });
});

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { McpServerList, McpToolList, type McpServerStatus } from '@aish/contracts/mcp';
import { NewToken } from '@aish/contracts/tokens';
import { ToolResult } from '@aish/contracts/tools';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import pg from 'pg';
import { verifies } from '../requirements.js';
import { aish } from '../support/aish.command.js';
import { ApiClient } from '../support/api.client.js';
import { closeAll } from '../support/close-all.js';
import { EverythingServer } from '../support/everything.server.js';
import { eventually } from '../support/eventually.js';
import { plan } from '../support/plan.js';
import { scriptedStack } from '../support/scripted-stack.js';
import { freePort, ROOT } from '../support/service.process.js';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('the use of MCP servers', () => {
  let streamable: EverythingServer;
  let sse: EverythingServer;
  let dir: string;

  const running = scriptedStack(plan('CMD: sleep 60', 'GOAL: complete'), async () => {
    dir = await mkdtemp(join(tmpdir(), 'aish-mcp-'));
    await writeFile(join(dir, 'bearer'), 'a-bearer-token\n', { mode: 0o600 });
    [streamable, sse] = await Promise.all([EverythingServer.start('streamableHttp'), EverythingServer.start('sse')]);
    const servers = {
      every: { url: streamable.url, auto_approve: ['echo'], bearer_token_file: join(dir, 'bearer') },
      old: { url: sse.url },
      away: { url: `http://127.0.0.1:${await freePort()}/mcp` },
    };
    return { env: { MCP_SERVERS: JSON.stringify(servers) } };
  });

  afterAll(
    () =>
      closeAll(
        () => streamable?.stop(),
        () => sse?.stop(),
        () => rm(dir, { recursive: true, force: true }),
      ),
    60_000,
  );

  const online = (...args: string[]) =>
    aish({ url: running.stack.client.url, tokenFile: join(running.stack.dir, 'token') }, args);
  const servers = () => running.stack.client.json(McpServerList, 'GET', '/v1/mcp/servers');
  const serverOf = async (alias: string): Promise<McpServerStatus | undefined> =>
    (await servers()).items.find((server) => server.alias === alias);
  const call = (label: string, args: object) =>
    running.stack.client.json(ToolResult, 'POST', `/v1/mcp/tools/${label}/call`, { arguments: args });

  const tokenOf = async (...scopes: string[]): Promise<string> =>
    (await running.stack.client.json(NewToken, 'POST', '/v1/tokens', { name: scopes.join(' '), scopes })).token;

  it(
    verifies('mcp.everything-http'),
    async () => {
      await eventually('both are connected', async () => {
        const states = (await servers()).items.map(({ alias, state, transport }) => `${alias} ${state} ${transport}`);
        return states[1] === 'every connected streamable' && states[2] === 'old connected sse' ? states : null;
      });
      // An unavailable server is reported and blocks nobody.
      expect(await serverOf('away')).toMatchObject({ state: 'waiting', detail: expect.stringMatching(/ECONNREFUSED/) });
      const tools = (await running.stack.client.json(McpToolList, 'GET', '/v1/mcp/tools')).items;
      expect(tools.find(({ label }) => label === 'every.echo')).toMatchObject({
        name: 'every__echo',
        autoApproved: true,
      });
      expect(tools.find(({ label }) => label === 'old.echo')).toMatchObject({ name: 'old__echo', autoApproved: false });
      for (const alias of ['every', 'old']) {
        expect(await call(`${alias}.echo`, { message: 'hi' })).toMatchObject({ text: 'Echo: hi', isError: false });
        const picture = await call(`${alias}.get-tiny-image`, {});
        expect(picture.attachments).toMatchObject([{ kind: 'image', mimeType: 'image/png', sizeBytes: 4033 }]);
        expect(await call(`${alias}.trigger-long-running-operation`, { duration: 1, steps: 2 })).toMatchObject({
          text: expect.stringContaining('completed'),
        });
      }
      // A person without scope decide cannot run a tool that the gate cannot judge.
      const operator = new ApiClient(running.stack.client.url, await tokenOf('operate'));
      const long = operator.json(ToolResult, 'POST', '/v1/mcp/tools/old.trigger-long-running-operation/call', {});
      await expect(long).rejects.toThrow(/403.*decide/);
      const echo = { arguments: { message: 'hi' } };
      expect(await operator.json(ToolResult, 'POST', '/v1/mcp/tools/old.echo/call', echo)).toMatchObject({
        isError: false,
      });
      const resources = await online('mcp', 'show', '--resource', '--json');
      expect(JSON.parse(resources.stdout)).toMatchObject({
        items: expect.arrayContaining([expect.objectContaining({ alias: 'every', isTemplate: true })]),
        failed: [expect.objectContaining({ alias: 'away', code: 'mcp_unreachable' })],
      });
      const text = await online('mcp', 'show', '--resource', 'every', 'demo://resource/static/document/features.md');
      expect(text.stdout).toContain('#');
      const prompt = await online('mcp', 'show', '--prompt', 'every', 'args-prompt', 'city=Paris');
      expect(prompt.stdout).toContain('Paris');
      const shown = await online('mcp', 'show', 'every.echo');
      expect(shown.stdout).toContain('"message"');
      expect((await online('mcp', 'call', 'every.echo', '{"message":"from a script"}')).stdout).toBe(
        'Echo: from a script\n',
      );
      expect((await online('mcp', 'list')).stdout).toMatch(/every\s+connected\s+\d+ tools/);
    },
    60_000,
  );

  it(
    verifies('mcp.questions-apart'),
    async () => {
      const main = `${ROOT}tests/dist/support/ask-apart.main.js`;
      const { stdout } = await promisify(execFile)(process.execPath, [main, streamable.url], { timeout: 30_000 });
      expect(JSON.parse(stdout)).toEqual(['Ada', 'Bob', 'Eve']);
    },
    60_000,
  );

  it(
    verifies('mcp.run-time'),
    async () => {
      const extra = await EverythingServer.start('streamableHttp');
      try {
        const connected = await online('mcp', 'connect', extra.url, 'extra', '--save', '-H', 'X-Secret: s3cr3t-value');
        expect(connected).toMatchObject({ code: 0, stdout: expect.stringMatching(/extra {2}connected/) });
        const twice = await online('mcp', 'connect', extra.url, 'extra');
        expect(twice).toMatchObject({ code: 1, stderr: expect.stringContaining('mcp_alias_taken') });
        const kept = await query(running.stack.database.url, 'select * from mcp_servers');
        expect(JSON.stringify(kept)).not.toContain('s3cr3t');
        expect(kept).toMatchObject([{ alias: 'extra', sealed: expect.stringMatching(/^v1\./) }]);
        await running.stack.api.kill('SIGTERM');
        await running.stack.api.start();
        await eventually('it is connected again', async () => (await serverOf('extra'))?.state === 'connected');
        await extra.stop();
        await eventually('its end is seen', async () => (await serverOf('extra'))?.state !== 'connected', {
          timeoutMs: 90_000,
        });
        await extra.start();
        await eventually('it is connected by itself', async () => (await serverOf('extra'))?.state === 'connected', {
          timeoutMs: 90_000,
        });
        expect(await online('mcp', 'remove', 'extra')).toMatchObject({ code: 0 });
        expect(await serverOf('extra')).toBeUndefined();
        expect(await online('mcp', 'remove', 'every')).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('configuration'),
        });
      } finally {
        await extra.stop();
      }
    },
    240_000,
  );

  it(
    verifies('mcp.documented'),
    async () => {
      const lines = readFileSync(`${ROOT}docs/mcp.md`, 'utf8').matchAll(/^ {4}\$ npx aish (.*)$/gm);
      const commands = [...lines].map(([, command = '']) =>
        command.replace('http://127.0.0.1:3001/mcp', streamable.url),
      );
      expect(commands.length).toBeGreaterThan(5);
      for (const command of commands) {
        const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
        expect([command, await online(...words)]).toEqual([command, expect.objectContaining({ code: 0 })]);
      }
    },
    60_000,
  );

  describe('aish as an MCP server', () => {
    async function token(name: string, ...scopes: string[]): Promise<string> {
      return (await running.stack.client.json(NewToken, 'POST', '/v1/tokens', { name, scopes })).token;
    }

    async function clientWith(secret: string, mode: 'auto' | 'legacy' = 'auto'): Promise<Client> {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      const requestInit = { headers: { authorization: `Bearer ${secret}` } };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${running.stack.client.url}/mcp`), { requestInit }),
      );
      return client;
    }

    const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
    const answer = async (client: Client, name: string, args: Record<string, unknown> = {}) => {
      const result = await client.callTool({ name, arguments: args });
      const [block] = result.content;
      const value: unknown = JSON.parse(block?.type === 'text' ? block.text : '');
      return { isError: result.isError === true, value };
    };

    it(
      verifies('mcp.serves'),
      async () => {
        for (const [mode, version] of [
          ['auto', '2026-07-28'],
          ['legacy', '2025-11-25'],
        ] as const) {
          const client = await clientWith(await token(`operator-${mode}`, 'operate'), mode);
          expect(client.getNegotiatedProtocolVersion()).toBe(version);
          expect(await answer(client, 'check_safety', { command: 'rm -rf build' })).toMatchObject({
            value: { verdict: 'destructive' },
          });
          const started = await answer(client, 'start_goal', { text: `tidy up ${mode}` });
          expect(started).toMatchObject({ isError: false, value: { state: 'queued', text: `tidy up ${mode}` } });
          const goal = String((started.value as { goal: number }).goal);
          expect(await answer(client, 'list_goals', { limit: 1 })).toMatchObject({
            value: { goals: [{ goal: Number(goal) }] },
          });
          expect(await answer(client, 'cancel_goal', { goal })).toMatchObject({ value: { state: 'aborted' } });
          expect(await answer(client, 'show_goal', { goal })).toMatchObject({ value: { state: 'aborted' } });
          expect(await answer(client, 'show_goal', { goal: '999999' })).toMatchObject({
            isError: true,
            value: { code: 'not_found' },
          });
          await client.close();
        }
        const watcher = await clientWith(await token('watcher', 'observe'));
        expect(await names(watcher)).toEqual(expect.not.arrayContaining(['start_goal', 'cancel_goal']));
        expect(await names(watcher)).toEqual(expect.arrayContaining(['check_safety', 'list_goals', 'show_goal']));
        await expect(watcher.callTool({ name: 'start_goal', arguments: { text: 'x' } })).rejects.toThrow(/start_goal/);
        await watcher.close();
        await expect(clientWith('aish_nonsense')).rejects.toThrow(/401|token/i);
      },
      60_000,
    );

    it(
      verifies('mcp.no-verdicts'),
      async () => {
        const deciding = await clientWith(await token('decider', 'admin', 'decide', 'operate'));
        const { tools } = await deciding.listTools();
        // No tool takes a decision or a verdict.
        for (const { name, inputSchema } of tools) {
          expect(name).not.toMatch(/decid|decision|verdict|proceed|approve|confirm|grant/i);
          expect(Object.keys(inputSchema.properties ?? {}).join(' ')).not.toMatch(/decision|verdict|proceed|approve/i);
        }
        await expect(
          deciding.callTool({ name: 'decide', arguments: { decision: 'd1', verdict: 'proceed' } }),
        ).rejects.toThrow(/decide/);
        await deciding.close();
      },
      30_000,
    );

    it(
      verifies('mcp.rebinding'),
      async () => {
        const { token: secret } = running.stack.client;
        const ask = (headers: Record<string, string>, body = '{"jsonrpc":"2.0","id":1,"method":"ping"}') =>
          new Promise<number>((resolve, reject) => {
            const all = {
              authorization: `Bearer ${secret}`,
              'content-type': 'application/json',
              accept: 'application/json, text/event-stream',
              ...headers,
            };
            const asked = httpRequest(
              `${running.stack.client.url}/mcp`,
              { method: 'POST', headers: all },
              (response) => {
                response.resume();
                resolve(response.statusCode ?? 0);
              },
            );
            asked.once('error', reject).end(body);
          });
        expect(await ask({})).toBe(200);
        expect(await ask({ host: 'evil.example' })).toBe(403);
        expect(await ask({ origin: 'http://evil.example' })).toBe(403);
        expect(await ask({ origin: 'http://localhost:3000' })).toBe(200);
        expect(await ask({ authorization: '' })).toBe(401);
        expect(await ask({}, `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(300_000)}"}`)).toBe(413);
        expect(await ask({}, '{"jsonrpc"')).toBe(400);
        expect((await running.stack.client.request('GET', '/mcp')).status).toBe(405);
      },
      30_000,
    );
  });
});

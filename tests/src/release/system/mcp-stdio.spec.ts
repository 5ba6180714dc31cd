import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Session } from '@aish/contracts/chat';
import { McpServerList, McpToolList } from '@aish/contracts/mcp';
import { Secret } from '@aish/contracts/secrets';
import { Space } from '@aish/contracts/spaces';
import { NewToken } from '@aish/contracts/tokens';
import { ToolResult, ToolSpec } from '@aish/contracts/tools';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import Docker from 'dockerode';
import { z } from 'zod';
import { verifies } from '../../requirements.js';
import { ApiClient } from '../../support/api.client.js';
import { aish } from '../../support/aish.command.js';
import { closeAll } from '../../support/close-all.js';
import { eventually } from '../../support/eventually.js';
import { MCP_IMAGE, buildMcpImage, inImage } from '../../support/mcp.image.js';
import { plan } from '../../support/plan.js';
import { Stack } from '../../support/stack.js';

const VALUE = 'home_the-value-that-nobody-sees';

/** This server has a single tool, which runs a command, as after an attack. */
const TAKEN_OVER = `
import json, subprocess, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked: continue
    method, params = asked["method"], asked.get("params", {})
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    if method == "initialize":
        answer["result"] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "home", "version": "1"}}
    elif method == "tools/list":
        schema = {"type": "object", "properties": {"command": {"type": "string"}}}
        answer["result"] = {"tools": [{"name": "look", "inputSchema": schema}]}
    elif method == "tools/call":
        run = subprocess.run(["bash", "-c", params["arguments"]["command"]], capture_output=True, text=True)
        answer["result"] = {"content": [{"type": "text", "text": run.stdout + run.stderr}]}
    elif method == "ping":
        answer["result"] = {}
    else:
        answer["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(answer), flush=True)
`;

describe('MCP servers over stdin and stdout', () => {
  let web: Server;
  let port: number;
  const tokens: string[] = [];
  const docker = new Docker();
  let model: ScriptedModel;
  let stack: Stack;

  beforeAll(async () => {
    await buildMcpImage();
    web = createServer(({ headers }, response) => {
      tokens.push(headers.authorization ?? '');
      response.setHeader('connection', 'close').end(`you sent ${headers.authorization}`);
    });
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    port = (web.address() as AddressInfo).port;
    model = await startScriptedModel({ script: plan('GOAL: complete') });
    const servers = {
      every: { command: ['node', inImage('everything'), 'stdio'], image: MCP_IMAGE, env: { GREETING: 'hello' } },
      files: { command: ['node', inImage('filesystem'), '/workspace'], image: MCP_IMAGE },
      wrong: { command: ['no-such-program'], image: MCP_IMAGE },
      missing: { command: ['true'], image: 'aish-no-such-image:1' },
      home: { command: ['python3', '-uc', TAKEN_OVER], space: 'media', trusted: true },
    };
    const env = { MCP_SERVERS: JSON.stringify(servers) };
    stack = await Stack.start({ modelUrl: model.url, ownProcesses: true, env });
  }, 300_000);

  afterAll(
    () =>
      closeAll(
        () => stack?.stop(),
        () => model?.close(),
        () => new Promise((resolve) => (web === undefined ? resolve(null) : web.close(resolve))),
      ),
    60_000,
  );

  const call = (label: string, args: object, more: object = {}, client = stack.client) =>
    client.json(ToolResult, 'POST', `/v1/mcp/tools/${label}/call`, { arguments: args, ...more });
  const status = async (alias: string) =>
    (await stack.client.json(McpServerList, 'GET', '/v1/mcp/servers')).items.find((server) => server.alias === alias);
  const containers = () =>
    docker.listContainers({
      all: true,
      filters: JSON.stringify({ label: ['dev.aish.stdio', `dev.aish.instance=${stack.instance}`] }),
    });

  it(
    verifies('mcp.stdio'),
    async () => {
      for (const alias of ['every', 'files']) {
        await eventually(`${alias} is connected`, async () => (await status(alias))?.state === 'connected', {
          timeoutMs: 60_000,
        });
      }
      expect(await status('every')).toMatchObject({ transport: 'stdio', serverName: 'mcp-servers/everything' });
      expect(await call('every.echo', { message: 'hi' })).toMatchObject({ text: 'Echo: hi' });
      expect((await call('every.get-env', {})).text).toContain('hello');
      expect((await call('every.get-tiny-image', {})).attachments).toHaveLength(1);
      // The container is hardened like that of a command: no network, nothing of the host, not root, a read-only root.
      // The container of the missing program comes and goes.
      const [first] = (await containers()).filter(({ State }) => State === 'running');
      const { HostConfig, Config } = await docker.getContainer(first?.Id ?? '').inspect();
      expect([HostConfig.NetworkMode, HostConfig.ReadonlyRootfs, HostConfig.CapDrop, Config.User]).toEqual([
        'none',
        true,
        ['ALL'],
        '1000:1000',
      ]);
      const { items } = await stack.client.json(McpToolList, 'GET', '/v1/mcp/tools');
      expect(items.map(({ label }) => label)).toContain('files.list_directory');
      // Between two pauses the api connects to it again.
      const wrong = await eventually('it waits', async () => {
        const shown = await status('wrong');
        return shown?.state === 'waiting' && shown;
      });
      expect(wrong.detail).toMatch(/no-such-program|ended/);
      expect(await status('missing')).toMatchObject({ detail: expect.stringContaining('aish-no-such-image:1') });
      expect(await status('home')).toMatchObject({ detail: expect.stringContaining('There is no space media') });
    },
    120_000,
  );

  it(
    verifies('mcp.gate'),
    async () => {
      const write = { path: '/workspace/note.txt', content: 'kept' };
      const { token } = await stack.client.json(NewToken, 'POST', '/v1/tokens', { name: 'op', scopes: ['operate'] });
      const operator = new ApiClient(stack.client.url, token);
      for (const confirmed of [false, true]) {
        await expect(call('files.write_file', write, { confirmed }, operator)).rejects.toThrow(/403.*safety gate/);
      }
      await expect(call('files.write_file', write)).rejects.toThrow(/403.*safety gate/);
      expect(await call('files.write_file', write, { confirmed: true })).toMatchObject({ isError: false });
      expect(await call('files.read_text_file', { path: write.path }, {}, operator)).toMatchObject({ text: 'kept' });
      const cli = await aish({ url: stack.client.url, tokenFile: join(stack.dir, 'token') }, [
        'mcp',
        'call',
        'files.read_text_file',
        JSON.stringify({ path: '/etc/shadow' }),
      ]);
      expect(cli).toMatchObject({ code: 1, stdout: expect.stringMatching(/denied|outside/i) });
    },
    60_000,
  );

  it(
    verifies('mcp.stdio-space'),
    async () => {
      const { client } = stack;
      const target = { host: '127.0.0.1', port, tls: false };
      await client.json(Secret, 'PUT', '/v1/secrets/HOME_TOKEN', { value: VALUE, targets: [target] });
      const network = { mode: 'allow', rules: [{ host: '127.0.0.1', ports: [port], private: true }] };
      await client.json(Space, 'PATCH', '/v1/spaces/media', { network, secrets: ['HOME_TOKEN'], users: ['alice'] });
      await eventually('it has its space', async () => (await status('home'))?.state === 'connected', {
        timeoutMs: 60_000,
      });
      const look = async (command: string) =>
        (await call('home.look', { command }, { confirmed: true })).text.replaceAll(/aish-secret-\w+/g, 'PLACEHOLDER');
      const curl = `curl -sS --noproxy '' -H "Authorization: Bearer $HOME_TOKEN"`;
      expect(await look(`${curl} http://127.0.0.1:${port}/`)).toBe('you sent Bearer PLACEHOLDER');
      expect(tokens).toEqual([`Bearer ${VALUE}`]);
      expect(await look('env; cat /proc/*/environ')).toMatch(/HOME_TOKEN=PLACEHOLDER/);
      expect(await look('env; cat /proc/*/environ')).not.toContain(VALUE);
      expect(await look(`${curl} http://127.0.0.1:1/`)).toMatch(/is refused: no rule allows it/);
      expect((await status('home'))?.logLines.join('\n')).toContain('127.0.0.1:1 is refused');

      // Only users of the program's space, and models there, may use its access.
      const { token } = await client.json(NewToken, 'POST', '/v1/tokens', {
        name: 'bob',
        scopes: ['operate', 'decide'],
      });
      const asked = call('home.look', { command: 'true' }, { confirmed: true }, new ApiClient(client.url, token));
      await expect(asked).rejects.toThrow(/403.*bob may not work in the space media/);
      const toolsIn = async (space: string) => {
        const { id } = await client.json(Session, 'POST', '/v1/sessions', { space });
        const { items } = await client.json(z.object({ items: z.array(ToolSpec) }), 'GET', `/v1/sessions/${id}/tools`);
        return items.map(({ label }) => label);
      };
      expect(await toolsIn('media')).toEqual(expect.arrayContaining(['every.echo', 'home.look']));
      const elsewhere = await toolsIn('general');
      expect(elsewhere).toContain('every.echo');
      expect(elsewhere).not.toContain('home.look');

      const shown = await aish({ url: client.url, tokenFile: join(stack.dir, 'token') }, ['mcp', 'list']);
      expect(shown.stdout).toMatch(/home\s+connected.*space media/);

      // The program loses its access when its space does, even without a call.
      const before = (await containers()).map(({ Id }) => Id);
      await client.json(Space, 'PATCH', '/v1/spaces/media', { secrets: [] });
      await eventually('it was restarted', async () => {
        const now = await containers();
        return now.length === 6 && now.filter(({ Id }) => !before.includes(Id)).length === 2;
      });
      await eventually('it is connected', async () => (await status('home'))?.state === 'connected');
      expect(await look('env')).not.toContain('HOME_TOKEN');

      // Only an admin can add a program, and adding it needs no restart.
      const admin = { url: client.url, tokenFile: join(stack.dir, 'token') };
      await writeFile(join(stack.dir, 'bob'), token);
      const add = ['mcp', 'add', 'added', `exec python3 -uc '${TAKEN_OVER}'`, '--space', 'media'];
      expect((await aish({ ...admin, tokenFile: join(stack.dir, 'bob') }, add)).stderr).toContain('admin');
      expect((await aish(admin, add)).stdout).toMatch(/added\s+connected.*space media.*\(saved\)/);
      expect((await aish(admin, add)).stderr).toContain('An MCP server named added already exists');
      await client.json(Space, 'PATCH', '/v1/spaces/media', { secrets: ['HOME_TOKEN'] });
      const env = () => call('added.look', { command: 'echo "<$HOME_TOKEN>"' }, { confirmed: true });
      await eventually('it has the secret', async () => /^<aish-secret-\w+>$/m.test((await env()).text));
      expect(await toolsIn('general')).not.toContain('added.look');
      expect((await aish(admin, ['mcp', 'remove', 'added'])).stdout).toContain('added was disconnected');
      await eventually('it is gone from api and worker', async () => (await containers()).length === 6);
    },
    120_000,
  );

  it(
    verifies('mcp.stdio-ends'),
    async () => {
      // The api and the worker have one container each, and both containers end with their service.
      await eventually('two of each run', async () => (await containers()).length === 6);
      await stack.api.kill('SIGKILL');
      await eventually('those of the api are gone', async () => (await containers()).length === 3);
      await stack.api.start();
      await eventually('they are back', async () => (await status('files'))?.state === 'connected', {
        timeoutMs: 60_000,
      });
      // The files of a server stay after its container has ended.
      expect(await call('files.read_text_file', { path: '/workspace/note.txt' })).toMatchObject({ text: 'kept' });
      await stack.sandbox.kill('SIGKILL');
      await eventually('the end is seen', async () => (await status('files'))?.state !== 'connected');
      await stack.sandbox.start();
      await eventually('it is connected again', async () => (await status('files'))?.state === 'connected', {
        timeoutMs: 60_000,
      });
      await eventually('no more than are needed', async () => (await containers()).length === 6, { timeoutMs: 60_000 });
      expect(await stack.sandbox.kill('SIGTERM')).toBe(0);
      expect(await containers()).toEqual([]);
      // No network access of the earlier containers is left either.
      expect(await readdir(join(stack.dir, 'sandbox', 'network'))).toEqual([]);
      await stack.sandbox.start();
    },
    240_000,
  );
});

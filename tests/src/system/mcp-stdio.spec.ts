import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { McpServerList, McpToolList } from '@aish/contracts/mcp';
import { NewToken } from '@aish/contracts/tokens';
import { ToolResult } from '@aish/contracts/tools';
import { startScriptedModel, type ScriptedModel } from '@aish/rehearsal';
import Docker from 'dockerode';
import { verifies } from '../requirements.js';
import { ApiClient } from '../support/api.client.js';
import { aish } from '../support/aish.command.js';
import { closeAll } from '../support/close-all.js';
import { eventually } from '../support/eventually.js';
import { MCP_IMAGE, buildMcpImage, inImage } from '../support/mcp.image.js';
import { plan } from '../support/plan.js';
import { Stack } from '../support/stack.js';

describe('MCP servers over stdin and stdout', () => {
  const docker = new Docker();
  let model: ScriptedModel;
  let stack: Stack;

  beforeAll(async () => {
    await buildMcpImage();
    model = await startScriptedModel({ script: plan('GOAL: complete') });
    const servers = {
      every: { command: ['node', inImage('everything'), 'stdio'], image: MCP_IMAGE, env: { GREETING: 'hello' } },
      files: { command: ['node', inImage('filesystem'), '/workspace'], image: MCP_IMAGE },
      wrong: { command: ['no-such-program'], image: MCP_IMAGE },
      missing: { command: ['true'], image: 'aish-no-such-image:1' },
      online: { command: ['true'], image: MCP_IMAGE, network: true },
    };
    stack = await Stack.start({ modelUrl: model.url, env: { MCP_SERVERS: JSON.stringify(servers) } });
  }, 300_000);

  afterAll(
    () =>
      closeAll(
        () => stack?.stop(),
        () => model?.close(),
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
      // It is hardened as a command is: no network, nothing of the host, not root, a read-only root.
      // That of the program that is not there comes and goes.
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
      expect(await status('wrong')).toMatchObject({
        state: 'waiting',
        detail: expect.stringMatching(/no-such-program|ended/),
      });
      expect(await status('missing')).toMatchObject({ detail: expect.stringContaining('aish-no-such-image:1') });
      expect(await status('online')).toMatchObject({ detail: expect.stringContaining('network') });
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
    verifies('mcp.stdio-ends'),
    async () => {
      // The api and the worker have one each; both go with the service that wanted them.
      await eventually('two of each run', async () => (await containers()).length === 4);
      await stack.api.kill('SIGKILL');
      await eventually('those of the api are gone', async () => (await containers()).length === 2);
      await stack.api.start();
      await eventually('they are back', async () => (await status('files'))?.state === 'connected', {
        timeoutMs: 60_000,
      });
      // What a server keeps stays.
      expect(await call('files.read_text_file', { path: '/workspace/note.txt' })).toMatchObject({ text: 'kept' });
      await stack.sandbox.kill('SIGKILL');
      await eventually('the end is seen', async () => (await status('files'))?.state !== 'connected');
      await stack.sandbox.start();
      await eventually('it is connected again', async () => (await status('files'))?.state === 'connected', {
        timeoutMs: 60_000,
      });
      await eventually('no more than are needed', async () => (await containers()).length === 4, { timeoutMs: 60_000 });
      expect(await stack.sandbox.kill('SIGTERM')).toBe(0);
      expect(await containers()).toEqual([]);
      await stack.sandbox.start();
    },
    240_000,
  );
});

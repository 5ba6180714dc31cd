import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Session } from '@aish/contracts/chat';
import { DecisionList, type Decision } from '@aish/contracts/decisions';
import { GoalSnapshotList } from '@aish/contracts/files';
import { NetworkPolicy } from '@aish/contracts/network';
import Docker from 'dockerode';
import { verifies } from '../../requirements.js';
import { aish, type CommandResult } from '../../support/aish.command.js';
import { ChatClient, bodiesOf, type StreamItem } from '../../support/chat.client.js';
import { closeAll } from '../../support/close-all.js';
import { eventually } from '../../support/eventually.js';
import { scriptedStack } from '../../support/scripted-stack.js';

const docker = new Docker({ socketPath: '/var/run/docker.sock' });

describe('the sandbox of a chat', () => {
  let web: Server;
  let port: number;
  let folder: string;
  let chat: ChatClient;

  const running = scriptedStack(
    // The person's message is the command that the model runs.
    (messages) => {
      const lastMessage = messages.at(-1)?.content ?? '';
      return {
        text: lastMessage.includes('run: ') ? `CMD: ${lastMessage.slice(lastMessage.indexOf('run: ') + 5)}` : 'Well.',
      };
    },
    async () => {
      web = createServer((_, response) => response.setHeader('connection', 'close').end('from outside'));
      await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
      port = (web.address() as AddressInfo).port;
      folder = await mkdtemp(join(tmpdir(), 'aish-folder-'));
      await chmod(folder, 0o755);
      await writeFile(join(folder, 'note'), 'of the host\n', { mode: 0o644 });
      const folders = [{ name: 'shared', hostPath: folder, containerPath: '/mnt/shared' }];
      return { workers: 0, env: { SANDBOX_HOST_FOLDERS: JSON.stringify(folders), CONFIRM_CMD: 'false' } };
    },
  );

  beforeAll(() => {
    chat = new ChatClient(running.stack.client);
  });

  afterAll(
    () =>
      closeAll(
        () => new Promise<void>((resolve) => web.close(() => resolve())),
        () => rm(folder, { recursive: true, force: true }),
      ),
    60_000,
  );

  const cli = (...args: string[]): Promise<CommandResult> =>
    aish({ url: running.stack.client.url, tokenFile: join(running.stack.dir, 'token') }, args);
  const outputOf = (items: readonly StreamItem[]) => bodiesOf(items, 'action.finished')[0]?.outcome?.output;
  const reach = (id: string) =>
    running.stack.client.json(NetworkPolicy, 'PUT', `/v1/sessions/${id}/network`, {
      mode: 'allow',
      rules: [{ host: '127.0.0.1', ports: [port], private: true }],
    });
  const questionOf = (id: string): Promise<Decision> =>
    eventually('a question', async () => {
      const { items } = await running.stack.client.json(DecisionList, 'GET', '/v1/decisions');
      return items.find(({ sessionId }) => sessionId === id);
    });
  /** Sends a message that leads to a decision, and approves it. */
  async function approved(id: string, text: string): Promise<{ items: readonly StreamItem[]; decision: Decision }> {
    const exchange = chat.exchange(id, text);
    const decision = await questionOf(id);
    await running.stack.client.decide(decision.number, 'proceed');
    return { items: await exchange, decision };
  }

  it(
    verifies('network.policy', "the destinations of a chat's command are events, even if the command was stopped"),
    async () => {
      const { id } = await chat.create();
      await reach(id);
      const fetching = `curl -sS --noproxy '' http://127.0.0.1:${port}/; curl -sS http://example.org/`;
      const items = await chat.exchange(id, `run: ${fetching}`);
      const reached = [
        { host: '127.0.0.1', port, allowed: true, count: 1, goalId: null },
        { host: 'example.org', port: 80, allowed: false, reason: 'no rule allows it' },
      ];
      expect(bodiesOf(items, 'network.connection')).toMatchObject(reached);
      expect(outputOf(items)).toMatch(/^from outside/);

      const stopped: StreamItem[] = [];
      for await (const item of chat.send(id, `run: ${fetching}; echo there; sleep 60`)) {
        stopped.push(item);
        if (item.body.type === 'action.output' && item.body.text.includes('there'))
          await running.stack.client.request('POST', `/v1/sessions/${id}/stop`);
      }
      expect(bodiesOf(stopped, 'network.connection')).toMatchObject(reached);
      expect(bodiesOf(stopped, 'action.finished')[0]?.outcome).toMatchObject({ cancelled: true });
      expect(bodiesOf(stopped, 'exchange.ended')).toMatchObject([{ end: 'stopped' }]);
    },
    60_000,
  );

  it(
    verifies('sandbox.host-folders', 'a chat gets only the host folders that a person names'),
    async () => {
      const wrong = await running.stack.client.request('POST', '/v1/sessions', { hostFolders: ['etc'] });
      expect([wrong.status, await wrong.json()]).toMatchObject([
        400,
        { code: 'mount_not_allowed', allowed: ['shared'] },
      ]);
      const { id, number, hostFolders } = await chat.create({ hostFolders: ['shared'] });
      expect(hostFolders).toEqual(['shared']);
      expect(outputOf(await chat.exchange(id, 'run: cat /mnt/shared/note'))).toBe('of the host\n');
      expect(
        running.model.requests
          .at(-1)
          ?.messages.map(({ content }) => content)
          .join('\n'),
      ).toContain('folders of the host that commands find: /mnt/shared (read-only)');
      const patched = await running.stack.client.request('PATCH', `/v1/sessions/${id}`, { hostFolders: ['etc'] });
      expect(patched.status).toBe(400);
      const taken = Session.parse(JSON.parse((await cli('set', `c${number}`, '--folder', 'none', '--json')).stdout));
      expect(taken.hostFolders).toEqual([]);
      expect(outputOf(await chat.exchange(id, 'run: cat /mnt/shared/note'))).toContain('No such file');
      const asked = await cli('ask', '-s', String(number), '--folder', 'shared', 'run: cat /mnt/shared/note');
      expect([asked.code, asked.stderr]).toEqual([0, expect.stringContaining('of the host')]);
      const begun = await cli('ask', '--folder', 'shared', 'run: cat /mnt/shared/note');
      expect([begun.code, begun.stderr]).toEqual([0, expect.stringContaining('of the host')]);
      expect((await cli('ask', '--folder', 'etc', 'hello')).stderr).toContain('The host folder etc is not allowed');
    },
    60_000,
  );

  it(
    verifies('undo.restores', 'an approved destructive command in a chat can be undone'),
    async () => {
      const { id, number } = await chat.create();
      await chat.exchange(id, 'run: mkdir d && echo precious > d/file');
      const { items, decision } = await approved(id, 'run: rm -rf d');
      expect(bodiesOf(items, 'action.snapshot')).toMatchObject([
        { goalId: null, actionId: decision.actionId, reason: null },
      ]);
      const listed = await cli('undo', `c-${number}`, '--list', '--json');
      expect(GoalSnapshotList.parse(JSON.parse(listed.stdout)).items[0]).toMatchObject({
        actionId: decision.actionId,
        command: 'rm -rf d',
      });
      expect((await cli('file', 'list', `c-${number}`)).stdout).not.toContain('d/');
      expect(await cli('undo', '--yes')).toMatchObject({ code: 0 });
      const after = await chat.exchange(id, 'run: cat d/file');
      expect(outputOf(after)).toBe('precious\n');
      expect(bodiesOf(after, 'action.snapshot')).toEqual([]);
      expect(
        running.model.requests
          .at(-1)
          ?.messages.map(({ content }) => content)
          .join('\n'),
      ).toContain('action undone by');
    },
    60_000,
  );

  it('a safe command that needs a confirmation runs without a snapshot', async () => {
    const { id } = await chat.create({ confirmCommands: true });
    const { items } = await approved(id, 'run: mkdir new; echo harmless');
    expect(outputOf(items)).toBe('harmless\n');
    expect(bodiesOf(items, 'action.snapshot')).toEqual([]);
  }, 60_000);

  it(
    verifies('sandbox.leaves-nothing'),
    async () => {
      const { id, number } = await chat.create();
      await reach(id);
      await chat.exchange(id, 'run: mkdir d && echo kept > d/file');
      await approved(id, 'run: rm -rf d');
      const left = async () => {
        const of = async (label: string) =>
          (await docker.listVolumes({ filters: { label: [`${label}=${id}`] } })).Volumes.length;
        const containers = await docker.listContainers({ all: true, filters: { label: [`dev.aish.workspace=${id}`] } });
        const files = await readdir(running.stack.dir, { recursive: true, encoding: 'utf8' });
        return {
          workspaces: await of('dev.aish.workspace'),
          containers: containers.length,
          files: files.filter((path) => path.includes(id)).length,
        };
      };
      const before = await left();
      expect(before).toMatchObject({ workspaces: 1 });
      // The workspace has at least two files: its policy and its session.
      expect(before.files).toBeGreaterThanOrEqual(2);
      expect(await cli('remove', `c${number}`)).toMatchObject({
        code: 0,
        stderr: `c${number} was deleted\n`,
      });
      await eventually('nothing is left', async () => Object.values(await left()).every((count) => count === 0));
      expect((await running.stack.client.request('GET', `/v1/sessions/${id}`)).status).toBe(404);
    },
    60_000,
  );
});

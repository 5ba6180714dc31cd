import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditList } from '@aish/contracts/audit';
import { Session } from '@aish/contracts/chat';
import { Goal, GoalList, type GoalDetail } from '@aish/contracts/goals';
import { NetworkPolicy } from '@aish/contracts/network';
import { Secret, SessionSecrets } from '@aish/contracts/secrets';
import { Space } from '@aish/contracts/spaces';
import { ToolSpec } from '@aish/contracts/tools';
import { NewToken } from '@aish/contracts/tokens';
import { z } from 'zod';
import { verifies } from '../../requirements.js';
import { aish } from '../../support/aish.command.js';
import { ApiClient } from '../../support/api.client.js';
import { EverythingServer } from '../../support/everything.server.js';
import { eventually } from '../../support/eventually.js';
import { plan, plans } from '../../support/plan.js';
import { scriptedStack } from '../../support/scripted-stack.js';
import { SshHost, buildHostImage } from '../../support/ssh.hosts.js';

const BYTES = { 'content-type': 'application/octet-stream' };
const VALUE = 'glsa_the-value-that-nobody-sees';

const Tools = z.object({ items: z.array(ToolSpec) });
const calling = (name: string) => ({ text: '', toolCalls: [{ name, arguments: '{"message":"hi"}' }] });

describe('spaces', () => {
  const tokens: string[] = [];
  let web: Server;
  let port: number;
  let nas: SshHost;
  let tools: EverythingServer;

  const running = scriptedStack(
    plans({
      'report on the home': (messages, n) =>
        plan(
          `CMD: curl -sS --noproxy '' -H "Authorization: Bearer $HOME_TOKEN" http://127.0.0.1:${port}/; curl -sS http://example.org/`,
          'CMD: ssh nas cat /tank/name',
          'GOAL: complete',
        )(messages, n),
      'use the tool': plan(
        'CMD: tool',
        'CMD: rm -rf nothing',
        'CMD: tool; cd /sys/fs/cgroup; cat memory.max 2> /dev/null || cat memory/memory.limit_in_bytes',
        'GOAL: complete',
      ),
      'remove something': plan('CMD: rm -rf nothing', 'GOAL: complete'),
      'call both': plan(calling('one__echo'), calling('two__echo'), 'GOAL: complete'),
      say: plan('Well.'),
    }),
    async () => {
      tools = await EverythingServer.start('streamableHttp');
      const servers = { one: { url: tools.url, auto_approve: true }, two: { url: tools.url, auto_approve: true } };
      return {
        env: {
          HOSTS_CA_KEY: 'the key of this suite that signs for hosts, long enough',
          MCP_SERVERS: JSON.stringify(servers),
        },
      };
    },
  );

  beforeAll(async () => {
    web = createServer(({ headers }, response) => {
      tokens.push(headers.authorization ?? '');
      response.setHeader('connection', 'close').end('from the home');
    });
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    port = (web.address() as AddressInfo).port;
    await buildHostImage();
    nas = await SshHost.start('nas');
    await nas.exec('echo nas > /tank/name; chmod 755 /tank');
    const { client } = running.stack;
    await nas.join(client);
    const target = { host: '127.0.0.1', port, tls: false };
    await client.json(Secret, 'PUT', '/v1/secrets/HOME_TOKEN', { value: VALUE, targets: [target] });
  }, 120_000);
  afterAll(async () => {
    await nas?.stop();
    await tools?.stop();
    await new Promise((resolve) => web.close(resolve));
  });

  const cli = async (...args: string[]) => {
    const { stack } = running;
    const { code, stdout, stderr } = await aish({ url: stack.client.url, tokenFile: join(stack.dir, 'token') }, args);
    return code === 0 ? stdout : `${code} ${stderr}`;
  };
  const tokenOf = async (name: string, ...scopes: readonly string[]) => {
    const { client } = running.stack;
    const { token } = await client.json(NewToken, 'POST', '/v1/tokens', { name, scopes });
    return new ApiClient(client.url, token);
  };

  /** Answers every HALT with proceed until the goal is done. */
  async function drive({ id }: Pick<Goal, 'id'>): Promise<GoalDetail> {
    const { client } = running.stack;
    return eventually('the goal is done', async () => {
      const goal = await client.goal(id);
      if (goal.state === 'halted') await client.decide((await client.decisionOf(id)).id, 'proceed');
      return goal.state === 'done' ? goal : undefined;
    });
  }

  function expectReached({ actions }: GoalDetail): void {
    const [fetched, overSsh] = actions.map(({ outcome }) => outcome?.output ?? '');
    expect(fetched).toMatch(/^from the homeaish: example.org:80 is refused/);
    expect(overSsh).toBe('nas\n');
    expect(tokens.at(-1)).toBe(`Bearer ${VALUE}`);
  }

  it(
    verifies('spaces.reach'),
    async () => {
      const { stack, model } = running;
      expect(await cli('space', 'list')).toMatch(/^general +no access\n$/);
      expect(await cli('norris', '--space', 'home', 'report on the home')).toContain('There is no space home');
      const instructions = join(stack.dir, 'home.md');
      await writeFile(instructions, 'Films lie in /tank.\n');
      const shown = await cli(
        ...`space set home --network 127.0.0.1:${port} --private --host nas --secret HOME_TOKEN`.split(' '),
        ...`--steps 7 --tokens 50000 --instructions ${instructions}`.split(' '),
      );
      expect(shown).toMatch(/network +127.0.0.1:\d+ \(private\)\n[\s\S]*hosts +nas\nsecrets +HOME_TOKEN\n/);
      // Options that are not given stay unchanged.
      expect(await cli('space', 'set', 'home', '--preset', 'fast')).toBe(
        shown.replace(/(preset +)the default/, '$1fast'),
      );
      expect(await cli('space', 'show', 'home')).toContain('Films lie in /tank.');
      for (const wrong of [
        { hosts: ['web'] },
        { secrets: ['OTHER'] },
        { preset: 'none' },
        { hostFolders: ['x'] },
        {},
      ]) {
        expect((await stack.client.request('PATCH', '/v1/spaces/home', wrong)).ok).toBe(false);
      }

      const given = Goal.parse(JSON.parse(await cli('norris', '--space', 'home', 'report on the home', '--json')));
      expect(given).toMatchObject({ space: 'home', stepBudget: 7, tokenBudget: 50_000, hosts: ['nas'] });
      // This is the state before the first command and after it.
      const network = `/v1/sessions/${given.sessionId}/network`;
      expect(await stack.client.json(NetworkPolicy, 'GET', network)).toMatchObject({ mode: 'allow' });
      expectReached(await drive(given));
      expect(await stack.client.json(NetworkPolicy, 'GET', network)).toMatchObject({ mode: 'allow' });
      const requestText = JSON.stringify(model.requests.at(-1)?.messages);
      for (const what of [
        'in the space home',
        'Films lie in',
        'over ssh: nas',
        'commands reach 127',
        '$HOME_TOKEN for',
      ])
        expect(requestText).toContain(what);
      expect(requestText).not.toContain(VALUE);
      const audit = await stack.client.json(AuditList, 'GET', '/v1/audit?action=space.set');
      expect(audit.items[1]).toMatchObject({ actor: 'admin', subject: 'home', facts: { hosts: ['nas'] } });
    },
    90_000,
  );

  it(
    verifies('spaces.reach', 'a scheduled goal has the access of its space without further steps'),
    async () => {
      const { client } = running.stack;
      expect(await cli('norris', '--space', 'home', '--every', '* * * * * *', 'report on the home again')).toMatch(
        /^s1 /,
      );
      const goal = await eventually('it gives a goal', async () =>
        (await client.json(GoalList, 'GET', '/v1/goals')).items.find(({ scheduleId }) => scheduleId !== null),
      );
      expect(await cli('space', 'remove', 'home')).toContain('Schedule s1 starts goals in the space home');
      await cli('schedule', 'remove', 's1');
      expectReached(await drive(goal));
    },
    90_000,
  );

  it(
    verifies(
      'spaces.reach',
      'access that was set for one session stays as set, and the access of the space does not change',
    ),
    async () => {
      const { client } = running.stack;
      const session = await client.json(Session, 'POST', '/v1/sessions', { space: 'home', preset: 'fast' });
      expect(session).toMatchObject({ space: 'home', hosts: ['nas'] });
      const at = `/v1/sessions/${session.id}`;
      expect((await client.json(SessionSecrets, 'GET', `${at}/secrets`)).names).toEqual(['HOME_TOKEN']);
      await client.json(NetworkPolicy, 'PUT', `${at}/network`, { mode: 'none' });
      await client.json(Session, 'PATCH', at, { hosts: [] });
      expect(await client.json(NetworkPolicy, 'GET', `${at}/network`)).toEqual({ mode: 'none' });
      expect((await client.json(Session, 'GET', at)).hosts).toEqual([]);
      const outside = await client.json(Session, 'POST', '/v1/sessions', {});
      expect(outside).toMatchObject({ space: 'general', hosts: [] });
      const inChat = await client.json(Goal, 'POST', '/v1/goals', { text: 'say', chat: session.id });
      expect(inChat).toMatchObject({ space: 'home', hosts: ['nas'] });
      const steps = await client.json(Goal, 'POST', '/v1/goals', { text: 'say', space: 'home', stepBudget: 3 });
      expect(steps.stepBudget).toBe(3);
      expect(await cli('ask', '--space', 'home', 'say something')).toContain('Well.');
      const [newest] = (await client.json(Space, 'GET', '/v1/spaces/home')).secrets;
      expect(newest).toBe('HOME_TOKEN');
    },
    60_000,
  );

  it(
    verifies('spaces.reach', 'models in a space have only the tools of the servers that the space names'),
    async () => {
      const { client } = running.stack;
      expect(await cli('space', 'set', 'home', '--mcp', 'one')).toContain('mcp         one\n');
      const { id, sessionId } = await client.json(Goal, 'POST', '/v1/goals', { text: 'call both', space: 'home' });
      const { actions } = await drive({ id });
      expect(actions).toMatchObject([
        { label: 'one.echo', result: { text: 'Echo: hi' } },
        { label: 'two__echo', result: null },
      ]);
      expect(JSON.stringify(running.model.requests.at(-1)?.messages)).toContain('There is no tool two__echo');
      const labels = async (at: string) =>
        (await client.json(Tools, 'GET', `/v1/sessions/${at}/tools`)).items.map(({ label }) => label);
      expect(await labels(sessionId)).not.toContainEqual(expect.stringMatching(/^two\./));
      // Existing goals keep their servers.
      expect(await cli('space', 'set', 'home', '--mcp', 'all')).toContain('mcp         all servers\n');
      expect(await labels(sessionId)).not.toContain('two.echo');
      const chat = await client.json(Session, 'POST', '/v1/sessions', { space: 'home' });
      expect(await labels(chat.id)).toEqual(expect.arrayContaining(['one.echo', 'two.echo']));
    },
    60_000,
  );

  it(
    verifies('spaces.image'),
    async () => {
      const { stack, model } = running;
      const file = join(stack.dir, 'Dockerfile');
      const says = (word: string) =>
        writeFile(file, `RUN printf '#!/bin/sh\\necho ${word}\\n' > /usr/bin/tool && chmod 755 /usr/bin/tool\n`);
      await says('one');
      expect(await cli('space', 'set', 'tools', '--image', 'tools')).toContain('There is no image tools');
      expect(await cli('image', 'add', 'tools', '--dockerfile', file)).toMatch(/^tools +a Dockerfile +sha256:/);
      expect(await cli('space', 'set', 'tools', '--image', 'tools', '--memory', '256')).toContain(
        'tools  memoryMb 256',
      );
      const goal = Goal.parse(JSON.parse(await cli('norris', '--space', 'tools', 'use the tool', '--json')));
      await stack.client.decisionOf(goal.id);
      // Sessions keep the build with which they started, and later sessions use the new build.
      await says('two');
      await cli('image', 'add', 'tools', '--dockerfile', file);
      const later = Goal.parse(JSON.parse(await cli('norris', '--space', 'tools', 'use the tool', '--json')));
      const outputs = async (of: Goal) => (await drive(of)).actions.map(({ outcome }) => outcome?.output);
      expect(await outputs(goal)).toEqual(['one\n', '', `one\n${256 * 2 ** 20}\n`]);
      expect((await outputs(later))[0]).toBe('two\n');
      expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('commands run in the image tools');
      expect(await cli('image', 'remove', 'tools')).toContain('The space tools uses this image');
      await cli('space', 'remove', 'tools');
      expect(await cli('image', 'rebuild', 'tools')).toContain('sha256:');
      expect(await cli('image', 'list')).toContain('tools');
      expect(await cli('image', 'remove', 'tools')).toBe('');
      const audit = await stack.client.json(AuditList, 'GET', '/v1/audit?limit=500');
      const actions = audit.items.map(({ action }) => action);
      for (const action of ['image.set', 'image.rebuilt', 'image.removed']) expect(actions).toContain(action);
    },
    120_000,
  );

  it(
    verifies('spaces.roles'),
    async () => {
      const { client } = running.stack;
      const [alice, bob] = [await tokenOf('alice', 'operate', 'decide'), await tokenOf('bob', 'operate', 'decide')];
      expect((await alice.request('PATCH', '/v1/spaces/home', { hosts: [] })).status).toBe(403);
      expect(await cli('space', 'set', 'home', '--user', 'alice', '--decider', 'bob')).toContain('users       alice');
      const begin = { text: 'remove something', space: 'home' };
      expect((await bob.request('POST', '/v1/goals', begin)).status).toBe(403);
      expect((await bob.request('POST', '/v1/sessions', { space: 'home' })).status).toBe(403);
      const schedule = await bob.request('POST', '/v1/schedules', { cron: '0 3 * * *', goal: begin });
      expect(schedule.status).toBe(403);
      const goal = await alice.json(Goal, 'POST', '/v1/goals', begin);
      const chat = await alice.json(Session, 'POST', '/v1/sessions', { space: 'home' });
      const { id, number } = await client.decisionOf(goal.id);
      for (const [method, path, body] of [
        ['POST', `/v1/sessions/${chat.id}/messages`, { text: 'say' }],
        ['POST', `/v1/sessions/c-${chat.number}/messages`, { text: 'say' }],
        ['POST', `/v1/sessions/${chat.id.toUpperCase()}/fork`, {}],
        ['PUT', `/v1/sessions/${chat.id}/files/file?path=x`, 'x'],
        ['PATCH', `/v1/goals/g${goal.number}`, { text: 'say' }],
        ['POST', `/v1/goals/${goal.id}/cancel`, undefined],
      ] as const) {
        expect([method, path, (await bob.request(method, path, body, method === 'PUT' ? BYTES : {})).status]).toEqual([
          method,
          path,
          403,
        ]);
      }
      expect((await alice.request('POST', `/v1/decisions/${id}/verdict`, { verdict: 'proceed' })).status).toBe(403);
      expect((await alice.request('POST', `/v1/decisions/d${number}/verdict`, { verdict: 'proceed' })).status).toBe(
        403,
      );
      await bob.decide(id, 'proceed');
      await alice.until(goal.id, 'done');
      expect(await cli('space', 'remove', 'home')).toBe('');
      // Existing goals continue, but nothing new begins.
      expect((await alice.request('POST', '/v1/goals', begin)).status).toBe(404);
      expect(await cli('space', 'list')).not.toContain('home');
    },
    60_000,
  );
});

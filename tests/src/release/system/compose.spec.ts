import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FileList } from '@aish/contracts/files';
import { Goal, GoalList } from '@aish/contracts/goals';
import { Secret } from '@aish/contracts/secrets';
import { demoScript, startScriptedModel, type Script, type ScriptedModel } from '@aish/demo-model';
import { verifies } from '../../requirements.js';
import { ApiClient } from '../../support/api.client.js';
import { Visitor, openChromium } from '../../support/browser.js';
import { Compose, serviceOf } from '../../support/compose.js';
import { plan } from '../../support/plan.js';
import { SshHost, buildHostImage } from '../../support/ssh.hosts.js';
import { eventually } from '../../support/eventually.js';
import { buildImages, BUILD_TIMEOUT_MS } from '../../support/images.js';
import { removeWorkspaces } from '../../support/workspaces.js';

const GOAL = 'find the three largest files under /usr/share and delete the copies you made';
/** Prints the kernel's status of the service's process. */
const OF_NODE =
  'for p in /proc/[0-9]*; do grep -aqs services/sandbox $p/cmdline && ! grep -qs docker-init $p/comm && cat $p/status; done';

describe('docker compose up with two workers', () => {
  let model: ScriptedModel;
  let compose: Compose;
  let client: ApiClient;
  let reach: Script;

  beforeAll(async () => {
    // Containers reach the model through the host's gateway.
    const script: Script = (messages, n) => {
      const isReach = messages.some(({ role, content }) => role === 'user' && /^reach /m.test(content ?? ''));
      return (isReach ? reach : demoScript)(messages, n);
    };
    model = await startScriptedModel({ script, host: '0.0.0.0', tokensPerSecond: 2_000 });
    compose = new Compose(`aish-test-${randomUUID().slice(0, 8)}`, {
      SAFETY_SECOND_OPINION: 'off', // a scripted model has no second opinion
      FAST_BASE_URL: `http://host.docker.internal:${new URL(model.url).port}`,
    });
    await buildImages();
    await compose.run(['up', '--detach', '--no-build', '--wait', '--scale', 'norris-worker=2'], BUILD_TIMEOUT_MS);
    const token = (await compose.run(['exec', '-T', 'api', 'cat', '/var/lib/aish/token'])).trim();
    client = new ApiClient(await compose.apiUrl(), token);
  }, BUILD_TIMEOUT_MS);

  afterAll(async () => {
    await compose?.run(['down', '--volumes', '--timeout', '10']);
    if (compose !== undefined) await removeWorkspaces(compose.project);
    await model?.close();
  }, 120_000);

  it(
    verifies('main-job.compose'),
    async () => {
      const started = await compose.run(['exec', '-T', 'api', 'aish', 'norris', GOAL, '--json']);
      const { id } = Goal.parse(JSON.parse(started));
      const decision = await client.decisionOf(id);
      expect(decision.action).toBe('rm -rf copies');
      await compose.run(['exec', '-T', 'api', 'aish', 'decide', `d${decision.number}`, 'proceed']);
      const goal = await client.until(id, 'done');
      expect(goal.actions.map(({ state, outcome }) => [state, outcome?.exitCode])).toEqual(
        goal.actions.map(() => ['finished', 0]),
      );
    },
    180_000,
  );

  it(
    verifies(
      'main-job.compose',
      'a goal can be given at a desk, answered on a phone at its HALT, and undone on the page',
    ),
    async () => {
      const browser = await openChromium();
      try {
        const [desk, phone] = [
          await Visitor.open(browser, client.url, 'desk'),
          await Visitor.open(browser, client.url, 'phone'),
        ];
        for (const visitor of [desk, phone]) await visitor.signIn(String(client.token));
        await desk.giveGoal(GOAL);
        await phone.page.getByRole('link', { name: /Decisions/ }).click();
        await phone.pressTwice(await phone.questionAbout('rm -rf copies'), /proceed/i);
        await desk.page.getByRole('heading', { name: /^Goal \d+ .*done/i }).waitFor();
        await desk.takeBack('rm -rf copies');
        const { items } = await client.json(GoalList, 'GET', '/v1/goals?limit=1');
        const { sessionId } = Goal.parse(items[0]);
        const files = await client.json(FileList, 'GET', `/v1/sessions/${sessionId}/files`);
        expect(files.items.map(({ name }) => name)).toContain('copies');
      } finally {
        await browser.close();
      }
    },
    180_000,
  );

  it('only the api is published, only on 127.0.0.1, and only the sandbox has the Docker socket', async () => {
    const health = await client.request('GET', '/v1/health');
    expect(await health.json()).toMatchObject({ status: 'ok' });
    const containers = await compose.inspect();
    const names = containers.filter(({ State }) => State.Status === 'running').map(serviceOf);
    expect(names.toSorted()).toEqual(['api', 'norris-worker', 'norris-worker', 'postgres', 'redis', 'sandbox']);
    for (const container of containers) {
      const service = serviceOf(container);
      const published = Object.values(container.HostConfig.PortBindings ?? {}).flat();
      expect([service, published.map(({ HostIp }) => HostIp)]).toEqual([
        service,
        service === 'api' ? ['127.0.0.1'] : [],
      ]);
      const hasSocket = container.Mounts.some(({ Source }) => Source.includes('docker.sock'));
      expect([service, hasSocket]).toEqual([service, service === 'sandbox']);
      expect([service, container.HostConfig.Privileged, container.HostConfig.ReadonlyRootfs]).toEqual([
        service,
        false,
        true,
      ]);
      expect(container.HostConfig.CapDrop).toContain('ALL');
      // Secrets are in files, not in variables.
      expect(container.Config.Env.filter((line) => /(PASSWORD|TOKEN|SECRET|_KEY)=.+/.test(line))).toEqual([]);
    }
  }, 60_000);

  it(
    verifies('compose.closed', 'containers have the documented users, capabilities and mounts'),
    async () => {
      const secret = (name: string) => `/run/secrets/${name}`;
      const own = secret('own');
      const shared = [own, secret('metrics'), secret('sandbox')];
      const expected: Record<string, { user: string; caps: string[]; reads: string[]; writes: string[] }> = {
        api: {
          user: 'node',
          caps: [],
          reads: [...shared, secret('hosts'), secret('store')],
          writes: ['/var/backups/aish', '/var/lib/aish', '/var/lib/aish-knowledge'],
        },
        'norris-worker': {
          user: 'node',
          caps: [],
          reads: [...shared, secret('hosts'), secret('store')],
          writes: ['/var/lib/aish-knowledge'],
        },
        sandbox: {
          user: 'root', // until it has read the group of the socket; the child process counts
          caps: ['KILL', 'SETGID', 'SETUID'],
          reads: shared,
          writes: ['/run/aish-network', '/var/lib/aish', '/var/run/docker.sock'],
        },
        postgres: { user: 'postgres', caps: [], reads: [secret('postgres')], writes: ['/var/lib/postgresql/data'] },
        redis: { user: 'redis', caps: [], reads: [secret('redis')], writes: ['/data'] },
      };
      for (const container of (await compose.inspect()).filter(({ State }) => State.Status === 'running')) {
        const { HostConfig: host, Mounts } = container;
        const service = serviceOf(container);
        const mounted = (isWritable: boolean) =>
          Mounts.filter(({ RW }) => RW === isWritable)
            .map(({ Destination }) => Destination)
            .toSorted();
        expect({
          service,
          user: container.Config.User,
          caps: (host.CapAdd ?? []).map((name) => name.replace('CAP_', '')).toSorted(),
          reads: mounted(false),
          writes: mounted(true),
        }).toEqual({ service, ...expected[service], reads: expected[service]?.reads.toSorted() });
        expect([service, host.SecurityOpt, host.PidMode, host.IpcMode]).toEqual([
          service,
          ['no-new-privileges:true'],
          '',
          'private',
        ]);
        expect([service, host.Memory > 0, Number(host.PidsLimit) > 0]).toEqual([service, true, true]);
      }
      const status = await compose.run(['exec', '-T', '--user', '1000', 'sandbox', 'sh', '-c', OF_NODE]);
      // The process runs as user node without capabilities, and cannot gain any.
      expect(status).toMatch(/^Uid:\s+1000\s+1000\s+1000\s+1000$/m);
      expect(status).toMatch(/^CapEff:\s+0+$/m);
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    },
    60_000,
  );

  it('an admin can allow a network destination, undo an approved command, and copy files in and out', async () => {
    const aish = (...args: string[]) => compose.run(['exec', '-T', 'api', 'aish', ...args]);
    const gateway = await compose.gatewayOf('way-out');
    const { port } = new URL(model.url);
    const ask = `CMD: curl -sS -m 5 http://${gateway}:${port}/v1/models; curl -sS -m 5 http://${gateway}:1/`;
    reach = plan('CMD: mkdir d; touch d/precious', ask, 'CMD: rm -rf d', ask, 'CMD: rm -rf other', 'GOAL: complete');
    const goal = Goal.parse(JSON.parse(await aish('norris', 'reach out', '--json')));
    const ref = String(goal.number);
    const first = await client.decisionOf(goal.id);
    // Nothing is open until an admin allows it. The token in the api's container is an admin's.
    expect((await client.goal(goal.id)).actions[1]?.outcome).toMatchObject({ exitCode: 7 });
    await aish('set', ref, '--network', `${gateway}:${port}`, '--private');
    await aish('decide', `d${first.number}`, 'proceed');
    await eventually('it halts again', async () => (await client.decisionOf(goal.id)).id !== first.id);
    const output = (await client.goal(goal.id)).actions[3]?.outcome?.output;
    expect(output).toMatch(/"object":"list".*aish: .*:1 is refused/s);
    expect(await aish('show', ref, '--access')).toMatch(/reached .*\n.*refused /);
    expect(await aish('file', 'list', ref)).not.toContain('d/');
    await aish('undo', `d${first.number}`, '--yes');
    expect(await aish('file', 'list', ref, 'd')).toContain('precious');
    await aish('file', 'push', ref, 'from/host', '/etc/hostname');
    expect(await aish('file', 'pull', ref, 'from/host', '-')).toMatch(/\w/);
    await aish('cancel', ref);
  }, 180_000);

  it(
    verifies(
      'setup.first-job',
      'a goal works through compose on two machines and an API with a secret, halts with a snapshot, and is undone',
    ),
    async () => {
      const aish = (...args: string[]) => compose.run(['exec', '-T', 'api', 'aish', ...args]);
      const value = `glsa_${randomUUID()}`;
      const tokens: string[] = [];
      const api = createServer(({ headers }, response) => {
        tokens.push(headers.authorization ?? '');
        response.end('{"alerts":[]}\n');
      });
      await new Promise<void>((resolve) => api.listen(0, '0.0.0.0', resolve));
      await buildHostImage();
      const place = `${compose.project}_way-out`;
      const hosts = await Promise.all(['nas', 'web'].map((name) => SshHost.start(name, { network: place })));
      try {
        const [nas] = hosts;
        if (nas === undefined) throw new Error('it has just begun');
        for (const host of hosts) await host.join(client);
        await nas.exec(
          'mkdir /tank/backups; cd /tank/backups; touch new; touch -d "90 days ago" old; chown -R aish /tank',
        );
        await aish('host', 'set', 'nas', '--before', 'cp -a /tank/backups /tank/{name}', '--undo', 'rm -r /tank/backups; mv /tank/{name} /tank/backups'); // prettier-ignore
        const { port } = api.address() as AddressInfo;
        const at = { host: await compose.gatewayOf('way-out'), port, tls: false };
        await client.json(Secret, 'PUT', '/v1/secrets/GRAFANA_TOKEN', { value, targets: [at] });
        await aish('space', 'set', 'home', '--host', 'nas', '--host', 'web', '--network', `${at.host}:${port}`, '--private', '--secret', 'GRAFANA_TOKEN'); // prettier-ignore
        reach = plan(
          "CMD: ssh nas 'df -h /tank'",
          "CMD: ssh web 'df -h /tank'",
          `CMD: curl -sS -H "Authorization: Bearer $GRAFANA_TOKEN" http://${at.host}:${port}/api/alerts`,
          "CMD: ssh nas 'find /tank/backups -type f -mtime +30 -delete'",
          "CMD: ssh nas 'ls /tank/backups'",
          'GOAL: complete',
        );
        const goal = Goal.parse(JSON.parse(await aish('norris', '--space', 'home', 'reach all of home', '--json')));
        const { number } = await client.decisionOf(goal.id);
        const card = await aish('show', `d${number}`);
        expect(card).toContain('on nas it is not known to be read-only: find /tank/backups');
        expect(card).toContain('before it, on nas: cp -a /tank/backups /tank/aish-');
        await aish('decide', `d${number}`, 'proceed');
        const { actions } = await client.until(goal.id, 'done');
        expect(actions.map(({ outcome }) => outcome?.output).slice(2)).toEqual(['{"alerts":[]}\n', '', 'new\n']);
        expect(tokens).toEqual([`Bearer ${value}`]);
        const undone = await aish('undo', `d${number}`, '--yes');
        const back = /rm -r \/tank\/backups; mv \S+ \/tank\/backups/.exec(undone)?.[0];
        reach = plan(`CMD: ssh nas '${back}'`, 'GOAL: complete');
        const again = Goal.parse(JSON.parse(await aish('norris', '--space', 'home', 'reach back', '--json')));
        await aish('decide', `d${(await client.decisionOf(again.id)).number}`, 'proceed');
        await client.until(again.id, 'done');
        expect(await nas.exec('ls /tank/backups')).toBe('new\nold\n');
      } finally {
        // The hosts must stop here, because the next test takes the network down.
        await Promise.all(hosts.map((host) => host.stop()));
        api.closeAllConnections();
        api.close();
      }
    },
    180_000,
  );

  it('a pending HALT survives docker compose down and up', async () => {
    const goal = await client.createGoal(GOAL);
    const { number } = await client.decisionOf(goal.id);
    await compose.run(['down', '--timeout', '10']);
    await compose.run(['up', '--detach', '--wait', '--scale', 'norris-worker=2'], 300_000);
    client = new ApiClient(await compose.apiUrl(), client.token);
    await client.decide(number, 'skip');
    expect((await client.until(goal.id, 'done')).actions.at(-1)?.state).toBe('skipped');
  }, 400_000);
});

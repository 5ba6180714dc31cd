import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GoalList } from '@aish/contracts/goals';
import { HostCheck } from '@aish/contracts/hosts';
import { demoScript, startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { verifies } from '../../requirements.js';
import type { ApiClient } from '../../support/api.client.js';
import { eventually } from '../../support/eventually.js';
import { HomeContainer } from '../../support/home.container.js';
import { BUILD_TIMEOUT_MS } from '../../support/images.js';
import { SshHost, buildHostImage } from '../../support/ssh.hosts.js';

const GOAL = 'find the three largest files under /usr/share and delete the copies you made';
/** Prints `NAME UID GID GROUPS NO_NEW_PRIVS` of each process of node, and of Postgres. */
const PROCESSES = String.raw`for p in /proc/[0-9]*; do
  [ "$(cat $p/comm)" != sh ] || continue
  case $(tr '\0' ' ' <$p/cmdline) in
    *services/api-with-worker/*) n=api ;; *services/sandbox/*) n=sandbox ;; */bin/postgres\ *) n=postgres ;; *) continue ;;
  esac
  awk -v n=$n '/^Uid/{u=$2} /^Gid/{g=$2} /^Groups/{$1="";gsub(" ",",");s=$0} /^NoNewPrivs/{print n,u,g,substr(s,2),$2}' $p/status
done`;
const CONNECT = `require('net').connect('/var/run/docker.sock').on('connect', () => { console.log('open'); process.exit() })
  .on('error', (error) => console.log(error.code))`;

describe('docker run of the one image', () => {
  let model: ScriptedModel;
  let home: HomeContainer;
  let client: ApiClient;

  beforeAll(async () => {
    model = await startScriptedModel({ script: demoScript, host: '0.0.0.0', tokensPerSecond: 2_000 });
    const url = `http://host.docker.internal:${new URL(model.url).port}`;
    home = new HomeContainer(
      `aish-test-${randomUUID().slice(0, 8)}`,
      `--env FAST_BASE_URL=${url} --env SAFETY_SECOND_OPINION=off`,
    );
    await HomeContainer.build();
    client = await home.start();
  }, BUILD_TIMEOUT_MS);

  afterAll(async () => {
    await home?.remove();
    await model?.close();
  }, 120_000);

  it(
    verifies('home.image'),
    async () => {
      const logs = await home.logs();
      expect(logs).toContain('Open this page   http://127.0.0.1:7717/app/');
      expect(logs).not.toContain(String(client.token));
      expect(logs.split('\n').length).toBeLessThan(20);
      const { id } = await client.createGoal(GOAL);
      const decision = await client.decisionOf(id);
      expect(decision.action).toBe('rm -rf copies');
      await home.exec('root', ['aish', 'decide', `d${decision.number}`, 'proceed']);
      const goal = await client.until(id, 'done');
      expect(goal.actions.map(({ state, outcome }) => [state, outcome?.exitCode])).toEqual(
        goal.actions.map(() => ['finished', 0]),
      );
    },
    180_000,
  );

  it(verifies('home.socket'), async () => {
    const found = new Map(
      (await home.exec('root', ['sh', '-c', PROCESSES]))
        .trim()
        .split('\n')
        .map((each) => each.split(' '))
        .map(([name = '', uid = '', gid = '', groups = '', noNewPrivileges]) => [
          name,
          { uid, gid, groups, noNewPrivileges },
        ]),
    );
    expect([...found.keys()].toSorted()).toEqual(['api', 'postgres', 'sandbox']);
    const users = [...found.values()].map(({ uid }) => uid);
    expect(users).not.toContain('0');
    expect(new Set(users).size).toBe(3);
    const answers: Record<string, string> = {};
    for (const [name, { uid, gid, groups }] of found) {
      const list = groups.split(',').filter(Boolean).join(',');
      const as = [`--reuid=${uid}`, `--regid=${gid}`, list === '' ? '--clear-groups' : `--groups=${list}`];
      answers[name] = (await home.exec('root', ['setpriv', ...as, '--', 'node', '-e', CONNECT])).trim();
    }
    expect(answers).toEqual({ api: 'EACCES', postgres: 'EACCES', sandbox: 'open' });
    for (const name of ['api', 'sandbox']) expect(found.get(name)?.noNewPrivileges).toBe('1');
  });

  it('the user of the sandbox cannot read what belongs to the api, and neither user can read the password of the database', async () => {
    const reads = (user: string, file: string): Promise<boolean> =>
      home.exec(user, ['test', '-r', `/var/lib/aish/${file}`]).then(
        () => true,
        () => false,
      );
    expect(await reads('aish', 'api/token')).toBe(true);
    expect(await reads('aish-sandbox', 'api/token')).toBe(false);
    expect(await reads('aish-sandbox', 'secrets/hosts-ca-key')).toBe(false);
    expect(await reads('aish', 'secrets/database-password')).toBe(false);
    expect(await reads('aish-sandbox', 'secrets/database-password')).toBe(false);
    expect(await reads('aish', 'sandbox/authority')).toBe(false);
  });

  it('the client in the image runs as the user of the api, although docker exec starts it as root', async () => {
    const backUp = (file: string) => home.exec('root', ['aish', 'backup', `/var/lib/aish/${file}`]);
    await expect(backUp('of-root.tar.gz')).rejects.toThrow(/EACCES/);
    await backUp('api/own.tar.gz');
    expect((await home.exec('root', ['stat', '-c', '%U', '/var/lib/aish/api/own.tar.gz'])).trim()).toBe('aish');
  });

  it(
    verifies('home.image', 'docker stop ends the one image in time, and after docker start all data is there'),
    async () => {
      const before = await client.json(GoalList, 'GET', '/v1/goals');
      // The user of the api can put a link into its folder, but the launcher, which is root, does not follow it.
      const link = 'cd /var/lib/aish/api && mv knowledge moved && ln -s /var/lib/aish/logs knowledge';
      await home.exec('aish', ['sh', '-c', link]);
      await home.shell(`docker stop ${home.name}`);
      expect(await home.inspect('{{.State.ExitCode}}')).toBe('0');
      await home.shell(`docker start ${home.name}`);
      client = await home.ready();
      expect(await client.json(GoalList, 'GET', '/v1/goals')).toEqual(before);
      expect((await home.exec('root', ['stat', '-c', '%U', '/var/lib/aish/logs'])).trim()).toBe('root');
    },
    240_000,
  );
});

describe('deploy/home/move.sh and uninstall.sh', () => {
  let old: HomeContainer;
  let home: HomeContainer;
  let nas: SshHost;
  let folder: string;

  beforeAll(async () => {
    await buildHostImage();
    await HomeContainer.build();
    folder = await mkdtemp(join(tmpdir(), 'aish-leave-'));
    nas = await SshHost.start('nas');
    const name = `aish-test-${randomUUID().slice(0, 8)}`;
    old = new HomeContainer(`${name}-old`, '');
    home = new HomeContainer(name, '');
  }, BUILD_TIMEOUT_MS);

  afterAll(async () => {
    await home?.remove();
    await old?.remove();
    await nas?.stop();
    await rm(folder, { recursive: true, force: true });
  }, 120_000);

  it(
    verifies('home.move'),
    async () => {
      const [before] = await Promise.all([old.start(), home.start()]);
      await nas.join(before);
      const { id } = await before.createGoal(GOAL);
      await before.decisionOf(id);
      await home.shell(`deploy/home/move.sh unix:///var/run/docker.sock ${old.name} ${home.name}`);
      expect(await old.inspect('{{.State.Status}} {{.State.ExitCode}}')).toBe('exited 0');
      const after = await home.ready();
      expect(after.token).toBe(before.token);
      const decision = await after.decisionOf(id);
      await after.decide(decision.id, 'proceed');
      await after.until(id, 'done');
      expect(await after.json(HostCheck, 'POST', '/v1/hosts/nas/check')).toMatchObject({ ok: true });
    },
    600_000,
  );

  it(
    verifies('home.uninstall'),
    async () => {
      const label = `label=dev.aish.instance=${home.instance}`;
      // A person's own key, which must stay.
      await home.shell(`ssh-keygen -q -t ed25519 -N '' -f ${folder}/key`);
      const own = await readFile(join(folder, 'key.pub'), 'utf8');
      await nas.authorize(own.trim());
      const ssh = `exec /usr/bin/ssh -i ${folder}/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null "$@"`;
      await writeFile(join(folder, 'ssh'), `#!/bin/sh\n${ssh}\n`, { mode: 0o755 });
      const everything = `docker ps -aq --filter ${label}; docker volume ls -q --filter ${label}; docker volume ls -q --filter name=^${home.name}$`;
      expect((await home.shell(everything)).trim()).not.toBe('');

      // While another aish uses the engine, the image for commands stays.
      await home.shell(`docker volume create --label dev.aish.instance=other ${home.name}-other`);

      const environment = `PATH=${folder}:$PATH HOME=${folder} XDG_CONFIG_HOME= XDG_STATE_HOME= XDG_CACHE_HOME= AISH_CACHE=`;
      const output = await home.shell(`${environment} deploy/home/uninstall.sh container ${home.name} --yes`);
      expect(output).toContain('nas: removed the key of aish');
      expect(output).toContain('aish is gone');
      expect(await nas.exec('cat /home/aish/.ssh/authorized_keys')).toBe(own);
      expect((await home.shell(everything)).trim()).toBe('');
      await home.shell(`docker image inspect aish-sandbox && docker volume rm ${home.name}-other`);
      await expect(home.inspect('{{.Id}}')).rejects.toThrow(/No such object/i);
    },
    300_000,
  );
});

describe('a socket that every user can open', () => {
  it(
    verifies('home.socket', 'the one image does not start if every user can open the Docker socket'),
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'aish-open-'));
      const socket = join(folder, 'docker.sock');
      const server = createServer().listen(socket);
      const home = new HomeContainer(`aish-test-${randomUUID().slice(0, 8)}`, '');
      try {
        await eventually('the socket exists', () => chmod(socket, 0o666).then(() => true));
        await HomeContainer.build();
        await home.create(`-v ${socket}:/run/open.sock --env DOCKER_SOCKET=/run/open.sock`);
        const refusal = 'Every user can open /run/open.sock';
        await eventually('aish refuses', async () => (await home.logs()).includes(refusal));
        expect(await home.logs()).not.toContain('services: starting');
      } finally {
        await home.remove();
        server.close();
        await rm(folder, { recursive: true, force: true });
      }
    },
    BUILD_TIMEOUT_MS,
  );
});

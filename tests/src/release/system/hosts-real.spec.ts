import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HostAuthority } from '@aish/actions';
import { Goal, type GoalDetail } from '@aish/contracts/goals';
import { Host, HostCheck, HostCommandList, SeenHost } from '@aish/contracts/hosts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../../requirements.js';
import { eventually } from '../../support/eventually.js';
import { plan, plans } from '../../support/plan.js';
import { scriptedStack } from '../../support/scripted-stack.js';
import { SshHost, buildHostImage } from '../../support/ssh.hosts.js';

const CA_KEY = 'the key of this suite that signs for hosts, long enough';
const run = promisify(execFile);
const goalOf = (...commands: readonly string[]) =>
  plan(...commands.map((command) => `CMD: ${command}`), 'GOAL: complete');

describe('real hosts', () => {
  const hosts: SshHost[] = [];
  let dir: string;
  let nas: SshHost;
  let router: SshHost;

  const running = scriptedStack(
    plans({
      copies: goalOf(
        'echo new > a; scp -q a nas:/tank/by-scp',
        'rsync -a a nas:/tank/by-rsync',
        'rsync -a nas:/tank/by-rsync b && cat b',
        "echo 'get /tank/by-scp c' | sftp -q nas && cat c",
        'git clone -q ssh://nas/home/aish/repo r && cat r/file',
        'cd r && echo more >> file && git commit -qam more && git push -q origin HEAD:main',
        'ssh nas cat /tank/by-scp /tank/by-rsync',
      ),
      'the router': goalOf('ssh router uname -n', "ssh router 'touch /tank/was-here'", 'ssh router cat /tank/was-here'),
      impostor: goalOf('ssh pinned cat /tank/name; echo exit $?'),
      mortal: goalOf("ssh mortal 'touch /tank/began; sleep 60; touch /tank/ended'", 'ls'),
    }),
    { env: { HOSTS_CA_KEY: CA_KEY } },
  );

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'aish-real-hosts-'));
    await buildHostImage();
    [nas, router] = await Promise.all([SshHost.start('nas'), SshHost.start('router', { server: 'dropbear' })]);
    hosts.push(nas, router);
    await nas.exec('su aish -c "cd ~; git init -q --bare repo; git clone -q repo w 2>/dev/null; cd w; echo one > file; git add file; git -c user.name=a -c user.email=a@b commit -qm one; git push -q origin HEAD:main; git -C ../repo symbolic-ref HEAD refs/heads/main"'); // prettier-ignore
    await nas.join(running.stack.client);
    await router.join(running.stack.client, { login: 'key' });
  }, 120_000);
  afterAll(async () => {
    await Promise.all(hosts.map((host) => host.stop()));
    await rm(dir, { recursive: true, force: true });
  });

  /** Gives a goal, and approves everything. */
  const through = async (
    text: string,
    names: readonly string[],
  ): Promise<GoalDetail & { readonly asked: readonly string[] }> => {
    const { client } = running.stack;
    const { id } = await client.json(Goal, 'POST', '/v1/goals', { text, hosts: names });
    const asked: string[] = [];
    return eventually(`${text} is over`, async () => {
      const goal = await client.goal(id);
      const decision = (await client.pendingDecisions()).find(({ goalId }) => goalId === id);
      if (decision !== undefined) {
        asked.push(decision.action);
        await client.decide(decision.id, 'proceed');
      }
      return ['done', 'blocked', 'failed'].includes(goal.state) && { ...goal, asked };
    });
  };
  const outputs = ({ actions }: GoalDetail) => actions.map(({ outcome }) => outcome?.output ?? '');

  it(
    verifies('hosts.copies'),
    async () => {
      const goal = await through('copies', ['nas']);
      const [, , rsynced, got, cloned, pushed, both] = outputs(goal);
      expect([rsynced, got, cloned, both]).toEqual(['new\n', expect.stringContaining('new\n'), 'one\n', 'new\nnew\n']);
      expect(pushed).not.toContain('aish:');
      // Fetching by rsync or git needs no verdict. sftp asks in both directions.
      expect(goal.asked.map((action) => action.split(' ').at(-1))).toEqual([
        'nas:/tank/by-scp',
        'nas:/tank/by-rsync',
        'c',
        'HEAD:main',
      ]);
      expect(await nas.exec('su aish -c "git -C ~/repo show HEAD:file"')).toContain('more');
    },
    90_000,
  );

  it(
    verifies('hosts.certificate'),
    async () => {
      const authority = new HostAuthority(CA_KEY);
      /** Returns the host's response to someone who stole the key and the certificate. */
      const use = async (signed: { privateKey: string; certificate: string }, host: SshHost, command: string) => {
        const [key, certificate] = [join(dir, 'key'), join(dir, 'cert')];
        await Promise.all([key, certificate].map((path) => rm(path, { force: true })));
        await writeFile(key, signed.privateKey, { mode: 0o600 });
        await writeFile(certificate, `${signed.certificate}\n`, { mode: 0o600 });
        const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'BatchMode=yes', 'LogLevel=ERROR', 'IdentitiesOnly=yes', `CertificateFile=${certificate}`]; // prettier-ignore
        const args = [
          '-F',
          '/dev/null',
          '-i',
          key,
          ...options.flatMap((each) => ['-o', each]),
          `aish@${host.address}`,
          command,
        ];
        return run('ssh', args).then(
          ({ stdout }) => stdout,
          (error: { stderr: string }) => error.stderr,
        );
      };
      const other = await SshHost.start('other');
      hosts.push(other);
      await other.authorize(authority.authorizedKeys('other'));
      const sign = (nowMs = Date.now()) =>
        authority.sign({ host: 'nas', command: 'echo forced', serial: 1, id: 'x' }, nowMs);
      expect(await use(sign(), nas, 'touch /tank/forged')).toBe('forced\n');
      expect(await nas.exec('ls /tank')).not.toContain('forged');
      expect(await use(sign(Date.now() - 61_000), nas, 'echo forced')).toContain('Permission denied');
      expect(await use(sign(), other, 'echo forced')).toContain('Permission denied');
      const stranger = new HostAuthority('another secret of this suite, long as well');
      expect(await use(stranger.sign({ host: 'nas', command: 'id', serial: 1, id: 'x' }), nas, 'id')).toContain(
        'Permission denied',
      );
    },
    60_000,
  );

  it(
    verifies('hosts.key'),
    async () => {
      const { client } = running.stack;
      expect(await client.json(HostCheck, 'POST', '/v1/hosts/router/check')).toMatchObject({ ok: true });
      const { host } = await client.json(SeenHost, 'GET', '/v1/hosts/router/keys');
      expect(host).toMatchObject({
        login: 'key',
        authorizedKeys: expect.stringMatching(/^no-port-forwarding.* ssh-ed25519 /),
      });
      const goal = await through('the router', ['router']);
      expect(goal.asked).toEqual([]);
      expect(await router.exec('ls /tank')).toContain('was-here');
    },
    60_000,
  );

  it(
    verifies('hosts.pinned'),
    async () => {
      const { client } = running.stack;
      const before = await SshHost.start('pinned');
      hosts.push(before);
      await before.exec('echo pinned > /tank/name; chmod 755 /tank');
      await before.join(client);
      const { host } = await client.json(SeenHost, 'GET', '/v1/hosts/pinned/keys');
      await before.exec('rm /etc/ssh/ssh_host_*; ssh-keygen -qA; pkill -HUP -o sshd; sleep 1');
      const goal = await through('impostor', ['pinned']);
      expect(outputs(goal)[0]).toMatch(/host key|HOST IDENTIFICATION/i);
      expect(outputs(goal)[0]).toContain('exit 255');
      const seen = await client.json(SeenHost, 'GET', '/v1/hosts/pinned/keys');
      expect(seen.seen).not.toEqual(host.keys);
      expect(seen.host.keys).toEqual(host.keys);
      await client.json(Host, 'POST', '/v1/hosts/pinned/trust', { keys: seen.seen.map(({ key }) => key) });
      expect(await client.json(HostCheck, 'POST', '/v1/hosts/pinned/check')).toMatchObject({ ok: true });
    },
    60_000,
  );

  it(
    verifies('hosts.lost'),
    async () => {
      const { client } = running.stack;
      const mortal = await SshHost.start('mortal');
      hosts.push(mortal);
      await mortal.join(client);
      const over = through('mortal', ['mortal']);
      await eventually('it has begun there', async () => (await mortal.exec('ls /tank')).includes('began'));
      await mortal.stop();
      const goal = await over;
      expect(goal.actions.map(({ state }) => state)).toEqual(['lost', 'finished']);
      const { items } = await client.json(HostCommandList, 'GET', '/v1/hosts/mortal/commands');
      expect(items).toMatchObject([{ verdict: 'creates', exitCode: null, endedAt: expect.any(String) }]);
      const lastRequest = running.model.requests.at(-1);
      expect(JSON.stringify(lastRequest)).toContain('ssh mortal');
    },
    90_000,
  );
});

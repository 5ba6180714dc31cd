import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HostAuthority } from '@aish/actions';
import { Goal, GoalList, type GoalDetail } from '@aish/contracts/goals';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { verifies } from '../../requirements.js';
import { aish } from '../../support/aish.command.js';
import { eventually } from '../../support/eventually.js';
import { plan, plans } from '../../support/plan.js';
import { scriptedStack } from '../../support/scripted-stack.js';
import { SshHost, buildHostImage } from '../../support/ssh.hosts.js';

const run = promisify(execFile);
const CA_KEY = 'the key of this suite that signs for hosts, long enough';
const VALUE = `glsa_${randomBytes(18).toString('hex')}`;
const PRUNE = 'find /tank/backups -type f -mtime +30 -delete';

/** This follows docs/first-job.md with real machines, and with an API that replaces Grafana. */
describe('the first job', () => {
  const requests: string[] = [];
  let folder: string;
  let grafana: Server;
  let at: string;
  let nas: SshHost;
  let web: SshHost;
  let rollback = '';

  const job: ReturnType<typeof plan> = (messages, n) =>
    plan(
      "CMD: ssh nas 'df -h /tank'",
      "CMD: ssh web 'df -h /tank'",
      `CMD: curl -sS --noproxy '' -H "Authorization: Bearer $GRAFANA_TOKEN" ${at}/api/alerts`,
      `CMD: ssh nas '${PRUNE}'`,
      "CMD: ssh nas 'ls /tank/backups'",
      'GOAL: complete',
    )(messages, n);
  const running = scriptedStack(
    plans({
      'how full are the disks': job,
      'every night': job,
      'take it back': (messages, n) => plan(`CMD: ssh nas '${rollback}'`, 'GOAL: complete')(messages, n),
    }),
    { ownProcesses: true, env: { HOSTS_CA_KEY: CA_KEY } },
  );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aish-first-job-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'grafana.pem')];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=grafana.lan'];
    await run('openssl', ['req', '-x509', '-days', '2', '-keyout', key, '-out', cert, ...kind]);
    grafana = createServer({ key: await readFile(key), cert: await readFile(cert) }, ({ headers }, response) => {
      requests.push(headers.authorization ?? '');
      response.end('{"alerts":[]}\n');
    });
    await new Promise<void>((resolve) => grafana.listen(0, '127.0.0.1', resolve));
    at = `https://127.0.0.1:${(grafana.address() as AddressInfo).port}`;
    await buildHostImage();
    [nas, web] = await Promise.all([SshHost.start('nas'), SshHost.start('web')]);
    // The person does this on the machine itself.
    await nas.authorize(new HostAuthority(CA_KEY).authorizedKeys('nas'));
    await nas.exec('mkdir /tank/backups; chown -R aish /tank');
    await web.join(running.stack.client);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([nas, web].map((host) => host?.stop()));
    grafana?.closeAllConnections();
    await new Promise((resolve) => grafana.close(resolve));
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  const oldBackup = () => nas.exec('cd /tank/backups; touch new; touch -d "90 days ago" old; chown aish new old');
  const cli = async (args: readonly string[], input?: string) => {
    const { stack } = running;
    const { code, stdout, stderr } = await aish(
      { url: stack.client.url, tokenFile: join(stack.dir, 'token') },
      args,
      input,
    );
    return `${code === 0 ? '' : `${code} `}${stdout}${stderr}`;
  };
  function expectDone({ actions }: GoalDetail): void {
    const outputs = actions.map(({ outcome }) => outcome?.output);
    expect(outputs.slice(0, 2)).toEqual([expect.stringContaining('Filesystem'), expect.stringContaining('Filesystem')]);
    expect(outputs.slice(2)).toEqual(['{"alerts":[]}\n', '', 'new\n']);
    expect(requests.at(-1)).toBe(`Bearer ${VALUE}`);
  }

  it(
    verifies('setup.first-job', 'aish setup creates the space from a few answers'),
    async () => {
      const fingerprint = (await nas.exec('ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub')).split(' ')[1] ?? '';
      const answers = [
        `nas=aish@${nas.address}`,
        fingerprint,
        '',
        'yes',
        // This choice is invalid, so setup asks again.
        'films',
        '',
        `GRAFANA_TOKEN=${at}`,
        join(folder, 'grafana.pem'),
        VALUE,
        'yes',
        'none',
      ];
      const output = await cli(['setup'], `${answers.join('\n')}\n`);
      expect(output).toMatch(/^1\. The model: /m);
      expect(output).toContain('nas works: Linux');
      expect(output).toContain('aish checks your hosts every day at 07:00');
      expect(output).toContain('films');
      expect(output).toMatch(/hosts +nas\nsecrets +GRAFANA_TOKEN\n/);
      expect(output).not.toContain(VALUE);
      await cli(['space', 'set', 'home', '--host', 'nas', '--host', 'web']);
      await cli(['host', 'set', 'nas', '--before', 'cp -a /tank/backups /tank/{name}', '--undo', 'rm -r /tank/backups; mv /tank/{name} /tank/backups']); // prettier-ignore
    },
    60_000,
  );

  it(
    verifies('setup.first-job'),
    async () => {
      const { client } = running.stack;
      await oldBackup();
      const given = await cli(['norris', '--space', 'home', 'how full are the disks?', '--json']);
      const goal = Goal.parse(JSON.parse(given));
      const decision = await client.decisionOf(goal.id);
      const card = await cli(['show', `d${decision.number}`]);
      expect(card).toContain(`on nas it is not known to be read-only: ${PRUNE}`);
      expect(card).toContain('before it, on nas: cp -a /tank/backups /tank/aish-');
      await client.decide(decision.id, 'proceed');
      expectDone(await client.until(goal.id, 'done'));
      const undone = await cli(['undo', `d${decision.number}`, '--yes']);
      rollback = /rm -r \/tank\/backups; mv \S+ \/tank\/backups/.exec(undone)?.[0] ?? '';
      const back = await client.json(Goal, 'POST', '/v1/goals', { text: 'take it back', space: 'home' });
      await client.decide((await client.decisionOf(back.id)).id, 'proceed');
      await client.until(back.id, 'done');
      expect(await nas.exec('ls /tank/backups')).toBe('new\nold\n');
    },
    90_000,
  );

  it(
    verifies(
      'setup.first-job',
      'a schedule runs the job unattended, and its HALT waits for a day and survives restarts',
    ),
    async () => {
      const { client, workers, sandbox, database } = running.stack;
      await oldBackup();
      await cli(['norris', '--space', 'home', '--every', '* * * * * *', 'every night']);
      const found = await eventually('the schedule gives a goal', async () =>
        (await client.json(GoalList, 'GET', '/v1/goals')).items.find(({ scheduleId }) => scheduleId !== null),
      );
      await cli(['schedule', 'remove', 's1']);
      const { id } = await client.decisionOf(found.id);
      await Promise.all([...workers, sandbox].map((service) => service.kill('SIGKILL')));
      const db = new pg.Client({ connectionString: database.url });
      await db.connect();
      await db.query(`update decisions set created_at = created_at - interval '25 hours'`);
      await db.query(
        `update goals set created_at = created_at - interval '25 hours', updated_at = updated_at - interval '25 hours'`,
      );
      await db.end();
      await Promise.all([...workers, sandbox].map((service) => service.start()));
      expect(await nas.exec('ls /tank/backups')).toBe('new\nold\n');
      expect((await client.goal(found.id)).state).toBe('halted');
      await client.decide(id, 'proceed');
      expectDone(await client.until(found.id, 'done'));
    },
    90_000,
  );
});

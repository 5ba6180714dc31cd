import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Brief, BriefSchedule } from '@aish/contracts/lab';
import { connectDatabase, type Database } from '@aish/database/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../../requirements.js';
import { eventually } from '../../support/eventually.js';
import { plan } from '../../support/plan.js';
import { scriptedStack } from '../../support/scripted-stack.js';
import { SshHost, buildHostImage } from '../../support/ssh.hosts.js';

const NAMES = ['nas', 'web', 'db', 'git'] as const;
type Name = (typeof NAMES)[number];

/**
 * Containers share the load, the memory and the OOM kills of the machine that runs them, so these rules ignore all
 * three.
 */
const RULES = `
thresholds: { load: 1000, memory: 100, swap: 100 }
ignore: [{ kind: oom }]
hosts:
  nas: { backups: [/tank/backups] }
  web: { certificates: [/etc/ssl/web.pem] }
`;

/** A program of a host that prints these lines. */
const program = (name: string, lines: string): string =>
  `cat > /usr/local/bin/${name} <<'END'\n#!/bin/sh\n${lines}\nEND\nchmod +x /usr/local/bin/${name}`;
const prints = (text: string): string => `cat <<'OUT'\n${text}\nOUT\n`;

const SMART = `SMART overall-health self-assessment test result: PASSED
  5 Reallocated_Sector_Ct   0x0033   100   100   010    Pre-fail  Always       -       0
197 Current_Pending_Sector  0x0032   100   100   000    Old_age   Always       -       PENDING
194 Temperature_Celsius     0x0022   064   052   000    Old_age   Always       -       36`;
const df = (used: number, free: number, inodesFree: number): string =>
  program(
    'df',
    `case $1 in
-Pk) echo head; echo "/dev/sda1 1000000 ${used} ${free} 97% $2" ;;
*) echo head; echo "/dev/sda1 65536 0 ${inodesFree} 99% $2" ;;
esac`,
  );
const smartctl = (pending: number): string =>
  program(
    'smartctl',
    `case $1 in --scan) echo '/dev/sda -d sat # /dev/sda, ATA device' ;; *) ${prints(SMART.replace('PENDING', String(pending)))} ;; esac`,
  );
const zpool = (health: string): string => program('zpool', `printf 'tank\\t${health}\\t41%%\\n'`);
const docker = (state: string, code: number): string => {
  const started = '2026-01-02T03:04:05Z';
  const fields = [
    ['shop', 'engine', 'docker', 'image', 'shop:3', 'imageId', 'sha256:1', 'state', state],
    ['started', started, 'ended', started, '#code', code, '#restarts', 0, 'health', '', 'policy', 'always'],
  ];
  return program(
    'docker',
    `case $1 in ps) echo 1 ;; inspect) ${prints(`/${fields.flat().join('\t')}\tports\t{}`)} ;; *) date -u +%Y-%m-%dT%H:%M:%SZ ;; esac`,
  );
};
const certificate = (days: number): string =>
  `openssl req -x509 -newkey ed25519 -nodes -subj /CN=web -days ${days} -keyout /dev/null -out /etc/ssl/web.pem 2>/dev/null && chmod 644 /etc/ssl/web.pem`;
const apt = (lines: string): string => program('apt', prints(lines));
const systemctl = (state: string): string =>
  `mkdir -p /run/systemd/system && ${program('systemctl', prints(`shop.service loaded ${state} ${state} Shop`))}`;
const logins = (failed: number): string =>
  `for i in $(seq ${failed}); do echo "$(date +%Y-%m-%dT%H:%M:%S) web sshd: Failed password for root"; done > /var/log/auth.log`;

/** A fault on a host, the finding that it must cause, and its repair. */
const FAULTS: readonly (readonly [host: Name, finding: string, breaks: string, repairs: string])[] = [
  ['nas', 'disk-nas-1', df(970_000, 30_000, 60_000), df(500_000, 500_000, 60_000)],
  ['nas', 'smart-nas-1', smartctl(8), smartctl(0)],
  ['nas', 'pool-nas-1', zpool('DEGRADED'), zpool('ONLINE')],
  ['nas', 'backup-nas-1', "touch -d '5 days ago' /tank/backups/a", 'touch /tank/backups/a'],
  ['web', 'container-web-1', docker('exited', 1), docker('running', 0)],
  ['web', 'certificate-web-1', certificate(5), certificate(90)],
  ['web', 'update-web-1', apt('openssl/stable-security 3.5.2 amd64 [upgradable from: 3.5.1]'), apt('')],
  ['db', 'unit-db-1', systemctl('failed'), systemctl('active')],
  ['web', 'login-web-1', logins(300), logins(3)],
  ['db', 'reboot-db-1', 'touch /run/reboot-required', 'rm -f /run/reboot-required'],
  ['db', 'inodes-db-1', df(500_000, 500_000, 300), df(500_000, 500_000, 60_000)],
  ['git', 'host-git-1', 'pkill -STOP -x sshd', 'pkill -CONT -x sshd'],
];

describe('the brief of four hosts', () => {
  const hosts = new Map<Name, SshHost>();
  const pushed: string[] = [];
  const phone: Server = createServer((request, response) => {
    const receive = async () => {
      pushed.push((JSON.parse(await text(request)) as { readonly title: string }).title);
      response.end('{}');
    };
    receive().catch(() => response.destroy());
  });
  let db: Database;
  const running = scriptedStack(plan('GOAL: complete'), async () => {
    await once(phone.listen(0, '127.0.0.1'), 'listening');
    const NTFY_URL = `http://127.0.0.1:${(phone.address() as AddressInfo).port}/aish`;
    return { env: { HOSTS_CA_KEY: 'the key of this suite that signs for hosts, long enough', NTFY_URL } };
  });

  beforeAll(async () => {
    await buildHostImage();
    await Promise.all(NAMES.map(async (name) => hosts.set(name, await SshHost.start(name, { hasSudo: true }))));
    for (const host of hosts.values()) await host.join(running.stack.client);
    db = connectDatabase(running.stack.database.url);
    await running.stack.client.json(Brief.partial(), 'PUT', '/v1/brief/rules', { yaml: RULES });
  }, 180_000);
  afterAll(async () => {
    await db?.close();
    phone.close();
    await Promise.all([...hosts.values()].map((host) => host.stop()));
  }, 60_000);

  const on = (name: Name, command: string) => hosts.get(name)?.exec(command);
  const found = async () => {
    const { findings } = await running.stack.client.json(Brief, 'POST', '/v1/brief', {});
    return findings.filter(({ muted }) => !muted).map(({ id }) => id);
  };

  it(
    verifies('hosts.faults', 'the brief finds twelve faults on four hosts, and invents none'),
    async () => {
      await on('nas', `mkdir -p /tank/backups; head -c 1000 /dev/zero > /tank/backups/a; chmod -R a+rX /tank`);
      for (const [host, , , repairs] of FAULTS) await on(host, repairs);
      expect(await found()).toEqual([]);
      for (const [host, , breaks] of FAULTS) await on(host, breaks);
      expect((await found()).toSorted()).toEqual(FAULTS.map(([, finding]) => finding).toSorted());
      for (const [host, , , repairs] of FAULTS) await on(host, repairs);
      expect(await found()).toEqual([]);
    },
    120_000,
  );

  it(
    verifies('hosts.faults', 'in thirty quiet days aish reports no fault, and once a week that all is quiet'),
    async () => {
      const { client } = running.stack;
      await client.json(BriefSchedule, 'PUT', '/v1/brief/schedule', { at: '07:00', timezone: 'UTC' });
      for (let day = 0; day < 30; day += 1) {
        await on('nas', 'touch /tank/backups/a');
        await dayPasses();
        await eventually('the morning is over', async () => {
          const { rows } = await db.pool.query(
            `select 1 from lab_schedule where claimed_at is null and looked_at > now() - interval '1 hour'`,
          );
          return rows.length > 0;
        });
      }
      await eventually('the messages have arrived', async () => pushed.length >= 5);
      expect(pushed).toEqual(Array.from({ length: 5 }, () => expect.stringMatching(/quiet/)));
    },
    300_000,
  );

  /** Everything that aish knows becomes a day older. The clocks of the hosts stay right. */
  async function dayPasses(): Promise<void> {
    await db.pool.query(`
      with
        looks as (update lab_snapshots set at = at - interval '1 day'),
        faults as (update lab_findings set first_seen = first_seen - interval '1 day', last_seen = last_seen - interval '1 day')
      update lab_schedule set
        looked_at = looked_at - interval '1 day',
        sent_at = sent_at - interval '1 day',
        quiet_at = quiet_at - interval '1 day'`);
  }
});

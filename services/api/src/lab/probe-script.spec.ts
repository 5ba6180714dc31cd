import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DEFAULT_RULES, NO_HOST_RULES, PROBES, readFacts, type Rules } from '@aish/lab';
import { SHELL_MASK } from '@aish/secrets';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { probeCommand } from './probe-script.js';

const run = promisify(execFile);
/** What a secret may stand in. SECRET must not leave the host. */
const SECRETS = [
  'postgres://app:SECRET@db:5432/app',
  'https://SECRETSECRETSECRET@git.lan/x',
  'POSTGRES_PASSWORD=SECRET',
  'DB_PASS="SECRET SECRET"',
  "API_KEY: 'SECRET'",
  '{"token":"SECRET"}',
  '0 3 * * * root backup --password SECRET --quiet',
  'curl -H "Authorization: Bearer SECRETSECRET" x',
  'curl -u admin:SECRET https://x',
  'mysqldump -u root -pSECRET all',
  'x ghp_SECRETSECRETSECRET y',
];

describe.each([
  ['dash', ['dash']],
  ['BusyBox sh', ['busybox', 'sh']],
] as const)('the probe under %s', (_, [shell, ...before]) => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "aish-probe-it's "));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  const rules = (more: object): Rules => ({ ...DEFAULT_RULES, hosts: { nas: { ...NO_HOST_RULES, ...more } } });
  const probe = async (more: object = {}, path = process.env['PATH'] ?? '') => {
    const args = [
      ...before,
      '-c',
      probeCommand('nas', rules(more)).replace('exec sh', `exec ${[shell, ...before].join(' ')}`),
    ];
    const { stdout } = await run(shell, args, { env: { PATH: path }, maxBuffer: 16 * 1024 * 1024, timeout: 25_000 });
    return { stdout, readings: readFacts(stdout) };
  };
  /** Programs that stand before those of the machine. */
  const programs = async (all: Readonly<Record<string, string>>) => {
    const bin = join(dir, 'bin');
    await rm(bin, { recursive: true, force: true });
    await mkdir(bin);
    for (const [name, text] of Object.entries(all))
      await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return `${bin}:${process.env['PATH']}`;
  };

  it('says something of every probe within ten seconds, and no nonsense', async () => {
    const begun = Date.now();
    const { readings } = await probe();
    expect(Date.now() - begun).toBeLessThan(10_000);
    expect(readings.map(({ probe: name }) => name).toSorted()).toEqual([...PROBES].toSorted());
    expect(readings.filter(({ nonsense }) => nonsense > 0)).toEqual([]);
    expect(readings.find(({ probe: name }) => name === 'disk')?.facts).toContainEqual(
      expect.objectContaining({ name: '/', values: expect.objectContaining({ answers: 1, kb: expect.any(Number) }) }),
    );
    expect(readings.find(({ probe: name }) => name === 'size')?.skipped).toHaveLength(1);
  });

  it('reads backups, certificates and sizes where brief.yaml says', async () => {
    const place = join(dir, 'it has blanks');
    await mkdir(place);
    await writeFile(join(place, 'backup.tar'), 'x'.repeat(5_000));
    const pem = join(dir, 'cert.pem');
    await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=nas', '-days', '30', '-keyout', '/dev/null', '-out', pem]); // prettier-ignore
    const { readings } = await probe({ backups: [place, '/nowhere'], certificates: [pem], sizes: [place] });
    const facts = readings.flatMap((reading) => reading.facts);
    expect(facts).toContainEqual(expect.objectContaining({ name: place, values: expect.objectContaining({ files: 1, bytes: 5_000, median: 5_000 }) })); // prettier-ignore
    expect(facts).toContainEqual(
      expect.objectContaining({ name: '/nowhere', values: expect.objectContaining({ readable: 0 }) }),
    );
    expect(facts).toContainEqual(expect.objectContaining({ probe: 'certificate', values: { ends: expect.stringMatching(/20\d\d GMT/), readable: 1 } })); // prettier-ignore
    expect(facts).toContainEqual({ probe: 'size', name: place, values: { kb: expect.any(Number) } });
  });

  it('ends in time although a program never does, and says which probe that was', async () => {
    const path = await programs({ docker: 'trap "" TERM; sleep 30', smartctl: 'sleep 30' });
    const begun = Date.now();
    const { readings } = await probe({}, path);
    expect(Date.now() - begun).toBeLessThan(10_000);
    expect(readings.find(({ probe: name }) => name === 'container')?.skipped).toEqual(['it took more than 7 s']);
    expect(readings.find(({ probe: name }) => name === 'system')?.done).toBe(true);
  });

  it('reads containers, disks and pools as their tools print them', async () => {
    const row = ['/immich', 'engine', 'docker', 'image', 'immich:2', 'imageId', 'sha256:aa', 'state', 'running', '#restarts', '2', 'health', 'unhealthy']; // prettier-ignore
    const path = await programs({
      docker: `case "$*" in 'ps -aq'*) echo 1 ;; inspect*) printf '%s\\n' '${row.join('\t')}' ;; esac`,
      zpool: `printf 'tank\\tDEGRADED\\t81\\n'`,
    });
    const facts = (await probe({}, path)).readings.flatMap((reading) => reading.facts);
    expect(facts).toContainEqual(expect.objectContaining({ probe: 'container', name: 'immich', values: expect.objectContaining({ restarts: 2, health: 'unhealthy' }) })); // prettier-ignore
    expect(facts).toContainEqual({ probe: 'pool', name: 'tank', values: { health: 'DEGRADED', full: 81 } });
  });

  it('masks secrets before anything leaves the host', async () => {
    const text = `${SHELL_MASK}\nprintf '%s\\n' "$1" | mask`;
    const { stdout } = await run(shell, [...before, '-c', text, 'sh', SECRETS.join('\n')]);
    expect(stdout).not.toContain('SECRET\n');
    expect(stdout.split('\n').filter((line) => /SECRET(?!S?_)/.test(line))).toEqual([]);
    expect(stdout.split('\n')[0]).toBe('postgres://app:***@db:5432/app');
  });
});

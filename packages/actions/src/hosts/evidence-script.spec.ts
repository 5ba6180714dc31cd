import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { evidenceSubjects } from '@aish/safety';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { evidenceCommand } from './evidence-script.js';

const run = promisify(execFile);
const SECRET = 'nobody-may-read-this';

describe.each([
  ['dash', ['dash']],
  ['BusyBox sh', ['busybox', 'sh']],
] as const)('the evidence under %s', (_, [shell, ...before]) => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "aish-evidence-it's "));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  /** Returns the evidence that is read before a command, on a host that also has these programs. */
  const evidence = async (command: string, programs: Readonly<Record<string, string>> = {}, isMasked = true) => {
    const bin = join(dir, 'bin');
    await rm(bin, { recursive: true, force: true });
    await mkdir(bin);
    for (const [name, text] of Object.entries(programs))
      await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    const whole = evidenceCommand(evidenceSubjects(command)).replace('exec sh', `exec ${[shell, ...before].join(' ')}`);
    const text = isMasked ? whole : whole.replace('exec sed -E', 'exec cat; exec sed -E');
    const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: dir };
    const { stdout } = await run(shell, [...before, '-c', text], { env, timeout: 25_000, maxBuffer: 4 << 20 });
    return stdout;
  };
  const titles = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('  '));

  const docker = `case "$*" in
  ps) ;;
  *logs*) i=0; while [ $i -lt 600 ]; do i=$((i + 1)); echo "line $i"; done; echo "listening ports"; echo "DB_PASSWORD=${SECRET}" >&2 ;;
  *inspect*) printf '%s\\n' '[' '  "Env": ["POSTGRES_PASSWORD=${SECRET}", "TZ=UTC"]' ']' ;;
  esac`;

  it('the evidence of a container has its log, inspect, processes and ports, with secrets masked', async () => {
    const text = await evidence('sudo docker restart web', { docker });
    expect(titles(text)).toEqual(['log of web', 'inspect web', 'processes', 'end of dmesg', 'listening ports', 'end']);
    expect(text).toContain('  line 600\n');
    expect(text).not.toContain('  line 99\n');
    expect(text).toContain('DB_PASSWORD=***');
    expect(text).toContain('"Env": ["POSTGRES_PASSWORD=***", "TZ=UTC"]');
    expect(text).not.toContain(SECRET);
  });

  it('the evidence contains no secrets from logs, inspect and processes', async () => {
    const programs = { docker, ps: `echo 'root 7 backup --password ${SECRET}'` };
    const [masked, plain] = [
      await evidence('docker restart web', programs),
      await evidence('docker restart web', programs, false),
    ];
    // Some builds of BusyBox ignore the PATH and run their own ps.
    const { stdout: list } = await run(shell, [...before, '-c', 'ps'], { env: { PATH: `${join(dir, 'bin')}:/bin` } });
    const shown = list.includes(SECRET) ? 3 : 2;
    expect([masked.split(SECRET).length - 1, plain.split(SECRET).length - 1]).toEqual([0, shown]);
    if (shown === 3) expect(masked).toContain('backup --password ***');
  });

  it('the evidence of a compose project is read in the folder of the command, even below the home folder', async () => {
    await mkdir(join(dir, 'app'), { recursive: true });
    const text = await evidence('cd ~/app && docker compose -f a.yml up -d --force-recreate web', {
      docker: 'echo "$(pwd) $*"',
    });
    expect(text).toContain(`  ${dir}/app compose -f a.yml logs --no-color --timestamps --tail 500 web`);
    expect(text).toContain(`  ${dir}/app compose -f a.yml ps -a web`);
  });

  it('without systemd, the evidence has the log of the service, whose name never runs as code', async () => {
    await rm(join(dir, 'hit'), { force: true });
    const text = await evidence(`service 'x; touch "$HOME/hit" #'"'"'' restart`);
    expect(titles(text)[0]).toMatch(/^log of x; touch/);
    expect((await run('ls', [dir])).stdout).not.toContain('hit');
  });

  it('the evidence is complete within ten seconds even if programs hang', async () => {
    const begun = Date.now();
    const sleep = 'trap "" TERM; sleep 20';
    const text = await evidence('docker stop a b c', {
      docker: `case "$*" in ps) ;; *) ${sleep} ;; esac`,
      ss: sleep,
      dmesg: sleep,
    });
    expect(Date.now() - begun).toBeLessThan(12_000);
    expect(text).toContain('log of a\n  (nothing within 3 s)\n');
    expect(text).toContain('(no time was left for this)');
    expect(titles(text).at(-1)).toBe('end');
  });
});

describe('the script of the evidence', () => {
  it('the script of the evidence is short enough for dropbear', () => {
    const subjects = evidenceSubjects(
      'docker restart one-container two-container three-container four-container; reboot',
    );
    expect(Buffer.byteLength(evidenceCommand(subjects))).toBeLessThan(9_000);
  });
});

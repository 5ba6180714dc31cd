import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostSignIn } from '@aish/contracts/hosts';
import { AishError } from '@aish/contracts/problems';

const ALIAS = 'the-pinned-host';
const LOG_MAX_CHARS = 4_096;
/** The exit code of `ssh` if nothing has begun on the host. */
export const TROUBLE = 255;
const SCAN_TIMEOUT_S = 5;
/** These options disable everything that OpenSSH would read from a home folder, an agent or the machine. */
const CLOSED = {
  IdentityAgent: 'none',
  IdentitiesOnly: 'yes',
  GlobalKnownHostsFile: '/dev/null',
  StrictHostKeyChecking: 'yes',
  HostKeyAlias: ALIAS,
  UpdateHostKeys: 'no',
  BatchMode: 'yes',
  PreferredAuthentications: 'publickey',
  ForwardAgent: 'no',
  ForwardX11: 'no',
  ClearAllForwardings: 'yes',
  PermitLocalCommand: 'no',
  ProxyCommand: 'none',
  ControlMaster: 'no',
  ControlPath: 'none',
  RequestTTY: 'no',
  EscapeChar: 'none',
  ConnectTimeout: '10',
  ServerAliveInterval: '15',
  ServerAliveCountMax: '3',
};
const NO_ENVIRONMENT = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };

/** How a command on a host ended. */
export interface HostEnd {
  /** Null if the command began and its end is unknown. */
  readonly exitCode: number | null;
  /** OpenSSH's own messages, if the command failed. */
  readonly log: string;
}

/** One run of OpenSSH's client, which gets only the data for the sign-in. */
export interface HostRun {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when the client has ended and its key is deleted. Never rejects. */
  readonly ended: Promise<HostEnd>;
}

/** Starts OpenSSH's client. @throws AishError `host_unreachable` if OpenSSH is not installed. */
export async function openSsh(signIn: HostSignIn): Promise<HostRun> {
  const dir = await mkdtemp(join(tmpdir(), 'aish-host-'));
  const file = (name: string) => join(dir, name);
  const log = file('log');
  try {
    const known = signIn.keys.map((key) => `${ALIAS} ${key}\n`).join('');
    await Promise.all([
      writeFile(file('key'), signIn.privateKey, { mode: 0o600 }),
      writeFile(file('known_hosts'), known, { mode: 0o600 }),
      ...(signIn.certificate === null ? [] : [writeFile(file('cert'), `${signIn.certificate}\n`, { mode: 0o600 })]),
    ]);
    const settings = {
      ...CLOSED,
      IdentityFile: file('key'),
      ...(signIn.certificate === null ? {} : { CertificateFile: file('cert') }),
      UserKnownHostsFile: file('known_hosts'),
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const { address, port, user, subsystem, command } = signIn;
    const place = ['-p', String(port), '-l', user, ...(subsystem ? ['-s'] : []), '--', address, command];
    const args = ['-F', '/dev/null', '-v', '-E', log, ...options, ...place];
    const child = spawn('ssh', args, { env: NO_ENVIRONMENT, cwd: dir });
    // Readers and writers learn about a broken pipe when the program ends.
    child.stdin.on('error', () => undefined);
    const ended = endOf(child, log).then(async (end) => {
      await rm(dir, { recursive: true, force: true });
      return end;
    });
    await once(child, 'spawn');
    return { child, ended };
  } catch (error) {
    await rm(dir, { recursive: true, force: true });
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new AishError('host_unreachable', 'The machine of the sandbox service has no OpenSSH client');
  }
}

/** Returns the host keys that an address presents. @throws AishError `host_unreachable` */
export async function scanKeys(address: string, port: number): Promise<readonly string[]> {
  const args = ['-T', String(SCAN_TIMEOUT_S), '-p', String(port), '-t', 'ed25519,ecdsa,rsa', '--', address];
  const out = await new Promise<string>((resolve, reject) => {
    const options = { env: NO_ENVIRONMENT, timeout: SCAN_TIMEOUT_S * 4_000, maxBuffer: 256 * 1024 };
    execFile('ssh-keyscan', args, options, (error, stdout) => {
      if (error !== null && stdout === '') reject(error);
      else resolve(stdout);
    });
  }).catch(() => '');
  const keys = out
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' ').slice(1, 3).join(' '));
  if (keys.length > 0) return [...new Set(keys)].toSorted();
  throw new AishError('host_unreachable', `No SSH server answers with a host key at ${address}, port ${port}`);
}

async function endOf(child: ChildProcessWithoutNullStreams, log: string): Promise<HostEnd> {
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', (exitCode) => resolve(exitCode));
  });
  const text = await readFile(log, 'utf8').catch(() => '');
  return readEnd(text, code);
}

/**
 * Finds out from OpenSSH's own log how a command ended. The exit code is ambiguous, because OpenSSH also returns 255 if
 * a connection broke. A command that was killed on the host, or whose connection broke, has no status (-1).
 */
export function readEnd(log: string, code: number | null): HostEnd {
  const lines = log.split(/\r?\n/);
  const isNoise = (line: string) =>
    line === '' || /^(debug\d|OpenSSH_|Authenticated to|Transferred:|Bytes per)/.test(line);
  const words = lines
    .filter((line) => !isNoise(line))
    .join('\n')
    .slice(-LOG_MAX_CHARS);
  const hasBegun = lines.some((line) => /^Authenticated to|^debug1: (Sending command|Sending subsystem)/.test(line));
  if (!hasBegun) return { exitCode: TROUBLE, log: words };
  const status = /Exit status (\d+)/.exec(lines.findLast((line) => line.includes('Exit status ')) ?? '')?.[1];
  return { exitCode: status === undefined || code === null ? null : Number(status), log: words };
}

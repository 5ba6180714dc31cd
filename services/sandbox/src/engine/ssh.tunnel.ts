import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Socket } from 'node:net';
import { AishError } from '@aish/contracts/problems';
import type { SshAddress } from './engine-address.js';

const OPEN_TIMEOUT_MS = 20_000;
/** A server may lock out a client that fails to sign in too often. */
const RETRY_AFTER_MS = 3_000;
const LOG_MAX_CHARS = 2_000;
const OPTIONS = {
  BatchMode: 'yes',
  ExitOnForwardFailure: 'yes',
  StreamLocalBindUnlink: 'yes',
  StreamLocalBindMask: '0177',
  ControlPath: 'none',
  ConnectTimeout: '10',
  ServerAliveInterval: '15',
  ServerAliveCountMax: '3',
};

/**
 * Makes the engine of another machine available at a socket on this machine. OpenSSH's client does the work, so the
 * user's `~/.ssh` applies, and unknown host keys are refused. One connection carries all calls: a server limits the
 * sessions of a connection, but not its forwarded sockets.
 */
export class SshTunnel {
  private opening: Promise<void> | null = null;
  private log = '';

  constructor(
    private readonly address: SshAddress,
    /** The path of the socket on this machine. */
    readonly socketPath: string,
  ) {}

  /** Resolves while the tunnel is open, and opens it if necessary. @throws AishError `engine_unavailable` */
  open(): Promise<void> {
    this.opening ??= this.start();
    return this.opening;
  }

  /** The last message of `ssh`, or null if it has not written any. */
  get lastMessage(): string | null {
    return this.log.trimEnd().split('\n').at(-1)?.trim().replace(/\.$/, '') || null;
  }

  private async start(): Promise<void> {
    this.log = '';
    const options = Object.entries(OPTIONS).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const forward = ['-L', `${this.socketPath}:${this.address.socketPath}`];
    // `cat` ends when this process ends, even if it is killed, and `ssh` ends with `cat`.
    const child = spawn('ssh', ['-T', ...options, ...forward, ...this.address.destination, 'cat']);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.log = (this.log + text).slice(-LOG_MAX_CHARS);
    });
    child.stdin.on('error', () => undefined);
    const ended = new Promise<void>((resolve) => {
      child.once('error', (error) => {
        this.log += error.message;
        resolve();
      });
      child.once('close', () => resolve());
    });
    if (await this.answers(child, ended)) {
      for (const pipe of [child.stdin, child.stdout, child.stderr]) (pipe as Socket).unref();
      child.unref();
      void ended.then(() => (this.opening = null));
      return;
    }
    child.kill();
    setTimeout(() => (this.opening = null), RETRY_AFTER_MS).unref();
    throw new AishError(
      'engine_unavailable',
      `ssh could not reach the engine at ${this.address.url}: ${this.lastMessage ?? 'no answer'}. The user of the ` +
        'sandbox service must be able to sign in there without a password, and its known_hosts must contain the host key',
    );
  }

  /** Returns whether the other machine sends back a line. The socket exists by then. */
  private async answers(child: ChildProcessWithoutNullStreams, ended: Promise<void>): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), OPEN_TIMEOUT_MS)));
    const echoed = new Promise<boolean>((resolve) => child.stdout.once('data', () => resolve(true)));
    child.stdin.write('\n');
    try {
      return await Promise.race([echoed, ended.then(() => false), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

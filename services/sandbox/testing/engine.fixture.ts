import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { until } from './sandbox.fixture.js';

const run = promisify(execFile);
const LOAD_MS = 300_000;

/**
 * A separate Docker engine with its own images and containers, which can be killed. It has no network, and needs root.
 */
export class Engine {
  private process: ChildProcess | undefined;
  readonly socket: string;
  readonly docker: Docker;

  private constructor(private readonly dir: string) {
    this.socket = join(dir, 'docker.sock');
    this.docker = new Docker({ socketPath: this.socket, host: '' });
  }

  static async start(): Promise<Engine> {
    // Images are stored in this folder. It is not below /tmp, because /tmp may be in memory.
    const engine = new Engine(await mkdtemp('/var/tmp/aish-engine-'));
    await engine.start();
    return engine;
  }

  /** Copies an image from the machine's own engine. */
  async load(image: string): Promise<void> {
    const copy = 'docker save "$0" | docker -H "unix://$1" load';
    await run('sh', ['-c', copy, image, this.socket], { timeout: LOAD_MS });
  }

  async start(): Promise<void> {
    const path = (name: string) => join(this.dir, name);
    const network = ['--bridge=none', '--iptables=false', '--ip6tables=false', '--ip-forward=false', '--ip-masq=false'];
    const own = [`--host=unix://${this.socket}`, `--data-root=${path('data')}`, `--exec-root=${path('exec')}`];
    // dockerd refuses to start if any process has the process ID of a killed dockerd.
    for (const left of [path('pid'), path('exec/containerd/containerd.pid')]) await rm(left, { force: true });
    const log = await open(path('log'), 'a');
    const args = ['dockerd', ...own, `--pidfile=${path('pid')}`, ...network];
    // dockerd runs in its own network namespace. Without a bridge it removes docker0, which belongs to the machine's
    // own engine.
    this.process = spawn('unshare', ['--net', ...args], { stdio: ['ignore', log.fd, log.fd] });
    await log.close();
    await until(async () => {
      if (this.process?.exitCode !== null) {
        throw new Error(`the engine ended before it answered:\n${await readFile(path('log'), 'utf8')}`);
      }
      return this.docker.ping().then(
        () => true,
        () => false,
      );
    }, 'the engine answers');
  }

  /** Kills the engine. Its containers continue until the engine starts again. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.process === undefined) return;
    const ended = once(this.process, 'exit');
    this.process.kill(signal);
    await ended;
    this.process = undefined;
  }

  /** Stops the engine, and removes its containers and their data. */
  async remove(): Promise<void> {
    const left = await this.docker.listContainers({ all: true });
    await Promise.allSettled(left.map(({ Id }) => this.docker.getContainer(Id).remove({ force: true })));
    await this.kill('SIGTERM');
    // A killed engine leaves its mounts behind, possibly below those of its successor.
    const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' ')[1] ?? '');
    const own = mounts.filter((mount) => mount.startsWith(`${this.dir}/`)).toReversed();
    if (own.length > 0) await run('umount', ['--lazy', ...own]);
    await rm(this.dir, { recursive: true, force: true });
  }
}

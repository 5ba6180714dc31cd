import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './eventually.js';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const USER = 1000;
/** The engine ends by itself after this time, so that a killed suite leaves nothing running. */
const LIFETIME_SECONDS = 1_800;
const RUNTIME = `/run/user/${USER}`;
const SOCKET = `${RUNTIME}/docker.sock`;

/**
 * Runs a Docker engine of the unprivileged user 1000: dockerd in rootlesskit, as Docker's own script starts it. The
 * machine has no such user and stays unchanged: the user, the runtime folder and the tun device are mounts that only
 * the engine and `shell` see. Creating these mounts needs root.
 */
export class RootlessEngine {
  private log = '';

  private constructor(
    private readonly process: ChildProcess,
    /** A folder that belongs to the engine's user. */
    readonly dir: string,
  ) {
    this.process.stderr
      ?.setEncoding('utf8')
      .on('data', (text: string) => (this.log = (this.log + text).slice(-20_000)));
  }

  static async start(): Promise<RootlessEngine> {
    if (process.getuid?.() !== 0) throw new Error('A user of its own needs root');
    // Images are stored in this folder. It is not below /tmp, because /tmp may be in memory.
    const dir = await mkdtemp('/var/tmp/aish-rootless-');
    await chmod(dir, 0o755);
    const path = (name: string) => join(dir, name);
    await writeUser(dir);
    await writeFile(path('dockerd'), DOCKERD, { mode: 0o755 });
    await writeFile(path('start'), START, { mode: 0o755 });
    const args = ['--mount', '--propagation', 'private', path('start'), dir];
    const child = spawn('unshare', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const engine = new RootlessEngine(child, dir);
    try {
      await eventually(
        'the engine answers',
        async () => engine.hasEnded || (await engine.shell(`${ON_IT} docker version`)),
      );
      if (engine.hasEnded) throw new Error('it ended');
      return engine;
    } catch (error) {
      await engine.stop();
      throw new Error(`The rootless engine did not start:\n${engine.log}`, { cause: error });
    }
  }

  /** Copies images from the machine's own engine. */
  async load(images: readonly string[]): Promise<void> {
    await this.shell(`docker save ${images.join(' ')} | ${ON_IT} docker load`, { timeoutMs: 300_000 });
  }

  /** Runs a script with access to the engine's socket. */
  async shell(
    script: string,
    {
      cwd = tmpdir(),
      env = {},
      timeoutMs = 60_000,
    }: { cwd?: string; env?: Record<string, string>; timeoutMs?: number } = {},
  ): Promise<string> {
    const mounts = ['--mount', '--target', String(this.process.pid), `--wd=${cwd}`];
    const { stdout } = await run('nsenter', [...mounts, 'sh', '-c', script], {
      timeout: timeoutMs,
      maxBuffer: MAX_OUTPUT_BYTES,
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    });
    return stdout;
  }

  async stop(): Promise<void> {
    if (!this.hasEnded) {
      const ended = once(this.process, 'exit');
      this.process.kill('SIGTERM');
      const hang = setTimeout(() => this.process.kill('SIGKILL'), 30_000);
      await ended;
      clearTimeout(hang);
    }
    await rm(this.dir, { recursive: true, force: true });
  }

  private get hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }
}

const ON_IT = `DOCKER_HOST=unix://${SOCKET}`;

/** Writes the machine's users and one more, who has 65536 subordinate user IDs for containers. */
async function writeUser(dir: string): Promise<void> {
  const without = async (file: string): Promise<string> =>
    (await readFile(file, 'utf8'))
      .split('\n')
      .filter((line) => line !== '' && Number(line.split(':')[2]) !== USER)
      .join('\n');
  const files = {
    passwd: `${await without('/etc/passwd')}\nhomelab:x:${USER}:${USER}::${dir}/home:/bin/sh\n`,
    group: `${await without('/etc/group')}\nhomelab:x:${USER}:\n`,
    subuid: `homelab:100000:65536\n`,
    subgid: `homelab:100000:65536\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text, { mode: 0o644 });
}

const START = `#!/bin/sh
set -e
for file in passwd group subuid subgid; do
  [ -e /etc/$file ] || : > /etc/$file
  mount --bind "$1/$file" /etc/$file
done
mkdir -p /run/user
mount -t tmpfs tmpfs /run/user
install -d -o ${USER} -g ${USER} -m 700 ${RUNTIME} "$1/home"
# Open to everybody where udev makes it; not everywhere else.
mkdir "$1/dev"
mount -t tmpfs tmpfs "$1/dev"
mknod -m 666 "$1/dev/tun" c 10 200
mount --bind "$1/dev/tun" /dev/net/tun
exec timeout --kill-after=30 ${LIFETIME_SECONDS} setpriv --reuid ${USER} --regid ${USER} --clear-groups env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \\
  HOME="$1/home" USER=homelab XDG_RUNTIME_DIR=${RUNTIME} \\
  rootlesskit --state-dir=${RUNTIME}/dockerd-rootless --net=slirp4netns --mtu=65520 --slirp4netns-sandbox=auto \\
  --slirp4netns-seccomp=auto --port-driver=builtin --copy-up=/etc --copy-up=/run "$1/dockerd"
`;

const DOCKERD = `#!/bin/sh
rm -f /run/docker /run/containerd /run/xtables.lock
exec dockerd
`;

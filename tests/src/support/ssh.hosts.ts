import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Host, SeenHost } from '@aish/contracts/hosts';
import type { ApiClient } from './api.client.js';
import { eventually } from './eventually.js';
import { ROOT } from './service.process.js';

const run = promisify(execFile);
const BASE = 'debian:13.7-slim';
const OPTIONS = { maxBuffer: 64 * 1024 * 1024 };
const DOCKERFILE = `FROM ${BASE}
RUN apt-get update \\
 && apt-get install -y --no-install-recommends openssh-server openssh-client dropbear-bin rsync git procps btrfs-progs \\
      iproute2 nftables sudo openssl \\
 && rm -rf /var/lib/apt/lists/* /etc/ssh/ssh_host_* \\
 && useradd --create-home --shell /bin/bash aish \\
 && install -d -o aish -g aish -m 0700 /home/aish/.ssh /tank \\
 && install -d -m 0755 /run/sshd
`;
const IMAGE = `aish-test-hosts:${createHash('sha256').update(DOCKERFILE).digest('hex').slice(0, 12)}`;
const SOCKET = '/var/run/docker.sock';
const SERVE = {
  sshd: 'ssh-keygen -qA && exec /usr/sbin/sshd -D -e',
  dropbear: 'install -d /etc/dropbear && exec dropbear -F -E -R -s -p 22',
};

/** Builds the image of the machines once. It has Debian's own sshd, and dropbear. */
export async function buildHostImage(): Promise<void> {
  await run(`${ROOT}deploy/docker/base-images.sh`, [BASE], OPTIONS);
  const context = await mkdtemp(join(tmpdir(), 'aish-host-image-'));
  try {
    await writeFile(join(context, 'Dockerfile'), DOCKERFILE);
    await run('docker', ['build', '--pull=false', '--quiet', '--tag', IMAGE, context], OPTIONS);
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}

export interface SshHostOptions {
  readonly server?: keyof typeof SERVE;
  /** A network of the engine. Without it, the container gets the default network. */
  readonly network?: string;
  /** Whether the machine may mount file systems, which needs privileges on the engine's machine. */
  readonly hasDisks?: boolean;
  /** Whether the machine's user may use the engine of the tests, as if it were the machine's own. */
  readonly hasEngine?: boolean;
  /** Whether the machine's root may change its network, and its user may become root. */
  readonly hasSudo?: boolean;
}

/** A machine with a real SSH server, in its own container. */
export class SshHost {
  private constructor(
    readonly name: string,
    readonly id: string,
    readonly address: string,
  ) {}

  static async start(
    name: string,
    { server = 'sshd', network = 'bridge', hasDisks = false, hasSudo = false, hasEngine = false }: SshHostOptions = {},
  ): Promise<SshHost> {
    const rights = [
      ...(hasDisks ? ['--privileged'] : []),
      ...(hasSudo ? ['--cap-add', 'NET_ADMIN'] : []),
      ...(hasEngine ? ['--volume', `${SOCKET}:${SOCKET}`] : []),
    ];
    const place = ['--network', network, ...rights];
    const { stdout } = await run('docker', ['run', '--detach', '--init', ...place, IMAGE, 'sh', '-c', SERVE[server]]);
    const id = stdout.trim();
    const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';
    const address = (await run('docker', ['inspect', '--format', format, id])).stdout.trim();
    const host = new SshHost(name, id, address);
    await eventually(`${name} listens`, () => host.exec('cat /proc/net/tcp | grep -q ":0016 .* 0A "').then(() => true));
    if (hasSudo) await host.exec("echo 'aish ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/aish");
    if (hasEngine) {
      await host.exec(`groupadd --non-unique --gid "$(stat -c %g ${SOCKET})" engine && usermod -aG engine aish`);
    }
    return host;
  }

  /** Runs a command as root, not over SSH. */
  async exec(command: string): Promise<string> {
    return (await run('docker', ['exec', this.id, 'sh', '-c', command])).stdout;
  }

  /**
   * Mounts a btrfs image at `folder`. Its subvolumes belong to the user.
   * @returns whether that worked: a kernel may have no btrfs, or no free loop device
   */
  async mountBtrfs(folder: string): Promise<boolean> {
    const disk = '/var/lib/disk.btrfs';
    const options = 'loop,user_subvol_rm_allowed';
    const made = `truncate -s 128M ${disk} && mkfs.btrfs -q ${disk} && mount -o ${options} ${disk} ${folder}`;
    await this.exec(`install -d -o aish -g aish ${folder}`);
    return this.exec(`${made} && chown aish:aish ${folder}`).then(
      () => true,
      () => false,
    );
  }

  async authorize(line: string): Promise<void> {
    await run('docker', ['exec', '--user', 'aish', this.id, 'sh', '-c', 'printf "%s\\n" "$1" >> ~/.ssh/authorized_keys', 'sh', line]); // prettier-ignore
  }

  /** Freezes the machine: its kernel still accepts connections, but nobody answers them. */
  async freeze(): Promise<void> {
    await this.exec('pkill -STOP -x sshd');
  }

  async stop(): Promise<void> {
    await run('docker', ['rm', '--force', '--volumes', this.id]).catch(() => undefined);
  }

  /** Adds the machine to aish as an admin does: compares its key, and installs the printed line. */
  async join(client: ApiClient, more: object = {}): Promise<Host> {
    const body = { name: this.name, address: this.address, ...more };
    const { host, seen } = await client.json(SeenHost, 'POST', '/v1/hosts', body);
    await this.authorize(host.authorizedKeys);
    return client.json(Host, 'POST', `/v1/hosts/${this.name}/trust`, { keys: seen.map(({ key }) => key) });
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { AishError } from '@aish/contracts/problems';
import { docker, tryDocker } from './docker.js';
import type { WorldImages } from './world-image.js';
import { machinesOf, type Job, type Machine } from './job.js';

const WORLD_LABEL = 'dev.aish.jobs';

const START_TRIES = 100;
const SERVE = 'ssh-keygen -qA && exec /usr/sbin/sshd -D -e';
/** verify.sh calls this function if the job is not solved. */
const FAIL = 'fail() { echo "$*"; exit 1; }\n';
const LISTENS = 'cat /proc/net/tcp* | grep -q ":0016 .* 0A "';

export interface WorldOptions {
  readonly images: WorldImages;
  /** The run to which the world belongs, so that its leftovers can be found. */
  readonly runId: string;
  /** The Docker network that the sandbox service reaches. By default it is the engine's own. */
  readonly network?: string;
  readonly signal: AbortSignal;
}

/** A container of a world: a machine with a real sshd, or a folder of files. */
interface Part extends Machine {
  readonly id: string;
  readonly address: string;
}

interface Said {
  readonly code: number | null;
  readonly output: string;
}

/** The world of a job: machines, or a folder of files. */
export class World {
  private constructor(
    private readonly job: Job,
    readonly parts: readonly Part[],
  ) {}

  /** @throws AishError `engine_unavailable`; `invalid_config` if world.sh fails */
  static async make(job: Job, options: WorldOptions): Promise<World> {
    const { signal } = options;
    const parts: Part[] = [];
    const world = new World(job, parts);
    try {
      const machines = job.world === 'files' ? [{ host: job.name, short: job.name }] : machinesOf(job);
      for (const each of machines) parts.push(await start(job, each, options));
      if (parts.length > 1) await world.everywhere(`cat >> /etc/hosts <<'HOSTS'\n${namesOf(parts)}\nHOSTS`, signal);
      const made = await world.everywhere(`set -e\n${job.makes}`, signal);
      if (made.code !== 0) throw new AishError('invalid_config', `world.sh of ${job.name} fails: ${made.output}`);
      if (job.world === 'files')
        await docker(['exec', world.first.id, 'cp', '-a', '/workspace/.', '/before/'], { signal });
      else for (const part of parts) await world.listens(part, signal);
    } catch (error) {
      await world.remove();
      throw error;
    }
    return world;
  }

  /** The address of the first machine. */
  get address(): string {
    return this.first.address;
  }

  /** Returns the result of verify.sh. */
  verify(signal: AbortSignal): Promise<Said> {
    return this.everywhere(`${FAIL}${this.job.verifies}`, signal);
  }

  /**
   * Returns a line for each thing that must not change, with its content and, on a machine, its owner and permissions.
   */
  async kept(signal: AbortSignal): Promise<readonly string[]> {
    const lines = await Promise.all(
      this.parts.map(async (part) => {
        const own = this.parts.length > 1 ? `${part.short}:` : '';
        const keep = this.job.keep.filter((path) => path.startsWith(own)).map((path) => path.slice(own.length));
        return (await this.keptOf(part, keep, signal)).map((line) => `${own}${line}`);
      }),
    );
    return lines.flat();
  }

  private async keptOf({ id }: Part, keep: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    if (keep.length === 0) return [];
    const paths = keep.join(' ');
    const isFiles = this.job.world === 'files';
    const owners = isFiles ? '' : `find ${paths} ! -type l -printf '%p %U:%G %m\\n';`;
    const script = `shopt -s nullglob globstar\n{ ${owners} find ${paths} -type f -exec sha256sum {} +; find ${paths} -type l -printf '%p -> %l\\n'; } 2>/dev/null | sort`;
    const { code, stdout } = await tryDocker(
      ['exec', '-i', '--workdir', isFiles ? '/workspace' : '/', id, 'bash', '-s'],
      { input: script, signal },
    );
    if (code !== 0)
      throw new AishError('engine_unavailable', `the files that ${this.job.name} must keep could not be read`);
    return stdout.toString('utf8').split('\n').filter(Boolean);
  }

  /** Returns the files of the world as a tar. */
  pack(signal: AbortSignal): Promise<Buffer> {
    return docker(['exec', this.first.id, 'tar', '-C', '/workspace', '-c', '.'], { signal });
  }

  /** Replaces the files of the world with the result. The original stays in /before. */
  async unpack(tar: Uint8Array, signal: AbortSignal): Promise<void> {
    await docker(['exec', this.first.id, 'find', '/workspace', '-mindepth', '1', '-delete'], { signal });
    await docker(['exec', '-i', '--user', 'aish', this.first.id, 'tar', '-C', '/workspace', '-x'], {
      input: tar,
      signal,
    });
  }

  async authorize({ id }: Part, line: string, signal: AbortSignal): Promise<void> {
    const write = ['sh', '-c', 'cat >> /home/aish/.ssh/authorized_keys'];
    await docker(['exec', '-i', '--user', 'aish', id, ...write], { input: `${line}\n`, signal });
  }

  /** Removes everything of the world, even after a failure. */
  async remove(): Promise<void> {
    if (this.parts.length > 0) await tryDocker(['rm', '--force', '--volumes', ...this.parts.map(({ id }) => id)]);
  }

  private get first(): Part {
    const [first] = this.parts;
    if (first === undefined) throw new AishError('internal', `${this.job.name} has no container`);
    return first;
  }

  /**
   * Runs bash where world.sh runs, on one machine after another until one fails. `$machine` is the machine's short
   * name.
   */
  private async everywhere(script: string, signal: AbortSignal): Promise<Said> {
    let result: Said = { code: 0, output: '' };
    for (const part of this.parts) {
      result = await this.exec(part, `machine=${part.short}\n${script}`, signal);
      if (result.code !== 0)
        return this.parts.length > 1 ? { ...result, output: `${part.short}: ${result.output}` } : result;
    }
    return result;
  }

  private async exec({ id }: Part, script: string, signal: AbortSignal): Promise<Said> {
    const as = this.job.world === 'files' ? ['--user', 'aish', '--workdir', '/workspace'] : ['--workdir', '/'];
    const { code, stdout, stderr } = await tryDocker(['exec', '-i', ...as, id, 'bash', '-s'], {
      input: script,
      signal,
    });
    return { code, output: `${stdout.toString('utf8')}${stderr}`.trim().slice(-1_000) };
  }

  private async listens(part: Part, signal: AbortSignal): Promise<void> {
    for (let tries = 0; tries < START_TRIES; tries += 1) {
      if ((await this.exec(part, LISTENS, signal)).code === 0) return;
      await sleep(100, undefined, { signal });
    }
    throw new AishError('engine_unavailable', `the sshd of ${part.host} is not listening`);
  }
}

async function start(
  job: Job,
  { host, short }: Machine,
  { images, runId, network, signal }: WorldOptions,
): Promise<Part> {
  const isFiles = job.world === 'files';
  const id = (
    await docker(
      [
        'run', '--detach', '--init', '--label', `${WORLD_LABEL}=${runId}`, '--hostname', host,
        ...(isFiles ? ['--network', 'none'] : network === undefined ? [] : ['--network', network]),
        // This allows firewalls in the machine’s own network namespace.
        ...(job.world === 'hosts' ? ['--cap-add', 'NET_ADMIN'] : []),
        ...(job.docker.includes(short) ? ['--privileged', '--volume', '/var/lib/docker'] : []),
        job.world === 'hosts' ? images.several : images.one, 'sh', '-c', isFiles ? 'exec sleep infinity' : SERVE,
      ],
      { signal },
    )
  ).toString('utf8').trim(); // prettier-ignore
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}';
  const addresses = (await docker(['inspect', '--format', format, id], { signal })).toString('utf8');
  return { host, short, id, address: addresses.trim().split(' ')[0] ?? '' };
}

/** Returns lines for /etc/hosts with which the machines of a job find each other. */
const namesOf = (parts: readonly Part[]): string =>
  parts.map(({ address, short, host }) => `${address} ${short} ${host}`).join('\n');

/** Removes the worlds of a killed run. */
export async function removeWorlds(runId: string): Promise<void> {
  const filter = ['ps', '--all', '--quiet', '--filter', `label=${WORLD_LABEL}=${runId}`];
  const ids = (await docker(filter)).toString('utf8').split('\n').filter(Boolean);
  if (ids.length > 0) await tryDocker(['rm', '--force', '--volumes', ...ids]);
}

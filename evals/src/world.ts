import { setTimeout as sleep } from 'node:timers/promises';
import { AishError } from '@aish/contracts/problems';
import { docker, tryDocker } from './docker.js';
import type { Job } from './job.js';

const WORLD_LABEL = 'dev.aish.jobs';

const START_TRIES = 100;
const SERVE = 'ssh-keygen -qA && exec /usr/sbin/sshd -D -e';
/** What verify.sh says when it is not content. */
const FAIL = 'fail() { echo "$*"; exit 1; }\n';
const LISTENS = 'cat /proc/net/tcp* | grep -q ":0016 .* 0A "';

export interface WorldOptions {
  readonly image: string;
  /** Whose leftovers these would be. */
  readonly runId: string;
  /** The Docker network that the sandbox service reaches; the engine's own otherwise. */
  readonly network?: string;
  readonly signal: AbortSignal;
}

/** What a job is about: a machine with a real sshd, or a folder of files; a container of its own either way. */
export class World {
  private constructor(
    private readonly job: Job,
    readonly id: string,
    readonly address: string,
  ) {}

  /** @throws AishError `engine_unavailable`; `invalid_config` when world.sh fails. */
  static async make(job: Job, { image, runId, network, signal }: WorldOptions): Promise<World> {
    const isHost = job.world === 'host';
    const id = (
      await docker(
        [
          'run', '--detach', '--init', '--label', `${WORLD_LABEL}=${runId}`, '--hostname', job.name,
          ...(isHost ? (network === undefined ? [] : ['--network', network]) : ['--network', 'none']),
          image, 'sh', '-c', isHost ? SERVE : 'exec sleep infinity',
        ],
        { signal },
      )
    ).toString('utf8').trim(); // prettier-ignore
    const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}';
    const addresses = (await docker(['inspect', '--format', format, id], { signal })).toString('utf8');
    const world = new World(job, id, addresses.trim().split(' ')[0] ?? '');
    try {
      const made = await world.exec(`set -e\n${job.makes}`, signal);
      if (made.code !== 0) throw new AishError('invalid_config', `world.sh of ${job.name} fails: ${made.said}`);
      if (isHost) await world.listens(signal);
      else await docker(['exec', id, 'cp', '-a', '/workspace/.', '/before/'], { signal });
    } catch (error) {
      await world.remove();
      throw error;
    }
    return world;
  }

  /** Runs bash where world.sh ran. */
  async exec(script: string, signal: AbortSignal): Promise<{ readonly code: number | null; readonly said: string }> {
    const as = this.job.world === 'host' ? ['--workdir', '/'] : ['--user', 'aish', '--workdir', '/workspace'];
    const { code, stdout, stderr } = await tryDocker(['exec', '-i', ...as, this.id, 'bash', '-s'], {
      input: script,
      signal,
    });
    return { code, said: `${stdout.toString('utf8')}${stderr}`.trim().slice(-1_000) };
  }

  /** What verify.sh says. */
  verify(signal: AbortSignal): Promise<{ readonly code: number | null; readonly said: string }> {
    return this.exec(`${FAIL}${this.job.verifies}`, signal);
  }

  /** What must not change, a line for each thing: content, and on a machine whose it is and who may. */
  async kept(signal: AbortSignal): Promise<readonly string[]> {
    if (this.job.keep.length === 0) return [];
    const paths = this.job.keep.join(' ');
    const owners = this.job.world === 'host' ? `find ${paths} ! -type l -printf '%p %U:%G %m\\n';` : '';
    const script = `shopt -s nullglob globstar\n{ ${owners} find ${paths} -type f -exec sha256sum {} +; find ${paths} -type l -printf '%p -> %l\\n'; } 2>/dev/null | sort`;
    const { code, stdout } = await tryDocker(
      ['exec', '-i', '--workdir', this.job.world === 'host' ? '/' : '/workspace', this.id, 'bash', '-s'],
      { input: script, signal },
    );
    if (code !== 0) throw new AishError('engine_unavailable', `what ${this.job.name} keeps could not be read`);
    return stdout.toString('utf8').split('\n').filter(Boolean);
  }

  /** The files of the world, as a tar. */
  pack(signal: AbortSignal): Promise<Buffer> {
    return docker(['exec', this.id, 'tar', '-C', '/workspace', '-c', '.'], { signal });
  }

  /** Puts what became of the files in the place of what they were, which stays in /before. */
  async unpack(tar: Uint8Array, signal: AbortSignal): Promise<void> {
    await docker(['exec', this.id, 'find', '/workspace', '-mindepth', '1', '-delete'], { signal });
    await docker(['exec', '-i', '--user', 'aish', this.id, 'tar', '-C', '/workspace', '-x'], { input: tar, signal });
  }

  async authorize(line: string, signal: AbortSignal): Promise<void> {
    const write = ['sh', '-c', 'cat >> /home/aish/.ssh/authorized_keys'];
    await docker(['exec', '-i', '--user', 'aish', this.id, ...write], { input: `${line}\n`, signal });
  }

  /** Removes everything of the world, after any failure. */
  async remove(): Promise<void> {
    await tryDocker(['rm', '--force', '--volumes', this.id]);
  }

  private async listens(signal: AbortSignal): Promise<void> {
    for (let tries = 0; tries < START_TRIES; tries += 1) {
      if ((await this.exec(LISTENS, signal)).code === 0) return;
      await sleep(100, undefined, { signal });
    }
    throw new AishError('engine_unavailable', `the sshd of ${this.job.name} does not listen`);
  }
}

/** Removes the worlds that a run which was killed has left. */
export async function removeWorlds(runId: string): Promise<void> {
  const filter = ['ps', '--all', '--quiet', '--filter', `label=${WORLD_LABEL}=${runId}`];
  const ids = (await docker(filter)).toString('utf8').split('\n').filter(Boolean);
  if (ids.length > 0) await tryDocker(['rm', '--force', '--volumes', ...ids]);
}

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { AishError } from '@aish/contracts/problems';
import type { DataFolder } from './data-folder.js';
import type { PreparedEngine } from './engine.js';
import { engineAnswers } from './engine.js';
import type { ProcessName } from './services.js';

/** Programs to put before a command, so that it runs as another user. */
export type Prefix = readonly string[];

const API_USER = 'aish';
const SANDBOX_USER = 'aish-sandbox';
const COMMAND_TIMEOUT_MS = 60_000;

/**
 * The one image (target `aish` of deploy/Dockerfile). Its launcher runs as root, Postgres and the processes of aish run
 * as three users, and only the user of the sandbox can open the Docker socket.
 */
export class Container {
  private constructor(
    readonly dockerSocket: string,
    /** The number of the group of the socket. It differs between hosts. Null if there is no socket. */
    private readonly socketGroup: number | null,
    private readonly folder: DataFolder,
  ) {}

  /** @throws AishError `invalid_config` if the user of the api could open the Docker socket */
  static async open(folder: DataFolder, dockerSocket: string): Promise<Container> {
    const group = await stat(dockerSocket).then(
      ({ gid }) => gid,
      () => null,
    );
    const container = new Container(dockerSocket, group, folder);
    if (group !== null) await container.refuseOpenSocket();
    return container;
  }

  /** The address of a model on the host. */
  readonly modelUrl = 'http://host.docker.internal:8080';

  /** The value of SANDBOX_NETWORK_VOLUME that names this container. */
  readonly networkVolume = `container:${ownId()}`;

  /** Returns the prefix for one of the processes of aish. */
  prefixOf(name: ProcessName): Prefix {
    const isSandbox = name === 'sandbox';
    const groups = isSandbox && this.socketGroup !== null ? [`--groups=${SANDBOX_USER},${this.socketGroup}`] : [];
    const user = isSandbox ? SANDBOX_USER : API_USER;
    return [
      'setpriv',
      `--reuid=${user}`,
      `--regid=${user}`,
      ...(groups.length === 0 ? ['--clear-groups'] : groups),
      '--no-new-privs',
      '--inh-caps=-all',
      '--',
      'env',
      `HOME=${this.homeOf(name)}`,
    ];
  }

  /** The prefix for Docker's own client. Its older builder needs no plugin. */
  get engineUser(): Prefix {
    const docker = [
      `DOCKER_HOST=unix://${this.dockerSocket}`,
      'DOCKER_BUILDKIT=0',
      `AISH_CACHE=${this.folder.sandboxDir}/cache`,
    ];
    return [...this.prefixOf('sandbox'), ...docker];
  }

  /** Gives the folders of the processes to their users. The data folder itself stays root's, and so do its secrets. */
  async giveFolders(secrets: { readonly ofBoth: string; readonly ofApi: string }): Promise<void> {
    const [api, sandbox] = await Promise.all([identityOf(API_USER), identityOf(SANDBOX_USER)]);
    await chmod(this.folder.secretsDir, 0o711);
    const apiDir = path.dirname(this.folder.tokenFile);
    await mkdir(apiDir, { recursive: true, mode: 0o700 });
    await chown(apiDir, api.uid, api.gid);
    // Root must not follow a link in the folder of the api.
    await this.runAsApi('mkdir', '-p', '-m', '700', this.folder.knowledgeDir);
    await chown(this.folder.sandboxDir, sandbox.uid, sandbox.gid);
    await chown(secrets.ofApi, api.uid, api.gid);
    await chown(secrets.ofBoth, sandbox.uid, api.gid);
    await chmod(secrets.ofBoth, 0o440);
  }

  /** Like `prepareEngine`. In a container nothing can be installed. */
  async prepareEngine(log: (line: string) => void, signal: AbortSignal): Promise<PreparedEngine> {
    if (await engineAnswers(signal, this.engineUser)) {
      return { step: 'ready', carryOut: async () => ({ kind: 'ready' }) };
    }
    const mount = `-v ${this.dockerSocket}:${this.dockerSocket}`;
    const why =
      this.socketGroup === null
        ? `there is no Docker socket; add ${mount}`
        : `no engine responds at ${this.dockerSocket}`;
    return {
      step: 'tell',
      carryOut: async () => {
        log(`Without Docker, goals wait before their first command (${why}).`);
        return { kind: 'absent', commands: [], why };
      },
    };
  }

  /** Returns the command that prints the token, for a terminal of the host. */
  get tokenCommand(): string {
    return `docker exec ${hostname()} cat ${this.folder.tokenFile}`;
  }

  private homeOf(name: ProcessName): string {
    return name === 'sandbox' ? this.folder.sandboxDir : path.dirname(this.folder.tokenFile);
  }

  private runAsApi(...command: readonly string[]): Promise<unknown> {
    const [file = '', ...args] = [...this.prefixOf('api-with-worker'), ...command];
    return promisify(execFile)(file, args, { timeout: COMMAND_TIMEOUT_MS });
  }

  private async refuseOpenSocket(): Promise<void> {
    const isOpen = await this.runAsApi('test', '-w', this.dockerSocket).then(
      () => true,
      (error: { code?: unknown }) => {
        if (error.code === 1) return false;
        throw error;
      },
    );
    if (!isOpen) return;
    throw new AishError(
      'invalid_config',
      `Every user can open ${this.dockerSocket}, including the user of the api. On the host, run: chmod o-rw ${this.dockerSocket}`,
    );
  }
}

/** Returns the id of this container. The engine mounts a file from its folder of this container. */
function ownId(): string {
  return /\/([\da-f]{64})\/hostname /.exec(readFileSync('/proc/self/mountinfo', 'utf8'))?.[1] ?? hostname();
}

async function identityOf(user: string): Promise<{ uid: number; gid: number }> {
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find((each) => each.startsWith(`${user}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined)
    throw new AishError('invalid_config', `--container works only in the image of aish: there is no user ${user}`);
  return { uid: Number(uid), gid: Number(gid) };
}

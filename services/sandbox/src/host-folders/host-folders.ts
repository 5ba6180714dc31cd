import { readFileSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { whyNotMounted, type HostFolder, type HostFolderOffer } from '@aish/contracts/host-folders';
import { AishError } from '@aish/contracts/problems';
import type { Logger } from '@aish/http';
import type Docker from 'dockerode';
import { mountOptions } from './mount-options.js';

/** A host folder with held changes, and its resolved path. */
export interface HeldFolder {
  readonly name: string;
  readonly containerPath: string;
  /** The path of the folder on the host. */
  readonly source: string;
}

/** Knows the host folders that runs may request by name. */
export class HostFolders {
  private readonly byName: ReadonlyMap<string, HostFolder>;
  private readonly ours: readonly string[];
  private readonly unfit = new Map<string, string | null>();
  /**
   * Whether this service can check the paths of host folders. It cannot if it runs in a container: a path then means a
   * folder of this container, and only the engine sees the host.
   */
  private readonly seesHost: boolean;

  constructor(
    config: SandboxConfig,
    private readonly logger: Logger,
  ) {
    this.byName = new Map(config.SANDBOX_HOST_FOLDERS.map((folder) => [folder.name, folder]));
    this.seesHost = config.SANDBOX_NETWORK_VOLUME === undefined;
    const ours = [config.DOCKER_SOCKET, config.SANDBOX_STATE_DIR, config.SANDBOX_NETWORK_DIR];
    this.ours = ours.flatMap((path) => (path === undefined ? [] : [resolve(path)]));
  }

  /** Refuses a configuration that opens protected paths. @throws AishError `invalid_config` with all faults */
  async verify(): Promise<void> {
    const faults: string[] = [];
    for (const folder of this.byName.values()) {
      try {
        const found = await this.find(folder);
        if (folder.mode !== 'read-only' && this.seesHost) this.warnUnlessPlain(folder.name, found);
      } catch (error) {
        if (!(error instanceof AishError)) throw error;
        if (error.code === 'mount_missing') this.logger.warn({ folder: folder.name }, error.message);
        else faults.push(`SANDBOX_HOST_FOLDERS: ${error.message}`);
      }
    }
    if (faults.length > 0) throw new AishError('invalid_config', faults.join('\n  '));
  }

  offers(): readonly HostFolderOffer[] {
    return [...this.byName.values()].map(({ name, containerPath, mode }) => ({
      name,
      containerPath,
      readOnly: mode === 'read-only',
      mode,
      whyNotHeld: mode === 'held' ? (this.unfit.get(name) ?? null) : null,
    }));
  }

  /** Records the reason why the changes of a folder cannot be held, or null if they can. */
  note(name: string, whyNotHeld: string | null): void {
    this.unfit.set(name, whyNotHeld);
  }

  /** Returns whether commands write directly to one of these folders, so that nothing can undo their changes. */
  hasDirect(names: readonly string[]): boolean {
    return names.some((name) => this.byName.get(name)?.mode === 'direct');
  }

  /** The names of the folders whose changes are held. */
  get held(): readonly string[] {
    return [...this.byName.values()].filter(({ mode }) => mode === 'held').map(({ name }) => name);
  }

  /** @throws AishError `mount_not_allowed`, which lists the allowed names. */
  check(names: readonly string[]): void {
    const unknown = names.find((name) => !this.byName.has(name));
    if (unknown === undefined) return;
    const allowed = [...this.byName.keys()];
    const offer = allowed.length === 0 ? 'none is' : `allowed: ${allowed.join(', ')}`;
    throw new AishError('mount_not_allowed', `The host folder ${unknown} is not allowed; ${offer}`, { allowed });
  }

  /**
   * Returns the mounts for these names, except for folders whose changes are held. Each path is resolved again, because
   * a link may have changed since the start.
   * @throws AishError `mount_not_allowed`, `mount_missing`
   */
  async mountsFor(names: readonly string[]): Promise<readonly Docker.MountSettings[]> {
    this.check(names);
    const folders = this.named(names).filter(({ mode }) => mode !== 'held');
    return Promise.all(folders.map(async (folder) => mountOf(folder, await this.find(folder))));
  }

  /**
   * Returns the folders among these names whose changes are held. Each path is resolved again. @throws AishError
   * `mount_not_allowed`, `mount_missing`
   */
  async heldOf(names: readonly string[]): Promise<readonly HeldFolder[]> {
    this.check(names);
    const folders = this.named(names).filter(({ mode }) => mode === 'held');
    return Promise.all(
      folders.map(async (folder) => {
        const { name, containerPath } = folder;
        return { name, containerPath, source: await this.find(folder) };
      }),
    );
  }

  /** Returns the paths of all these folders, on the host and in the container. @throws AishError as `mountsFor` */
  async placesOf(names: readonly string[]): Promise<readonly { readonly source: string; readonly target: string }[]> {
    this.check(names);
    return Promise.all(
      this.named(names).map(async (folder) => ({ source: await this.find(folder), target: folder.containerPath })),
    );
  }

  private named(names: readonly string[]): readonly HostFolder[] {
    return [...new Set(names)].flatMap((name) => this.byName.get(name) ?? []);
  }

  /** Returns the folder's path without links, as far as this service can see it. */
  private async find({ name, hostPath }: HostFolder): Promise<string> {
    this.refuseClosed(name, hostPath);
    if (!this.seesHost) return hostPath;
    const missing = (cause?: unknown) =>
      new AishError('mount_missing', `The host folder ${name} does not exist`, { name }, { cause });
    const real = await realpath(hostPath).catch((error: unknown) => {
      throw missing(error);
    });
    const found = await stat(real).catch(() => null);
    if (found?.isDirectory() !== true) throw missing();
    this.refuseClosed(name, real);
    return real;
  }

  /**
   * Warns if the file system of a folder allows setuid files. In a container such a file gives no privileges, but a
   * person may start it on the host.
   */
  private warnUnlessPlain(name: string, path: string): void {
    const options = mountOptions(path, readFileSync('/proc/self/mountinfo', 'utf8'));
    const missing = ['nosuid', 'nodev'].filter((option) => !options.includes(option));
    if (missing.length === 0) return;
    const what = `the file system of the writable host folder ${name} is mounted without ${missing.join(' and ')}`;
    this.logger.warn(
      { folder: name },
      `${what}: a command may leave programs there that run as user 1000 when anybody starts them`,
    );
  }

  private refuseClosed(name: string, path: string): void {
    const why = whyNotMounted(path, this.ours);
    if (why !== null) throw new AishError('mount_not_allowed', `The host folder ${name} may not be mounted: ${why}`);
  }
}

function mountOf({ containerPath, mode }: HostFolder, source: string): Docker.MountSettings {
  const readOnly = mode === 'read-only';
  const options = {
    // Mounts that are made inside the container stay there, and later mounts of the host do not appear in it.
    Propagation: 'rprivate' as const,
    // Mounts below the folder must be read-only, too, or the container does not start.
    ...(readOnly ? { ReadOnlyForceRecursive: true } : {}),
  };
  return { Type: 'bind', Source: source, Target: containerPath, ReadOnly: readOnly, BindOptions: options };
}

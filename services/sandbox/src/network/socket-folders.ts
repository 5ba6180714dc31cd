import { mkdir } from 'node:fs/promises';
import { join, resolve as resolvePath } from 'node:path';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { AishError } from '@aish/contracts/problems';

/** The operating system limits the path of a socket to this many bytes. */
const SOCKET_PATH_MAX = 107;

/**
 * Manages the folders with the sockets on which this service listens for containers. Containers with access mount these
 * folders.
 */
export class SocketFolders {
  /** Whether a container has connected to one of the sockets. */
  areReached = false;
  private readonly folder: string;

  constructor(
    private readonly config: SandboxConfig,
    /** Returns the path on the engine's machine of a folder of this service that is in a volume. */
    private readonly mountpointOf: (volume: string, folder: string) => Promise<string>,
    /** Throws if containers cannot reach the sockets of this service. */
    private readonly requireAccess: () => Promise<void>,
  ) {
    this.folder = resolvePath(config.SANDBOX_NETWORK_DIR ?? join(config.SANDBOX_STATE_DIR, 'network'));
  }

  /** Returns the path of a folder as this service sees it. */
  pathOf(name: string): string {
    return join(this.folder, name);
  }

  /** Returns the path of a folder on the engine's machine. */
  async mountOf(name: string): Promise<string> {
    const { SANDBOX_NETWORK_VOLUME: volume } = this.config;
    return join(volume === undefined ? this.folder : await this.mountpointOf(volume, this.folder), name);
  }

  /** Like `mountOf`, for a container that depends on the socket. @throws AishError `engine_lacks` */
  async reachableMountOf(name: string): Promise<string> {
    await this.requireAccess();
    return this.mountOf(name);
  }

  async make(name: string): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await mkdir(this.pathOf(name), { recursive: true });
  }

  /** Checks the length of a socket's path. @throws AishError `invalid_config` if the path would be too long */
  check(name: string, socket: string): void {
    const path = join(this.pathOf(name), socket);
    if (Buffer.byteLength(path) <= SOCKET_PATH_MAX) return;
    const room = SOCKET_PATH_MAX - name.length - socket.length - 2;
    const why = `${path} is too long for a socket; set SANDBOX_NETWORK_DIR to a shorter folder, at most ${room} bytes`;
    throw new AishError('invalid_config', why);
  }
}

import { mkdir } from 'node:fs/promises';
import { join, resolve as resolvePath } from 'node:path';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { AishError } from '@aish/contracts/problems';

/** What the operating system takes as the path of a socket, bytes. */
const SOCKET_PATH_MAX = 107;

/** The folders in which this service listens for containers: each is mounted where its workspace has a way out. */
export class SocketFolders {
  private readonly folder: string;

  constructor(
    private readonly config: SandboxConfig,
    /** Where the engine has the files of a volume. */
    private readonly mountpointOf: (volume: string) => Promise<string>,
  ) {
    this.folder = resolvePath(config.SANDBOX_NETWORK_DIR ?? join(config.SANDBOX_STATE_DIR, 'network'));
  }

  /** As this service sees it. */
  pathOf(name: string): string {
    return join(this.folder, name);
  }

  /** As the engine sees it. */
  async mountOf(name: string): Promise<string> {
    const { SANDBOX_NETWORK_VOLUME: volume } = this.config;
    return join(volume === undefined ? this.folder : await this.mountpointOf(volume), name);
  }

  async make(name: string): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await mkdir(this.pathOf(name), { recursive: true });
  }

  /** @throws AishError `invalid_config` where no socket of this name fits into a folder. */
  check(name: string, socket: string): void {
    const path = join(this.pathOf(name), socket);
    if (Buffer.byteLength(path) <= SOCKET_PATH_MAX) return;
    const room = SOCKET_PATH_MAX - name.length - socket.length - 2;
    const why = `${path} is too long for a socket; set SANDBOX_NETWORK_DIR to a shorter folder, at most ${room} bytes`;
    throw new AishError('invalid_config', why);
  }
}

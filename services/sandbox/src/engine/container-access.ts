import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { AishError } from '@aish/contracts/problems';
import type { AccessFaults } from './capabilities.js';
import { isTemporary } from './engine-error.js';
import type { HelperEngine } from './helper.engine.js';
import type { SocketFolders } from '../network/socket-folders.js';

const FOLDER = 'reach';
const SOCKET = 'test.sock';
const INSIDE = '/run/aish-reach';
const TIMEOUT_MS = 30_000;
const OUTPUT_MAX_BYTES = 1_024;
const NO_SOCKET = 43;
const TRY = `[ -S "$0" ] || exit ${NO_SOCKET}; exec socat -u "UNIX-CONNECT:$0" -`;
const ELSEWHERE = 'the engine does not see the folders of this machine';

/**
 * Finds out whether containers reach the sockets and folders of this service's machine. They do not if the engine is on
 * another machine or in a virtual one.
 */
export class ContainerAccess {
  private trying: Promise<AccessFaults> | null = null;
  private found: AccessFaults | undefined;

  constructor(
    private readonly folders: SocketFolders,
    private readonly helpers: HelperEngine,
    /** Resolves when the layers have been tested, if they are on. */
    private readonly layersTested: () => Promise<unknown>,
    /** The engine's address, for messages. */
    private readonly address: string,
  ) {}

  /** The result of the test, or undefined before it. */
  get known(): AccessFaults | undefined {
    return this.found;
  }

  /** @throws AishError `engine_unavailable` and others if that cannot be determined now */
  test(): Promise<AccessFaults> {
    this.trying ??= this.tryOut().catch((error: unknown) => {
      this.trying = null;
      throw error;
    });
    return this.trying;
  }

  /** @throws AishError `engine_lacks` if containers cannot use this */
  async require(what: keyof AccessFaults): Promise<void> {
    const why = (await this.test())[what];
    if (why === null) return;
    const needs = what === 'sockets' ? 'network or SSH access' : 'host folders';
    const message =
      `The engine at ${this.address} cannot run commands with ${needs}: ${why}. ` +
      'Remove this access from the space, or use an engine on the machine of the sandbox service';
    throw new AishError('engine_lacks', message);
  }

  private async tryOut(): Promise<AccessFaults> {
    await this.layersTested();
    // The keeper of the layers has already connected to such a socket.
    this.found = this.folders.areReached ? { sockets: null, folders: null } : await this.tryContainer();
    return this.found;
  }

  private async tryContainer(): Promise<AccessFaults> {
    const server = createServer((socket) => socket.on('error', () => undefined).end());
    const path = join(this.folders.pathOf(FOLDER), SOCKET);
    try {
      this.folders.check(FOLDER, SOCKET);
      await this.folders.make(FOLDER);
      await rm(path, { force: true });
      await once(server.listen(path), 'listening');
      await chmod(path, 0o666);
      await chmod(this.folders.pathOf(FOLDER), 0o755);
      const task = {
        command: ['bash', '-c', TRY, `${INSIDE}/${SOCKET}`],
        volumes: [],
        sockets: { source: await this.folders.mountOf(FOLDER), target: INSIDE },
        timeoutMs: TIMEOUT_MS,
      };
      const { exitCode, stderr } = await this.helpers.run(task, new AbortController().signal, OUTPUT_MAX_BYTES);
      if (exitCode === NO_SOCKET) return { sockets: ELSEWHERE, folders: ELSEWHERE };
      const failure = stderr.trim().split('\n').at(-1) || `socat exited with code ${exitCode}`;
      return { sockets: exitCode === 0 ? null : failure, folders: null };
    } catch (error) {
      if (isTemporary(error)) throw error;
      const why = error instanceof AishError && error.code === 'mount_missing' ? ELSEWHERE : String(error);
      return { sockets: why, folders: why };
    } finally {
      server.close();
      await rm(this.folders.pathOf(FOLDER), { recursive: true, force: true });
    }
  }
}

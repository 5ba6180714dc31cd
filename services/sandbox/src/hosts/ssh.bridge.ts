import { existsSync, readFileSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { HostAnswer } from '@aish/contracts/hosts';
import type { Logger } from '@aish/http';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { SocketFolders } from '../network/socket-folders.js';
import { holdsSecret } from '../secrets/placeholders.js';
import type { Run } from '../runs/run.js';
import { serveCall, type HostAsker } from './host.call.js';
import type { HostMount } from './host.mount.js';

const SOCKET_NAME = 'ssh.sock';
/** The maximum number of concurrent calls of one workspace. */
const CALLS_MAX = 32;
/**
 * The runner may have to ask a model before it answers. If the runner disconnects, the wait leaves time for it to
 * return or for another runner to take over.
 */
const ANSWER_WAIT_MS = 150_000;
// `src` and `dist` are at the same depth, so this path works from both.
const CLIENT = readFileSync(new URL('../../scripts/ssh.py', import.meta.url), 'utf8');

const IN_CLEAR: HostAnswer = {
  verdict: 'refuse',
  message:
    'the command for the host contains a secret, and commands are stored: pass the secret to the program on stdin',
};

interface Room {
  readonly runs: Set<Run>;
  readonly calls: Set<Socket>;
  server: Promise<Server> | null;
}

/**
 * Gives commands access to hosts through a Unix socket for each workspace, which the `ssh` in its containers uses. This
 * service holds no key and decides nothing: it asks the runner of the session, and carries out the answer.
 */
export class SshBridge implements OnApplicationShutdown {
  private readonly rooms = new Map<string, Room>();
  private readonly waiting = new Map<string, (answer: HostAnswer) => void>();

  constructor(
    private readonly folders: SocketFolders,
    private readonly logger: Logger,
  ) {}

  /** Returns the mount for a container of this workspace. */
  async mountFor(workspaceId: string): Promise<HostMount> {
    const name = nameOf(workspaceId);
    this.folders.check(name, SOCKET_NAME);
    const dir = this.folders.pathOf(name);
    if (!existsSync(join(dir, 'ssh'))) {
      await this.folders.make(name);
      await writeFile(join(dir, 'ssh'), CLIENT);
      await chmod(join(dir, 'ssh'), 0o755);
      // The folder is open for the commands' user. On this machine, its parent folder keeps everybody else out.
      await chmod(dir, 0o755);
    }
    return { hostDir: await this.folders.reachableMountOf(name) };
  }

  /** Accepts calls for a run whose containers have access to hosts, until the returned function is called. */
  async join(run: Run): Promise<() => void> {
    const { workspaceId, asksHosts } = run;
    if (asksHosts === false || (asksHosts === null && !existsSync(this.dirOf(workspaceId)))) return () => undefined;
    const room = this.rooms.get(workspaceId) ?? { runs: new Set(), calls: new Set(), server: null };
    this.rooms.set(workspaceId, room);
    room.runs.add(run);
    try {
      await this.mountFor(workspaceId);
      await (room.server ??= this.listen(workspaceId, room));
    } catch (error) {
      room.server = null;
      this.logger.warn({ err: error, workspaceId }, 'the connection to other hosts cannot be opened');
    }
    return () => {
      room.runs.delete(run);
      if (room.runs.size > 0) return;
      this.rooms.delete(workspaceId);
      void close(room);
    };
  }

  /** Passes an answer on to the call that waits for it. @returns false if no call waits for this answer. */
  answer(runId: string, id: string, answer: HostAnswer): boolean {
    const settle = this.waiting.get(`${runId} ${id}`);
    settle?.(answer);
    return settle !== undefined;
  }

  /** Forgets a workspace. Call this when no container uses the workspace any more. */
  async remove(workspaceId: string): Promise<void> {
    await rm(this.dirOf(workspaceId), { recursive: true, force: true });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.allSettled([...this.rooms.values()].map(close));
  }

  private async listen(workspaceId: string, room: Room): Promise<Server> {
    const path = join(this.dirOf(workspaceId), SOCKET_NAME);
    await rm(path, { force: true });
    const server = createServer((socket) => {
      if (room.calls.size >= CALLS_MAX) return void socket.destroy();
      room.calls.add(socket);
      socket.once('close', () => room.calls.delete(socket));
      void serveCall(socket, () => this.askerOf(room));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    await chmod(path, 0o666);
    return server;
  }

  /**
   * Returns the run that a call belongs to, or the reason why that is unknown. The socket belongs to the workspace, so
   * the calls of two concurrent commands cannot be told apart.
   */
  private askerOf(room: Room): HostAsker | string {
    const [run, other] = room.runs;
    if (run === undefined) return 'no command runs';
    if (other !== undefined) return 'two commands are running in this workspace, so aish cannot tell which one asks';
    return {
      ask: async (ask, until) => {
        // Calls are recorded and shown to people and models, so exposed secrets must be masked.
        const exposed = run.hasUnknownSecrets ? null : run.secrets.filter((secret) => secret.exposed);
        if (exposed === null || ask.argv.some((word) => holdsSecret(word, exposed))) return IN_CLEAR;
        run.output.ask({ type: 'host', ask });
        return this.answerTo(run, ask.id, until).finally(() => run.output.settle(ask.id, null));
      },
      ended: (id, exitCode) => run.output.settle(id, { type: 'hostEnded', id, exitCode }),
    };
  }

  private async answerTo({ runId }: Run, id: string, until: AbortSignal): Promise<HostAnswer | null> {
    const key = `${runId} ${id}`;
    let stop = (): void => undefined;
    try {
      return await new Promise<HostAnswer | null>((resolve) => {
        const timer = setTimeout(() => resolve(null), ANSWER_WAIT_MS);
        const leave = (): void => resolve(null);
        until.addEventListener('abort', leave, { once: true });
        this.waiting.set(key, resolve);
        stop = () => {
          clearTimeout(timer);
          until.removeEventListener('abort', leave);
        };
      });
    } finally {
      stop();
      this.waiting.delete(key);
    }
  }

  private dirOf(workspaceId: string): string {
    return this.folders.pathOf(nameOf(workspaceId));
  }
}

function nameOf(workspaceId: string): string {
  return `${workspaceId}.h`;
}

async function close(room: Room): Promise<void> {
  const server = await room.server?.catch(() => null);
  for (const call of room.calls) call.destroy();
  server?.close();
}
